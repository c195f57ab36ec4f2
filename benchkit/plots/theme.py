"""One drawing for light, dark and print: colours are names until the page chooses them.

One inline SVG serves every scheme.

The palette is Okabe and Ito's, darkened or lightened until text on the page has a contrast of at
least 4.5. Worse and better are burnt orange and blue, never red and green, and never colour alone.
The first colour of the series is the baseline's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

#: name -> (light, dark); separate files use the light value.
PALETTE = {
    "ink": ("#1f2328", "#e6edf3"),
    "muted": ("#57606a", "#9aa7b4"),
    "rule": ("#d0d7de", "#313a44"),
    "band": ("#eef1f4", "#1c232b"),
    "paper": ("#ffffff", "#0f1419"),
    "worse": ("#b34700", "#f0904f"),
    "better": ("#0072b2", "#56b4e9"),
    "same": ("#57606a", "#9aa7b4"),
    "series0": ("#57606a", "#9aa7b4"),
    "series1": ("#0072b2", "#56b4e9"),
    "series2": ("#b34700", "#f0904f"),
    "series3": ("#007a5a", "#2fc79a"),
    "series4": ("#a3407f", "#e59ac4"),
}

#: The index of the colours to draw with; None if the page chooses.
_scheme: ContextVar[int | None] = ContextVar("scheme", default=None)
_SENTINELS = {name: f"#0a0b{number:02x}" for number, name in enumerate(PALETTE, 0xC0)}


def color(name: str) -> str:
    """Return the colour to draw with: a sentinel, or one of the two if drawing is `plain`.

    Examples
    --------
    >>> color("worse") != color("better")
    True
    """
    scheme = _scheme.get()
    return _SENTINELS[name] if scheme is None else PALETTE[name][scheme]


@contextmanager
def plain(scheme: int = 0) -> Iterator[None]:
    """Draw in real colours, for a separate file (light) or for given axes."""
    token = _scheme.set(scheme)
    try:
        yield
    finally:
        _scheme.reset(token)


def scheme_on(background: tuple[float, float, float, float]) -> int:
    """Return which scheme suits a background: 0 light, 1 dark.

    Parameters
    ----------
    background : tuple of float
        Red, green, blue and alpha, each in 0 to 1; a transparent one counts as light.

    Examples
    --------
    >>> scheme_on((1.0, 1.0, 1.0, 1.0)), scheme_on((0.0, 0.0, 0.0, 1.0))
    (0, 1)
    """
    red, green, blue, alpha = background
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return int(1 - alpha + alpha * luma < 0.5)


def variables() -> Iterator[tuple[str, str]]:
    """Yield (sentinel, CSS value with the light colour as fallback)."""
    for name, sentinel in _SENTINELS.items():
        yield sentinel, f"var(--bk-{name}, {PALETTE[name][0]})"


def declare(scheme: int) -> str:
    """Write the CSS declarations of one scheme: 0 light, 1 dark.

    Examples
    --------
    >>> declare(0).split(";")[0]
    '--bk-ink: #1f2328'
    """
    return "; ".join(f"--bk-{name}: {colors[scheme]}" for name, colors in PALETTE.items())


@contextmanager
def applied() -> Iterator[None]:
    """Draw and save with the theme, and restore all settings."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rc("font", family="DejaVu Sans", size=9.0)
        mpl.rc("svg", fonttype="none", hashsalt="benchkit")
        mpl.rc("path", simplify=False)
        yield


def load_matplotlib() -> None:
    """Import matplotlib for a command, ignoring a ``matplotlibrc`` in the working folder.

    Descriptions of its settings and 3D axes are skipped: creating both during the import would
    double its time. A command ends after drawing. If matplotlib is already imported, nothing
    changes.
    """
    spec = None if "matplotlib" in sys.modules else find_spec("matplotlib")
    if spec is None or spec.origin is None:
        return
    with chdir(Path(spec.origin).parent):  # it looks there first
        from matplotlib import artist

    vars(artist)["kwdoc"] = lambda _: ""
    solid = ModuleType("mpl_toolkits.mplot3d")
    vars(solid)["Axes3D"] = SimpleNamespace(name="3d")  # the only part that is used
    sys.modules.setdefault(solid.__name__, solid)
