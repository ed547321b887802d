"""The common part of all screens in a terminal."""
