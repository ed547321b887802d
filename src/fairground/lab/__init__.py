"""Many games: simulation, comparisons, data sets, and environments for learning programs.

===============  ===========================================================================
`plans`          a plan: a game, lineups, deals; and each single game of it
`simulation`     many games, by kernels or by the rules, on this machine or elsewhere
`workers`        processes and clusters, and their results in order
`rows`           the columns of each game
`datasets`       files of games, their cards, and whether they hold
`statistics`     means with intervals, and when a difference is separable
`results`        results in words and as JSON
`tournament`     players against one another, ranked
`plots`          pictures as SVG, PNG or text, and the figures of the documents
`environments/`  Gymnasium, PettingZoo and OpenSpiel
===============  ===========================================================================
"""
