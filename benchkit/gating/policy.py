"""The policy of a gate: rules, and the defaults for everything else.

Command line, file and notebook name the same settings in different ways, but interpret them here.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import TYPE_CHECKING

from benchkit import config
from benchkit.config.files import unknown
from benchkit.config.rules import ACTIONS, Habits, Rule, parse_overheads
from benchkit.errors import ConfigError

if TYPE_CHECKING:
    from benchkit.config import Settings


@dataclass(frozen=True, slots=True, kw_only=True)
class Policy:
    """A gate's rules and habits.

    Parameters
    ----------
    rules : tuple of Rule
        If empty, no primary row may be a regression.
    settings : Settings
        Confidence, margin, blocks, title and primaries.
    is_overridden : bool
        Whether its rules are limits from the command line.
    """

    rules: tuple[Rule, ...]
    habits: Habits
    settings: Settings
    is_overridden: bool = False

    @classmethod
    def of(cls, source: Policy | Settings | Mapping[str, object] | str | Path) -> Policy:
        """Build a policy from its source: settings, a parsed table, or a file.

        Raises
        ------
        ConfigError
            If it is none of these, the file cannot be read, or a key or value is unknown.

        Examples
        --------
        >>> rules = [{"metric": "latency.p50", "acceptable": "5%"}]
        >>> Policy.of({"gate": rules}).rules[0].limit.value
        0.05
        """
        if isinstance(source, Policy):
            return source
        if isinstance(source, Mapping):
            source = replace(config.parse(source, where="policy"), is_empty=False)  # {}: defaults
        elif isinstance(source, str | Path):
            source = config.load(Path(), Path(source))
        elif not isinstance(source, config.Settings):
            raise ConfigError(
                f"expected a policy, got {type(source).__name__}",
                where="policy",
                hint='pass a path, a mapping such as {"gate": […]}, or {} for the defaults',
            )
        return cls(rules=source.rules, habits=source.habits, settings=source)

    def override(
        self, max_overhead: Sequence[str] = (), on_inconclusive: str | None = None
    ) -> Policy:
        """Return the policy with limits replacing its rules, and one action for all of them."""
        changed = self
        if on_inconclusive is not None:
            if on_inconclusive not in ACTIONS:
                raise unknown("value", on_inconclusive, ACTIONS, "--on-inconclusive")
            word = {"on_inconclusive": on_inconclusive}
            changed = replace(
                self,
                habits=replace(self.habits, **word),  # type: ignore[arg-type]
                rules=tuple(replace(rule, **word) for rule in self.rules),  # type: ignore[arg-type]
            )
        if max_overhead:
            kept = dict.fromkeys(one for rule in changed.rules for one in rule.accept)
            habits = replace(changed.habits, accept=(*changed.habits.accept, *kept))
            rules = parse_overheads(max_overhead, habits)
            changed = replace(changed, rules=rules, is_overridden=True)
        return changed

    def refuse_empty(self) -> None:
        """Refuse an empty file: its author intended a limit."""
        if self.settings.is_empty and not self.is_overridden:
            what, hint = "it is empty, so no limit is set", "add [[gate]], or remove it"
            raise ConfigError(what, where=self.settings.source, hint=hint)

    @property
    def origin(self) -> str:
        """The origin of the rules, in words."""
        file, unread = self.settings.source, self.settings.unread
        file += f" (ignoring {unread})" if unread else ""
        if self.is_overridden:
            return f"limits from --max-overhead{f', else {file}' if file else ''}"
        if not file:
            return "no policy found: the default rule"
        return file if self.rules else f"{file} sets no limit: the default rule"

    @property
    def metrics(self) -> tuple[str, ...]:
        """The metrics it needs, in the form that `RunSet.compare` takes."""
        if not self.rules:
            return self.settings.metrics
        return tuple(dict.fromkeys(rule.label for rule in self.rules))
