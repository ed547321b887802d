"""Fairness: bytes of chance, the named schemes, and seals. The only place that hashes chance."""
