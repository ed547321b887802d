"""Oracles: code-breaking games between the house, which keeps, and a client, who breaks.

==========  ================================================================================
`keeping`   how an oracle is made, asked and given up
`idle`      ends oracles that nobody plays any more
`routes`    the routes; those of a contest's oracles too
`wire`      the bodies of requests and answers
`examples`  examples of them, for the OpenAPI document
==========  ================================================================================
"""
