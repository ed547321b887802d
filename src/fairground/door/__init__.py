"""The Python API: what ``import fairground as fg`` gives to programs and to a REPL.

Each function calls the package that does the work, with sensible defaults, and returns an object
that prints itself.
"""
