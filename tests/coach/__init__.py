"""The coach: judges, reviews, laws, twins."""
