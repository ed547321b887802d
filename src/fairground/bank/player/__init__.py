"""The Player, who trusts neither Croupier nor Bank. Start with `player`."""
