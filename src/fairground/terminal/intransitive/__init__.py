"""``fairground dice``: intransitive dice against the computer.

===========  =============================================================================
`screen`     the conversation, and the command
`arguments`  reads dice from the command line
`odds`       the odds of every pair, as a table
===========  =============================================================================
"""
