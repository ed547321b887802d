"""Video poker: the value of each hold of a hand, and perfect play over all deals."""
