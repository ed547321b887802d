"""Bots of your own: a file with one function, run in a process of its own."""
