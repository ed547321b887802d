"""The Blind Croupier and his Bank, over HTTP.

=============  =============================================================================
`opened`       Bank and Croupier: opened with the arena, and closed with it
`routes`       the Croupier's desk
`wire`         what he says: the bodies of his requests and answers
`bank_routes`  the Bank in a ledger
`bank_wire`    what that Bank says
`examples`     the beginning of one game, for the OpenAPI document
=============  =============================================================================
"""
