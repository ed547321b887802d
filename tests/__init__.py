"""The suite, in rooms that mirror ``src/fairground``. Helpers are in `helpers`, fixed games in
``playthroughs/`` and ``vectors/``."""
