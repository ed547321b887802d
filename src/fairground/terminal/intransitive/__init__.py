"""``fairground dice``: intransitive dice against the computer.

===========  =============================================================================
`screen`     the conversation, and the command
`arguments`  dice as they are typed, and as they are shown
`odds`       the odds of every pair, as a table
===========  =============================================================================
"""
