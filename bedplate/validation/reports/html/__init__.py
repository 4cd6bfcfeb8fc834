"""The page: one self-contained HTML file, without scripts and without the network, made from one result."""

from bedplate.validation.reports.html.page import render_html

__all__ = ["render_html"]
