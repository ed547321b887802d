"""Tables: any game of ours, with people, remote programs and our own players in its seats."""
