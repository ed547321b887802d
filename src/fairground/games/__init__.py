"""The rule books. Each imports nothing of ours but `core`."""
