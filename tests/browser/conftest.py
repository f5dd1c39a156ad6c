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
    installed = [name for name in CHROMIUM if shutil.which(name)]
    program = os.environ.get("CHROMIUM")
    if not program and not installed:
        pytest.skip("Chromium is not installed")
    if not program:
        program = shutil.which(installed[0])
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
    tab = Opened(context.new_page())

    def on_console(message):
        tab.messages.append(message.text)

    def on_error(error):
        tab.messages.append(str(error))

    def on_dialog(dialog):
        tab.messages.append(dialog.message)
        dialog.dismiss()

    def on_request(request):
        tab.requests.append(request.url.partition("#")[0])

    tab.page.on("console", on_console)
    tab.page.on("pageerror", on_error)
    tab.page.on("dialog", on_dialog)
    tab.page.on("request", on_request)
    return tab


@pytest.fixture(scope="session")
def tab(browser):
    """The tab that the tests share, because a new one takes the browser longer than a page."""
    shared = recorded(browser)
    shared.page.add_init_script(VIOLATIONS)
    return shared


@pytest.fixture
def opened(tab):
    """A function that opens a page anew."""

    def open_page(
        path: Path, fragment: str = "", width: int = 1280, colours: str = "light"
    ) -> Opened:
        # Another fragment of the same page would not load it again.
        tab.page.goto("about:blank")
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
    page = recorded(browser, java_script_enabled=False).page
    yield page
    page.context.close()
