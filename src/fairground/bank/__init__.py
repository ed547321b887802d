"""Stakes: the Bank of the Blind Croupier, its messages, its seeds and its schemes of chance.

Play money and test chains. Nothing here is a licence to run a casino.

=====================  =====================================================================
`bank_port`            the Bank as a port: calls, accounts, games, reasons of refusal
`croupier_port`        the Croupier as a Player reaches him, also a port
`clock`                the Bank's time, also while its clock stands still
`calls`                calls, events and refusals as JSON
`fields`               the types of their fields: which values each admits
`messages`             what the parties sign: EIP-712 messages, signatures with a low s
`seeds`                commitments, mixing, `generate_int`: chance out of four signatures
`schemes`              ``croupier/1`` and the historic, unsafe ``croupier-2017/0``
`record`               the transcript of a game, made from what both said
`audit`                whether a transcript holds, and whether the Bank settled it so
`blind_croupier_2017`  the arithmetic of 2017, unsafe, kept to be checked against history
`crypto/`              keccak-256, ECDSA over secp256k1, key files
`chain/`               the Bank as a contract on a chain
`ledger/`              the Bank as a ledger in the store
`croupier/`            the Croupier: takes bets, writes down, acts in time
`player/`              the Player: sits down, checks both others, bets
`session/`             many hands between the two, one settlement at the Bank
`prospect`             what can still come of a hand, and what stays locked for it
=====================  =====================================================================
"""
