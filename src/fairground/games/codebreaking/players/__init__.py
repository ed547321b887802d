"""Players of code breaking, for both seats.

==========  ================================================================================
`breakers`  break a code: by a perfect tree, by one-step rules, by search in large spaces
`keepers`   keep a code: the fair and the nice keeper
`evil`      the evil keeper, who changes the code whenever that helps
==========  ================================================================================
"""
