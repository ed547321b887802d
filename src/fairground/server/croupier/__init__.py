"""The Blind Croupier and his Bank, over HTTP."""
