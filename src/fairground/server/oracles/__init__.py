"""Oracles: code-breaking games between the house, which keeps, and a client, who breaks."""
