"""Bytes of chance, schemes, seals and the vault."""
