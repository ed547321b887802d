"""``python -m fairground``: the same as the command ``fairground``."""

import sys

from fairground.cli import main

sys.exit(main())
