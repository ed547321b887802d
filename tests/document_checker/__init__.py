"""A second checker, written from docs/format.md, docs/rules, docs/fairness.md and
docs/contest-file.md alone.

It imports nothing of fairground: it is the proof that the documents suffice. ``bits`` has the byte
layer and three schemes, ``rules`` the games, ``referee`` the replay, ``claims`` what is proven,
``contest`` the contest file.
"""
