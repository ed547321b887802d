"""The Blind Croupier and his Bank, over HTTP.

==================  ========================================================================
`opened`            Bank and Croupier: opened with the arena, and closed with it
`routes`            the Croupier's desk, game by game
`wire`              what he says: the bodies of his requests and answers
`session_routes`    his desk for sessions: many hands, one settlement
`session_wire`      what is said in a session
`bank_routes`       the Bank in a ledger
`bank_wire`         what that Bank says
`examples`          the beginning of one game, for the OpenAPI document
`session_examples`  and of one session
`showing`           how far a game is, in words
==================  ========================================================================
"""
