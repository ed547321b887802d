"""The page for browsers: static files, served from memory.

===========  ===================================================================================
`files`      the built files with type, cache headers and policy
`documents`  the site of the documents
`routes`     ``/``, ``/verify.html``, ``/page/*`` and ``/docs``
===========  ===================================================================================
"""
