"""The arena: oracles, contests and tables over HTTP, on the same referee as everything else."""
