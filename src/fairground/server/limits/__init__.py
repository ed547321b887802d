"""Limits for each client, and metrics.

=========  =====================================================================================
`gate`     the ASGI gate: rate limits, client keys, open games of a client
`metrics`  metrics for Prometheus
=========  =====================================================================================
"""
