"""Code breaking: what to guess next.

=============  =============================================================================
`advice`       figures, advice, counts and contradictions; start here
`sets`         the codes that fit a board: listed where they can be, sampled elsewhere
`worth`        how many more guesses a set of codes needs, on average and at worst
`trees`        decision trees: how they are built, kept, walked and counted
`search`       the cheapest tree for a set of codes, by branch and bound
`pool`         codes that fit a board whose space is too large to list, by local search
`hunt`         how to find a code in such a space
`constraints`  whether any code fits a board, by constraint solving
`kernels`      scoring guesses at native speed
`data/`        the trees that took long to find
=============  =============================================================================
"""
