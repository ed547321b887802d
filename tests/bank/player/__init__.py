"""The Player."""
