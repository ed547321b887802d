"""Bots of your own: a file with one function, run in a process of its own.

==========  ================================================================================
`host`      starts the process, asks it, and takes its turn when it fails
`limits`    what a bot may use, and how it fails
`runner`    what runs in that process; it imports nothing that it does not need
==========  ================================================================================
"""
