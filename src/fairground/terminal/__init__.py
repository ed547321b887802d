"""What a person sees in a terminal: a folder for each game, and one for the commands.

===============  =========================================================================
`console`        lines out, lines in, whether it is a terminal or a pipe
`ink`            what this terminal can show: its width, its signs, its colours
`phrases`        fractions as people write them
`waiting`        bars and wheels for long work
`options`        options that several commands take
`defaults`       the user's config file
`places`         where a user's files belong on this platform
`proof`          the end of every game: what its record proves
`keys`           keys one by one; what was typed too early is forgotten
`shelf`          the games that are kept, in words
`saving`         where transcripts go, line by line while the game goes on
`seat`           the kernel of every screen: ask, stir, seal, leave
`plain_screen`   a screen for any game, made of its declarations and words
`evening/`       tables that outlast the program, who sits where, once more, matches
`background`     parties that act while a person thinks: an event loop in a thread
`intransitive/`  ``fairground dice``
`codebreaking/`  ``fairground codebreaking``
`zombie/`        ``fairground zombie``
`fatestones/`    ``fairground fatestones``
`croupier/`      ``fairground croupier``
`commands/`      all other commands
===============  =========================================================================
"""
