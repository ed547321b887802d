"""Keys and signatures.

=============  ================================================================================
`curve`        keccak-256 and ECDSA over secp256k1, with or without the extra ``chain``
`keystore`     key files: a private key under a passphrase, in the format of wallets
`seed_cipher`  a Croupier's seeds in a database, encrypted under his key
=============  ================================================================================
"""
