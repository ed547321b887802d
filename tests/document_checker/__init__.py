"""A second checker, written from docs/format.md, docs/rules and docs/fairness.md alone.

It imports nothing of fairground: it is the proof that the documents suffice. ``bits`` has the byte
layer and two schemes, ``rules`` the games, ``referee`` the replay, ``claims`` what is proven.
"""
