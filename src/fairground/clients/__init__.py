"""Clients of an arena, for programs and for the terminal."""
