"""A headless Chromium that opens pages from disk and records what a reader would not want.

The tests skip, with the reason, where Playwright or Chromium is not installed.
"""

import os
import shutil
from dataclasses import dataclass, field
from pathlib import Path

import pytest

CHROMIUM = ("chromium", "chromium-browser", "google-chrome")
FLAGS = """--no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking
    --disable-component-update --disable-sync""".split()
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


def recorded(browser, **options) -> Opened:
    """An empty page that records; options are those of a browser context."""
    context = browser.new_context(**options)
    context.set_default_timeout(5000)
    found = Opened(context.new_page())
    found.page.on("console", lambda message: found.messages.append(message.text))
    found.page.on("pageerror", lambda error: found.messages.append(str(error)))
    found.page.on(
        "dialog", lambda dialog: (found.messages.append(dialog.message), dialog.dismiss())
    )
    found.page.on("request", lambda request: found.requests.append(request.url.partition("#")[0]))
    return found


@pytest.fixture(scope="session")
def tab(browser):
    """The tab that the tests share, because a new one takes the browser longer than a page."""
    found = recorded(browser)
    found.page.add_init_script(VIOLATIONS)
    return found


@pytest.fixture
def opened(tab):
    """A function that opens a page anew."""

    def open_page(
        path: Path, fragment: str = "", width: int = 1280, colours: str = "light"
    ) -> Opened:
        tab.page.goto(
            "about:blank"
        )  # otherwise another fragment of the same page would not load it again
        tab.messages.clear()
        tab.requests.clear()
        tab.page.set_viewport_size({"width": width, "height": 900})
        tab.page.emulate_media(color_scheme=colours)
        tab.page.goto(path.as_uri() + fragment)
        return tab

    return open_page


@pytest.fixture
def without_scripts(browser):
    """A page whose scripts the browser blocks."""
    found = recorded(browser, java_script_enabled=False)
    yield found.page
    found.page.context.close()
