"""Video poker: the value of each hold of a hand, and perfect play over all deals.

==========  ================================================================================
`holds`     the value of every hold of one hand, and of all deals; start here
`hands`     the loops over all hands and all deals, compiled by Numba
==========  ================================================================================
"""
