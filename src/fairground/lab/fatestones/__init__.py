"""FateStones as data.

============  ==============================================================================
`rows`        the ten-column rows: writing them, reading them, judging them
`simulation`  many games, each of which can be found again alone
============  ==============================================================================
"""
