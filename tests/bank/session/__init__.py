"""Sessions as programs."""
