"""Books, files and standings of contests."""
