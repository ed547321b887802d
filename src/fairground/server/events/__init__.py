"""One event stream for everything a browser watches."""
