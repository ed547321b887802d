"""Contests: many entries, the same codes for all, and a result that anyone can check."""
