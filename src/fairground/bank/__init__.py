"""Stakes: the Bank of the Blind Croupier, its messages, its seeds and its schemes of chance.

Play money and test chains. Nothing here is a licence to run a casino.
"""
