"""Tournaments.

============  ==============================================================================
`entrants`    who can enter: our players, files of your own, addresses
`tournament`  how it is played, and what the results say
`files`       the results as JSON, CSV, words and a page
============  ==============================================================================
"""
