"""The Blind Croupier and his Bank, over HTTP.

=============  =================================================================================
`opened`       Bank and Croupier: opened and closed with the arena
`routes`       the Croupier's desk: single games and sessions
`bank_routes`  the Bank in a ledger
`wire`         bodies of requests and answers, with their examples
=============  =================================================================================
"""
