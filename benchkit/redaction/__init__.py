"""The removal of secrets from commands, URLs, names and messages, before they are shown or stored.

Only the parts of a command that are known to be harmless are shown, so that no tool's secret can
appear. In other texts a secret is recognised by the name it is assigned to, by its place in a URL,
or by its shape.
"""

from benchkit.redaction.commands import redact as redact
from benchkit.redaction.commands import redact_command as redact_command
from benchkit.redaction.commands import redact_fact as redact_fact
from benchkit.redaction.commands import redact_label as redact_label
from benchkit.redaction.commands import redact_tags as redact_tags
from benchkit.redaction.commands import redact_value as redact_value
from benchkit.redaction.marks import HIDDEN as HIDDEN
from benchkit.redaction.openings import show_opening as show_opening
from benchkit.redaction.openings import show_part as show_part
from benchkit.redaction.texts import redact_message as redact_message
from benchkit.redaction.texts import redact_name as redact_name
from benchkit.redaction.texts import redact_origin as redact_origin
from benchkit.redaction.texts import redact_quote as redact_quote
from benchkit.redaction.texts import redact_text as redact_text
