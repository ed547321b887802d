"""FateStones: which die to pick.

============  ==============================================================================
`choices`     the value of a choice in one deal, as fractions; start here
`deals`       every deal of a bag, or a sample: values, a file, and exploitability
`equilibria`  the loops of `deals`, compiled by Numba, with a certificate
`ranking`     a ranking of dice that respects dominance
`mcts`        the tree search of `mcts`, compiled, the same to the last bit
============  ==============================================================================
"""
