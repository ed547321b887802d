"""``fairground codebreaking``: find the keeper's code, or keep one from the solver.

=========  ===============================================================================
`command`  the command and its options
`screen`   breaking a code at the keyboard
`keeper`   keeping a code in your head while the solver asks
`look`     the board, for terminals of any width
`input`    codes, answers and sizes as people type them
`words`    what a keeper commits to, the help at prompts
=========  ===============================================================================
"""
