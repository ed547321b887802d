"""The contract, on real EVMs and a real node."""
