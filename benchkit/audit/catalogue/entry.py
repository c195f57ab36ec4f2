"""One entry of the catalogue of findings: what a code says, why it matters, what to do.

The terminal, the manual and the test for unexplained codes use the same object.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Entry:
    """The explanation of one code.

    Parameters
    ----------
    code : str
        ``B310``.
    severity : str
        What its findings can be: ``warning``, ``info``, or both.
    says : str
        One line, as in the manual.
    what, why : str
        When the rule fires, with its limits; what goes wrong if it is ignored.
    example : str
        A finding as it is printed, or the data that causes it.
    do : str
        The remedy.
    """

    code: str
    severity: str
    says: str
    what: str
    why: str
    example: str
    do: str
