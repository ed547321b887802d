"""The Bank as a contract on a chain.

============  ==============================================================================
`contracts/`  the contract's source, and the compiler's output
`abi`         calls, results, errors and events of the contract as bytes
`gas`         gas limits of the calls, measured gas, and fees
`node`        the port `Node`, and `ChainNode`: a node of any chain over JSON-RPC
`outbox`      the transactions of one account: nonces in order, no call made twice
`bank`        the port of the Bank on such a node
`watchtower`  ends games and sessions for parties that are away
============  ==============================================================================
"""
