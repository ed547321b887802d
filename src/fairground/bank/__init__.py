"""Stakes: the Bank of the Blind Croupier, its messages, its seeds and its schemes of chance.

Play money and test chains. Nothing here is a licence to run a casino.

=====================  =====================================================================
`bank_port`            the port `Bank`: calls, accounts, games, refusals, the contract, a clock
`croupier_port`        the ports through which a Player reaches a Croupier
`calls`                calls, events and refusals as JSON
`messages`             the EIP-712 messages that the parties sign
`seeds`                commitments, mixing, `generate_int`: chance out of four signatures
`schemes`              ``croupier/1`` and the historic, unsafe ``croupier-2017/0``
`record`               the transcript of a game, made from both parties' messages
`audit`                checks records of games and sessions, and asks the Bank about them
`blind_croupier_2017`  the arithmetic of 2017, unsafe, kept to be checked against history
`crypto/`              keccak-256, ECDSA over secp256k1, key files
`chain/`               the Bank as a contract on a chain
`ledger/`              the Bank as a ledger in the store
`croupier/`            the Croupier: takes bets, writes down, acts in time
`player/`              the Player: sits down, checks both others, bets
`session/`             many hands between the two, one settlement at the Bank
=====================  =====================================================================
"""
