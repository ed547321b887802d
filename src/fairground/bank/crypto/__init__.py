"""Keys, signatures and encrypted seeds."""
