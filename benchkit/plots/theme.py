"""One drawing for light, dark and print: colours are names until the page chooses them.

One inline SVG serves every scheme.

The palette is Okabe and Ito's, darkened or lightened until text on the page has a contrast of at
least 4.5. Worse and better are burnt orange and blue, never red and green, and never colour alone.
The first of the series is the baseline's.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import chdir, contextmanager
from contextvars import ContextVar
from importlib.util import find_spec
from pathlib import Path
from types import ModuleType, SimpleNamespace

#: name -> (light, dark); the light value is what stands in a file of its own.
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

#: Which of the two colours is drawn with; none where the page chooses.
_scheme: ContextVar[int | None] = ContextVar("scheme", default=None)
_SENTINELS = {name: f"#0a0b{number:02x}" for number, name in enumerate(PALETTE, 0xC0)}


def color(name: str) -> str:
    """Return the colour to draw with: a sentinel, or one of the two where drawing is `plain`.

    Examples
    --------
    >>> color("worse") != color("better")
    True
    """
    scheme = _scheme.get()
    return _SENTINELS[name] if scheme is None else PALETTE[name][scheme]


@contextmanager
def plain(scheme: int = 0) -> Iterator[None]:
    """Draw in the colours themselves, for a file of its own (light) or someone's own axes."""
    token = _scheme.set(scheme)
    try:
        yield
    finally:
        _scheme.reset(token)


def scheme_on(background: tuple[float, float, float, float]) -> int:
    """Tell which scheme is read on a background: 0 light, 1 dark.

    Parameters
    ----------
    background : tuple of float
        Red, green, blue and alpha, each in 0 to 1; what can be seen through counts as light.

    Examples
    --------
    >>> scheme_on((1.0, 1.0, 1.0, 1.0)), scheme_on((0.0, 0.0, 0.0, 1.0))
    (0, 1)
    """
    red, green, blue, alpha = background
    luma = 0.299 * red + 0.587 * green + 0.114 * blue
    return int(1 - alpha + alpha * luma < 0.5)


def variables() -> Iterator[tuple[str, str]]:
    """Yield (sentinel, CSS value with the light colour to fall back on)."""
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
    """Draw and save under the theme, and leave no setting behind."""
    import matplotlib as mpl

    with mpl.rc_context():
        mpl.rcdefaults()
        mpl.rc("font", family="DejaVu Sans", size=9.0)
        mpl.rc("svg", fonttype="none", hashsalt="benchkit")
        mpl.rc("path", simplify=False)
        yield


def load_matplotlib() -> None:
    """Import matplotlib for a command, without a ``matplotlibrc`` of the working folder.

    It describes no setting of its classes and knows no third dimension: it makes both while it is
    imported, which takes as long again as the rest of it. A command ends when it has drawn. Where
    matplotlib is there already, nothing changes.
    """
    spec = None if "matplotlib" in sys.modules else find_spec("matplotlib")
    if spec is None or spec.origin is None:
        return
    with chdir(Path(spec.origin).parent):  # it looks there before anywhere else
        from matplotlib import artist

    vars(artist)["kwdoc"] = lambda _: ""
    solid = ModuleType("mpl_toolkits.mplot3d")
    vars(solid)["Axes3D"] = SimpleNamespace(name="3d")  # all that is asked of it
    sys.modules.setdefault(solid.__name__, solid)
