"""The OpenAPI document: what may be asked, and what the answers look like.

=============  =============================================================================
`outcomes`     the one place where a route says what it gives, and what it may refuse
`openapi`      the document that is made of this, and of what the framework knows
`examples`     what the examples of all rooms share: one story
`schema_page`  the same document as a page to read
=============  =============================================================================
"""
