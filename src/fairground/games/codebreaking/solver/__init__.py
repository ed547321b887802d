"""Code breaking: what to guess next."""
