"""``fairground fatestones``, and FateStones as data."""
