"""Many games: simulation, comparisons, data sets.

=============  =============================================================================
`plans`        what is played: a game, lineups, deals; and each single game of it
`simulation`   many games, by kernels or by the rules, here or elsewhere
`kernels/`     compiled loops, held to the rules
`rows`         the columns of each game
`statistics`   means with intervals, and when they may be believed
`luck`         what luck gave, where the coach can tell
`results`      results in words and as JSON
`tournaments/` players against one another, ranked
`plots`        pictures as SVG, PNG or letters
`figures`      the figures that can be drawn by name
`datasets`     files of games, their cards, and whether they hold
`parquet`      Parquet files, where PyArrow is installed
`checkpoint`   long work that goes on after an interruption where it stopped
`workers`      processes that play at the same time, and their results in order
`cluster`      the same on several machines
`fatestones/`  FateStones: ten-column rows, and single rounds
=============  =============================================================================
"""
