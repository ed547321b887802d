"""Contests: the same codes for all entries, and standings that mean something."""
