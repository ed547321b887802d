"""The arena over HTTP, as its clients meet it."""
