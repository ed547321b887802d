"""``fairground zombie`` and ``fairground solve zombie``."""
