"""Code breaking: what to guess next.

=============  =============================================================================
`advice`       figures, advice, counts and contradictions; start here
`sets`         the codes that fit a board: listed where they can be, sampled elsewhere
`worth`        how many more guesses sets of codes need: figures and estimates
`growth`       how fast these grow with the number of codes, measured in a space
`small`        the guesses of small sets, searched at once
`openings`     the same after one guess or two of the usual game, stored
`searcher`     the same for large sets, by the compiled search
`trees`        decision trees: how they are built, kept, walked and counted
`search`       the cheapest tree for a set of codes, by branch and bound
`pool`         codes that fit a board whose space is too large to list, by local search
`hunt`         how to find a code in such a space
`tallies`      which digits the code may have, and how often: what the hunt settles first
`walkers`      codes with given digits that exchange places until they fit
`questions`    the guess that tells the most about a sample of codes
`constraints`  whether any code fits a board, by constraint solving
`kernels`      scoring guesses at native speed
`data/`        the trees and openings that took long to find
=============  =============================================================================
"""
