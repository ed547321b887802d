"""Code breaking: what to guess next.

==============  ============================================================================
`advice`        figures, advice, counts and contradictions; start here
`sets`          the codes that fit a board: listed, or sampled
`worth`         how many more guesses a set of codes needs: stored, searched, estimated
`trees`         decision trees: built, stored, walked and counted
`search`        the cheapest tree for a set of codes, by branch and bound
`large_spaces`  guesses in a space that is too large to list
`sampling`      codes that fit a board in such a space, by local search
`scoring`       scoring guesses at native speed
`data/`         trees and openings that took long to find
==============  ============================================================================
"""
