"""JSON output: in ASCII, and without numbers that JSON lacks.

Whatever names it contains, it can be written in any encoding and is harmless in terminals.
"""

from __future__ import annotations

import json
import re

from benchkit.units import SERVICE_COMMAND


def format_json(document: object, indent: int | None = 2) -> str:
    r"""Write a document; floats round-trip.

    Examples
    --------
    >>> format_json({"name": "na\xefve \udc80\x7f"}, None)
    '{"name": "na\\u00efve \\udc80\\u007f"}'
    """
    text = json.dumps(document, indent=indent, allow_nan=False).replace("\x7f", "\\u007f")
    return re.sub(SERVICE_COMMAND, r"\\u0023", text)
