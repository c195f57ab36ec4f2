"""A page in Chromium: its messages and its requests."""

from __future__ import annotations

from pathlib import Path
from typing import Literal

from playwright.sync_api import BrowserContext, Page

SCHEMES: tuple[Literal["light", "dark"], ...] = ("light", "dark")


class Visit:
    """A page, with its messages and requests while it was open."""

    def __init__(self, context: BrowserContext, path: Path) -> None:
        self.page: Page = context.new_page()
        self.said: list[str] = []
        self.fetched: list[str] = []
        self.page.on("console", lambda message: self.said.append(message.text))
        self.page.on("pageerror", lambda error: self.said.append(str(error)))
        self.page.on("dialog", lambda dialog: self.said.append(dialog.message))
        self.page.on("request", lambda request: self.fetched.append(request.url))
        self.page.goto(path.as_uri())
