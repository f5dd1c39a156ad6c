"""A headless Chromium that opens pages from disk and records what a reader would not want.

The tests skip, with the reason, where Playwright or Chromium is not installed.
"""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = [
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
]
VIOLATIONS = """
window.violations = [];
document.addEventListener("securitypolicyviolation", (event) => {
  window.violations.push(event.violatedDirective);
});
"""


@pytest.fixture(scope="session")
def browser():
    playwright = pytest.importorskip("playwright.sync_api", reason="Playwright is not installed")
    program = os.environ.get("CHROMIUM") or next(filter(None, map(shutil.which, CHROMIUM)), None)
    if program is None:
        pytest.skip("Chromium is not installed")
    with playwright.sync_playwright() as running:
        started = running.chromium.launch(executable_path=program, args=FLAGS)
        yield started
        started.close()


@dataclass
class Opened:
    """A page, and what went wrong on it: messages of the console, requests, and blocked content."""

    page: object
    messages: list = field(default_factory=list)
    requests: list = field(default_factory=list)

    def check(self, path: Path) -> None:
        assert self.messages == []
        assert self.requests == [path.as_uri()]
        assert self.page.evaluate("window.violations ?? []") == []


@pytest.fixture
def opened(browser):
    """A function that opens a page; options are those of a browser context."""
    contexts = []

    def open_page(path: Path, fragment: str = "", **options) -> Opened:
        context = browser.new_context(**{"viewport": {"width": 1280, "height": 900}, **options})
        context.set_default_timeout(5000)
        contexts.append(context)
        found = Opened(context.new_page())
        found.page.on("console", lambda message: found.messages.append(message.text))
        found.page.on("pageerror", lambda error: found.messages.append(str(error)))
        found.page.on("dialog", lambda dialog: (found.messages.append(dialog.message), dialog.dismiss()))
        found.page.on("request", lambda request: found.requests.append(request.url.partition("#")[0]))
        if options.get("java_script_enabled", True):
            found.page.add_init_script(VIOLATIONS)
        found.page.goto(path.as_uri() + fragment)
        return found

    yield open_page
    for context in contexts:
        context.close()
