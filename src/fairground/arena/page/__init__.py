"""The page for browsers: static files, out of memory.

==========  =====================================================
`files`     the built files, as they are sent: types, caching, policy
`routes`    ``/``, ``/verify.html`` and ``/page/*``
==========  =====================================================
"""
