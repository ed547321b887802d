"""What a move is worth: one module per game, exact where the game allows."""
