"""The HTTP layer below all routes."""
