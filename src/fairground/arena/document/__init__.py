"""The OpenAPI document: what may be asked, and what the answers look like.

=============  =============================================================================
`openapi`      the document, and the one place where a route says what it may refuse
`examples`     what the examples of all rooms share: one story
`schema_page`  the same document as a page to read
=============  =============================================================================
"""
