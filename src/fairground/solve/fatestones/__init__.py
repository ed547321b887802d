"""FateStones: which die to pick.

============  ==============================================================================
`choices`     what a choice is worth in one deal, as fractions; start here
`deals`       every deal of a bag: values, a file of them, and who can be beaten
`sample`      the same for a bag that has too many deals, by a random sample
`ranking`     a ranking of dice that respects dominance
`kernel`      the loops of `deals`, compiled by Numba, with a certificate
`search`      the tree search of `mcts`, compiled, the same to the last bit
`simulation`  whole games at native speed, from the same tape that the rules read
============  ==============================================================================
"""
