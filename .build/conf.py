"""The settings of the manual's site, which `nox -s docs` builds."""

from benchkit import __version__

project = "benchkit"
release = __version__
extensions = ["myst_nb", "sphinx.ext.autodoc", "numpydoc"]
numpydoc_show_class_members = False
html_title = f"benchkit {__version__}"
html_theme = "pydata_sphinx_theme"
html_theme_options = {"show_toc_level": 2, "secondary_sidebar_items": ["page-toc"]}
html_show_sourcelink = False
html_copy_source = False
default_role = "literal"
smartquotes = False
autodoc_typehints = "signature"
myst_enable_extensions = ["deflist"]
numpydoc_show_class_members = False
myst_heading_anchors = 3
nb_execution_mode = "off"  # the tests run the notebooks, which keep their outputs
suppress_warnings = ["misc.highlighting_failure"]
