"""Video poker: what each hold of a hand is worth, and perfect play over all deals.

==========  ================================================================================
`holds`     the value of every hold of one hand; start here
`counts`    how many hands hold given cards, by formula, with the standard library only
`deals`     what the best hold is worth over all deals, counted, with the package
`kernel`    the loops over all hands and all deals, compiled by Numba
==========  ================================================================================
"""
