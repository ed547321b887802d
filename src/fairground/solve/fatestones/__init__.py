"""FateStones: which die to pick.

============  ==============================================================================
`choices`     what a choice is worth in one deal, as fractions; start here
`deals`       every deal of a bag: values, a file of them, and who can be beaten
`ranking`     a ranking of dice that respects dominance
`kernel`      the loops of `deals`, compiled by Numba, with a certificate
`simulation`  whole games at native speed, from the same tape that the rules read
============  ==============================================================================
"""
