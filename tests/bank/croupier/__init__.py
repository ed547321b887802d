"""The Croupier."""
