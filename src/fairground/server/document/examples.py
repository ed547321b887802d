"""Values that the examples in the OpenAPI document share: one consistent story.

Each room has two tables of examples: requests (``BODIES``) and answers (``ANSWERS``). Their keys
are the name of the handler, then a title for the example. Handlers without an entry in ``ANSWERS``
answer without a body. A test holds each example against its schema, and the bodies against a live
arena.
"""

from __future__ import annotations

from typing import Final

HERE: Final = "https://arena.example"
ORACLE: Final = f"{HERE}/oracle/nvxCaG_aEfFhbkKZwzhhVSvD"
CONTEST: Final = f"{HERE}/contest/X4KaYZthamIzsXqQ0ytXJllb"
TABLE: Final = f"{HERE}/tables/Oz5abI-3DWtdFQzh0QMhbVhp"
SECRET: Final = "kUceMB2HL9WtSnWhcQpzwi3p"
HEAD: Final = "c959ea5bd6d28ffd7672d64998e964aa60b5cc9b1619dd84bf39625055ee04cb"
NOTHING: Final = "0" * 64
LINE: Final = f'{{"kind":"move","move":"roll","prev":"{HEAD}","seat":1}}\n'
"""One line of a transcript."""
