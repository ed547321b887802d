"""The OpenAPI document.

=============  =================================================================================
`outcomes`     what each route returns and which problems it can raise
`openapi`      builds the document from the routes and `outcomes`
`examples`     values that the examples of all rooms share
`schema_page`  the document as a readable page
=============  =================================================================================
"""
