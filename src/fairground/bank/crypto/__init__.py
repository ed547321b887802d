"""Keys and signatures.

=============  ================================================================================
`signatures`   keccak-256, and signatures over secp256k1
`keystore`     key files: a private key under a passphrase, in the format of wallets
`seed_cipher`  a Croupier's seeds in a database, encrypted under his key
=============  ================================================================================
"""
