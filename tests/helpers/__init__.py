"""What several tests need: real servers, terminals and chains, houses that cheat, small games."""
