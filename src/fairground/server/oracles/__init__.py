"""Oracles: code-breaking games between the house, which keeps, and a client, who breaks.

=========  =====================================================================================
`service`  makes oracles, answers submissions, ends idle games
`routes`   the handlers, also for the oracles of a contest
`wire`     bodies of requests and answers, with their examples
=========  =====================================================================================
"""
