"""The Bank as a contract on a chain.

============  ==============================================================================
`contracts/`  the contract's source, and what the compiler made of it
`artifact`    the compiled contract, and whether a chain runs just that
`abi`         calls, results, errors and events of the contract as bytes
`gas`         how much gas a call may use, and what it may cost
`node_port`   what the Bank needs of a node
`node`        a node of any chain over JSON-RPC
`outbox`      the transactions of one account: nonces in order, no call made twice
`bank`        the port of the Bank on such a node
`embedded`    a chain in this process, with play money
============  ==============================================================================
"""
