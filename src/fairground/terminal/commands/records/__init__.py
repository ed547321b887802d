"""Games that were played.

=========  ===============================================================================
`verify`   does a transcript hold, and what does it prove?
`replay`   a game again, step by step
`history`  your games, and how they ended
`resume`   a game that was stopped
`coach`    what each decision was worth
`learn`    positions in which you erred
=========  ===============================================================================
"""
