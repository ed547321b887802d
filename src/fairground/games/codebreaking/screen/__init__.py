"""``fairground codebreaking``: find the keeper's code, or keep one from the solver.

=========  ===============================================================================
`command`  the command and its options
`screen`   breaking a code: what is typed, the board, help at prompts
`keeper`   keeping a code in your head while the solver asks
`solve`    ``fairground solve codebreaking``
=========  ===============================================================================
"""
