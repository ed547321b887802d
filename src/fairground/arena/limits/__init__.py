"""What one client may take, so that there is room for others; and what is counted.

==========  ================================================================================
`gate`      limits for each client; all traffic passes here
`shares`    shares of a worker's time: what a request costs is measured, and charged
`holdings`  what clients have open, at all workers
`metrics`   what is counted, for Prometheus
`counts`    numbers that outlast the worker which counts them
==========  ================================================================================
"""
