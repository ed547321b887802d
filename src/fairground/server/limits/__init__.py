"""Limits for each client, and metrics."""
