"""The coach: what each decision of a game was worth, and what chance did.

===============  ===========================================================================
`judging`        what a judge is, and who judges which game; start here
`reviewing`      a whole game: costs, luck, and that they add up to the result
`sources`        from a transcript to a review
`luck`           how odd a run of luck was
`shape`          a review as JSON
`telling`        a review in sentences
`advice`         what to do now, and why: the hints
`rating`         how well somebody plays: cost per game, with an interval
`learning`       positions to practise on, and what one has learnt
`chart`          a review as a chart: in letters, and as SVG
`page`           a review as one HTML file
`judges/`        one for each game: what a state, a move and a draw are worth
===============  ===========================================================================
"""
