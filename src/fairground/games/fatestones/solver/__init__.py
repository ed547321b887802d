"""FateStones: which die to pick."""
