"""Rules over runs, observations and comparisons: what the reader of a result has to know."""

from __future__ import annotations

from benchkit.audit.rules import RULES as RULES
from benchkit.audit.rules import audit as audit
from benchkit.audit.rules import check as check
