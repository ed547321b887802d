"""Tools for authors of games and fairness schemes, in this package or in another.

==============  ===========================================================================
`laws`          what every game and every dealer must obey; `laws.check(game)` runs them all
`playthroughs`  whole games kept as files, which must come out the same to the byte
`driving`       seats that answer whatever a table asks, and `judge`, which verifies
`modes`         every way of using every fairness scheme, with fixed secrets
`toys`          a toy game that can take any shape
==============  ===========================================================================

In a test of your own game, with nothing but this package and `assert`::

    from fairground.testing import laws

    laws.check(MyGame.from_params({"size": 2}))

or one test for each law, with pytest::

    @pytest.mark.parametrize("case", laws.cases(MyGame.from_params({"size": 2})), ids=str)
    def test_law(case):
        case()

Give them a small game: one that ends after a few moves and still has all that can happen.
No other part of the package imports this one.
"""
