"""The coach: the cost of each decision of a game, and the part that chance played."""
