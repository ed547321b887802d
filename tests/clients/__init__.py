"""Clients of an arena."""
