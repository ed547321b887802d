"""Many games as data."""
