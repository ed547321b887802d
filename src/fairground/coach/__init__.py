"""The coach: the cost of each decision of a game, and the part that chance played.

===============  ===========================================================================
`judging`        what a judge is, the judge of each game, and advice from it; start here
`review`         a whole game: costs, luck, and that they add up to the result
`report`         a review in sentences, as a chart, as an HTML page, and as JSON
`rating`         how well somebody plays: cost per game, with an interval
`learning`       positions to practise, and which of them are learnt
===============  ===========================================================================
"""
