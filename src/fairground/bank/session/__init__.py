"""Sessions of the Blind Croupier: many hands between two parties, one settlement at the Bank.

docs/games/croupier-sessions.md is the specification. Start with `player`.
"""
