"""FateStones as data.

============  ==============================================================================
`rows`        the ten-column rows: writing them, reading them, judging them
`episode`     one round, given the dice
============  ==============================================================================
"""
