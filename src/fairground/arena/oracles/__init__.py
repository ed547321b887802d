"""Oracles: code-breaking games between the house, which keeps, and a client, who breaks.

==========  ================================================================================
`keeping`   how an oracle is made, asked and given up
`idle`      ends oracles that nobody plays any more
`wire`      the bodies of requests and answers
==========  ================================================================================
"""
