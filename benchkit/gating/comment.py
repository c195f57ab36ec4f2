"""The body of a pull request's comment that is updated in place.

One comment that changes is read, one more with every push is not; the marker tells the step that
posts it which comment is its own.
"""

from __future__ import annotations

from benchkit.gating.markdown import to_markdown
from benchkit.gating.result import GateResult

MARKER = "<!-- benchkit-gate -->"


def to_comment(result: GateResult) -> str:
    """Write the comment's body."""
    return f"{MARKER}\n{to_markdown(result)}"
