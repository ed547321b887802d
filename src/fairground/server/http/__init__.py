"""The HTTP layer below all routes.

============  ==================================================================================
`connection`  uvicorn's connections with limits on size, time, number and host
`front`       hot routes, answered without the framework
`repeats`     replays the answer of a repeated request (Idempotency-Key)
`requests`    checks heads, reads bodies and queries, refuses other origins
`addresses`   absolute URLs; redirects browsers to the page
`problems`    errors as problem details (RFC 9457) with stable codes
============  ==================================================================================
"""
