"""Stores: a file of SQLite, a real PostgreSQL."""
