"""Solvers, each against a brute-force twin or published figures."""
