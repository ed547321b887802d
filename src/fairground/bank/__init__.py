"""Stakes: the Bank of the Blind Croupier, its messages, its seeds and its schemes of chance.

Play money and test chains. Nothing here is a licence to run a casino.

===============  =========================================================================
`curve`          keccak-256 and ECDSA over secp256k1, with or without the extra ``chain``
`wire`           what the parties sign: EIP-712 messages, keys, signatures with a low s
`seeds`          commitments, mixing, `generate_int`: chance out of four signatures
`dealers`        ``croupier/1`` and the historic, unsafe ``croupier-2017/0``
`history`        the arithmetic of 2017, unsafe, kept to be checked against history
`artifact`       the compiled contract, and whether a chain runs just that
`abi`            calls, results, errors and events of the contract as bytes
`chain`          a node of any chain over JSON-RPC
`outbox`         the transactions of one account: nonces in order, no call made twice
`chain_bank`     the Bank as a contract on a chain
`embedded`       a chain in this process, with play money
`keystore`       key files: a private key under a passphrase, as wallets have them
`port`           the Bank as a port: calls, accounts, games, reasons of refusal
`calls`          calls, events and refusals as JSON, and which values they admit
`rules`          the contract's rules in plain Python, by double entry
`ledger_lines`   a ledger's lines: a Bank's history, which anyone can run again
`ledger`         the Bank in a ledger, in the store
`ledger_client`  the same over HTTP
`desk`           the Croupier as a Player reaches him, also a port
`desk_client`    the same over HTTP
`croupier`       the Croupier: what he takes, and what he refuses
`journal`        what he writes down before he acts
`duties`         what he has to do next: a pure function of his journal and the Bank
`tending`        doing it, game by game
`rounds`         how he finds time for all of them
`sights`         what he may show of a game
`record`         the transcript of a game, made from what both said
`player`         the Player: sits down, checks both others, bets
`players_game`   one game of the Player's, led by what the Bank says
`witness`        what the Player knows for certain, against what the Bank says
`notebook`       what the Player must still know after a crash
`telling`        what a Player's client tells while it plays
`audit`          whether a transcript holds, and whether the Bank settled it so
===============  =========================================================================
"""
