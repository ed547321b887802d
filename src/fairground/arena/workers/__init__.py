"""Several workers of one arena: who keeps which game, and what they tell each other.

===============  ===========================================================================
`owners`         which worker keeps a game, by its name
`links`          calls from worker to worker, over sockets in a private folder
`handing_over`   a request goes to the worker that keeps its game
`parent`         starts the workers, watches them and replaces one that has died
===============  ===========================================================================

Nothing depends on who keeps a game but speed: the store refuses a commit to a log that has moved
on, whoever sends it. So a request whose keeper is away is served where it came in.
"""
