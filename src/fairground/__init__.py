"""Fairground: an arena of provably fair games."""

__version__ = "0.1.0"
