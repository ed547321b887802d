"""Players of code breaking, for both seats."""
