"""The common part of all screens in a terminal.

===============  =========================================================================
`console`        lines and keys in, lines out; width, signs and colours; parsers
`sitting`        the core of every screen: ask, stir, seal, leave; a screen for any game
`evening`        who sits where, tables that can be resumed, one more game, matches
`records`        kept games in words, and what a record proves
`files`          the user's folders, transcripts and vaults
`options`        options that several commands share; the user's config file
`waiting`        progress bars and spinners for long work
`background`     an event loop in a thread, for parties that act while a person thinks
`croupier/`      ``fairground croupier``
===============  =========================================================================
"""
