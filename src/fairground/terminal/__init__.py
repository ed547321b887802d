"""What a person sees in a terminal: one screen per game, one module per command."""
