# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Controls Firefox with WebDriver BiDi (https://www.w3.org/TR/webdriver-bidi/), which it supports without geckodriver.

It implements the part of selenium's interface that web_journey.py uses. wsproto comes with Debian's python3-selenium.
"""

import base64
import json
import pathlib
import re
import select
import shutil
import socket
import subprocess
import time

from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, NoSuchElementException, StaleElementReferenceException,
    WebDriverException)
from selenium.webdriver.common.keys import Keys
from wsproto import ConnectionType, WSConnection
from wsproto.connection import ConnectionState
from wsproto.events import CloseConnection, Request, TextMessage

PROGRAM = shutil.which("firefox-esr") or shutil.which("firefox")
# The timeouts of an answer and of loading a page, in seconds.
PATIENCE = 60
# The seconds within which a click or a key starts to load another page, as in geckodriver.
BEGINNING = 0.2
ERRORS = {"no such node": StaleElementReferenceException, "stale element reference": StaleElementReferenceException}
ENDS = ("load", "navigationFailed", "downloadWillBegin")
# Scrolls an element into view, and returns the reason if it cannot be clicked. An option has no position outside its list.
PREPARE_CLICK = """
if (element.localName === "option") {
  const list = element.closest("select");
  list.value = element.value;
  for (const name of ["input", "change"]) list.dispatchEvent(new Event(name, { bubbles: true }));
  return "chosen";
}
element.scrollIntoView({ behavior: "instant", block: "center" });
const [box] = element.getClientRects();
if (!box || !box.width || !box.height) return "hidden";
const top = document.elementFromPoint(box.x + box.width / 2, box.y + box.height / 2);
return element.contains(top) ? "ready" : "covered";
"""
# Keys are appended to existing text. Number and e-mail fields have no selection.
PREPARE_KEYS = """
element.scrollIntoView({ behavior: "instant", block: "center" });
if (element !== document.activeElement) {
  element.focus();
  try { element.setSelectionRange(element.value.length, element.value.length); } catch {}
}
return element === document.activeElement;
"""
# The preference affects the page some time after it was set.
AWAIT_SCHEME = """
const [scheme, done] = arguments;
const query = matchMedia(`(prefers-color-scheme: ${scheme})`);
if (query.matches) done();
else query.addEventListener("change", done, { once: true });
"""


class Element:
    def __init__(self, driver, reference):
        self.driver, self.reference = driver, reference

    def run(self, body, *words):
        return self.driver.execute_script(f"const [element, name] = arguments; {body}", self, *words)

    @property
    def text(self):
        return self.run("return element.checkVisibility() ? element.innerText.trim() : ''")

    def get_property(self, name):
        return self.run("return element[name]", name)

    def get_attribute(self, name):
        return self.run("return element.getAttribute(name)", name)

    def clear(self):
        self.run("element.focus(); element.value = '';"
                 "for (const name of ['input', 'change']) element.dispatchEvent(new Event(name, { bubbles: true }))")

    def click(self):
        for is_last in (False, False, True):
            state = self.run(PREPARE_CLICK)
            if state == "hidden":
                raise ElementNotInteractableException(str(self.reference))
            if state == "covered":
                raise ElementClickInterceptedException(str(self.reference))
            if state != "ready":
                return
            try:
                self.driver.perform("pointer", [
                    {"type": "pointerMove", "x": 0, "y": 0, "origin": {"type": "element", "element": self.reference}},
                    {"type": "pointerDown", "button": 0}, {"type": "pointerUp", "button": 0}])
                return
            except WebDriverException as failure:
                # A picture that was loaded since then has moved the element.
                if is_last or "out of bounds" not in str(failure):
                    raise

    def send_keys(self, *words):
        text = "".join(words)
        if self.get_property("type") == "file":
            self.driver.send("input.setFiles", context=self.driver.window, element=self.reference, files=[text])
            return
        if not self.run(PREPARE_KEYS):
            raise ElementNotInteractableException(str(self.reference))
        keys = text.replace("\n", Keys.ENTER)
        self.driver.perform("key", [{"type": kind, "value": key} for key in keys for kind in ("keyDown", "keyUp")])


class SwitchTo:
    def __init__(self, driver):
        self.driver = driver

    @property
    def active_element(self):
        return Element(self.driver, {"sharedId": self.driver.call("() => document.activeElement")["sharedId"]})

    def window(self, window):
        self.driver.window = window
        self.driver.send("browsingContext.activate", context=window)
        # Otherwise the address field has the focus, and no page shows its own.
        self.driver.evaluate_in_program("focus(); gBrowser.selectedBrowser.focus()")

    def new_window(self, kind):
        self.window(self.driver.send("browsingContext.create", type=kind)["context"])


class Firefox:
    def __init__(self, profile):
        profile = pathlib.Path(profile)
        profile.mkdir()
        log = profile / "log"
        with log.open("w") as file:
            # The colour scheme is a preference, which can only be changed with system access while Firefox runs.
            self.process = subprocess.Popen(
                (PROGRAM, "--headless", "--no-remote", "--profile", profile, "--remote-debugging-port", "0",
                 "--remote-allow-system-access"), stdout=file, stderr=file)
        self.loading, self.answers, self.last, self.text = {}, {}, 0, ""
        try:
            self.connect(log)
            self.capabilities = self.send("session.new", capabilities={})["capabilities"]
            self.send("session.subscribe", events=[f"browsingContext.{name}" for name in ("navigationStarted", *ENDS)])
            self.switch_to = SwitchTo(self)
            self.switch_to.window(self.window_handles[0])
        except BaseException:
            self.process.kill()
            raise

    def connect(self, log):
        end = time.monotonic() + PATIENCE
        while not (found := re.search(r"BiDi listening on ws://127\.0\.0\.1:(\d+)\n", log.read_text())):
            if self.process.poll() is not None or time.monotonic() > end:
                raise WebDriverException(f"Firefox did not start: {log.read_text()}")
            time.sleep(0.1)
        self.socket = socket.create_connection(("127.0.0.1", int(found[1])), timeout=PATIENCE)
        self.connection = WSConnection(ConnectionType.CLIENT)
        self.socket.sendall(self.connection.send(Request(host=f"127.0.0.1:{found[1]}", target="/session")))
        while self.connection.state is ConnectionState.CONNECTING:
            self.read()

    def read(self):
        """Waits for a message from Firefox, and records answers and loads."""
        self.connection.receive_data(self.socket.recv(1 << 20) or None)
        for event in self.connection.events():
            if isinstance(event, TextMessage):
                self.text += event.data
                if event.message_finished:
                    message, self.text = json.loads(self.text), ""
                    self.note(message)
            elif isinstance(event, CloseConnection):
                raise WebDriverException(f"Firefox ended the connection: {event}")

    def note(self, message):
        if "method" not in message:
            self.answers[message["id"]] = message
            return
        window, navigation = message["params"]["context"], message["params"]["navigation"]
        if message["method"].endswith("navigationStarted"):
            self.loading[window] = navigation
        # A navigation that another one replaced also ends, and one that began before the subscription has no identifier.
        elif (window, navigation) in self.loading.items():
            del self.loading[window]

    def read_until(self, condition, seconds):
        end = time.monotonic() + seconds
        while not condition() and select.select([self.socket], [], [], max(0, end - time.monotonic()))[0]:
            self.read()

    def send(self, method, **parameters):
        self.last += 1
        number = self.last
        self.socket.sendall(self.connection.send(
            TextMessage(json.dumps({"id": number, "method": method, "params": parameters}))))
        while number not in self.answers:
            self.read()
        answer = self.answers.pop(number)
        if answer["type"] == "error":
            raise ERRORS.get(answer["error"], WebDriverException)(f"{method}: {answer['error']}: {answer['message']}")
        return answer["result"]

    def wait_for_load(self):
        self.read_until(lambda: self.window not in self.loading, PATIENCE)

    def perform(self, kind, actions):
        self.send("input.performActions", context=self.window, actions=[{"type": kind, "id": kind, "actions": actions}])
        self.read_until(lambda: self.window in self.loading, BEGINNING)
        self.wait_for_load()

    def call(self, function, *values):
        """Calls a function in the page, and returns its result in BiDi's format."""
        self.wait_for_load()
        answer = self.send(
            "script.callFunction", functionDeclaration=function, target={"context": self.window}, awaitPromise=True, arguments=[
                value.reference if isinstance(value, Element) else {"type": "string", "value": value}
                for value in values])
        if answer["type"] == "exception":
            raise WebDriverException(answer["exceptionDetails"]["text"])
        return answer["result"]

    def execute_async_script(self, body, *values):
        """Runs a function body in the page, whose last argument receives the result."""
        text = self.call(
            f"function() {{ return new Promise((done) => (function() {{ {body}\n}}).apply(window, [...arguments, done]))"
            ".then(JSON.stringify); }", *values)
        return json.loads(text.get("value", "null"))

    def execute_script(self, body, *values):
        return self.execute_async_script(
            f"[...arguments].at(-1)((function() {{ {body}\n}}).apply(window, arguments))", *values)

    def evaluate_in_program(self, expression):
        """Evaluates an expression in the window around the pages."""
        window = self.send("browsingContext.getTree", maxDepth=0, **{"moz:scope": "chrome"})["contexts"][0]["context"]
        return self.send("script.evaluate", target={"context": window}, awaitPromise=False, expression=expression)

    def find_elements(self, _, selector):
        self.wait_for_load()
        nodes = self.send("browsingContext.locateNodes", context=self.window, locator={"type": "css", "value": selector})
        return [Element(self, {"sharedId": node["sharedId"]}) for node in nodes["nodes"]]

    def find_element(self, by, selector):
        for element in self.find_elements(by, selector):
            return element
        raise NoSuchElementException(selector)

    def get(self, url):
        self.send("browsingContext.navigate", context=self.window, url=url, wait="complete")

    def refresh(self):
        self.send("browsingContext.reload", context=self.window, wait="complete")

    def back(self):
        # Unlike browsingContext.traverseHistory, this is not an error at the first entry.
        self.execute_script("history.back()")

    def close(self):
        self.send("browsingContext.close", context=self.window)

    def quit(self):
        try:
            self.send("browser.close")
            self.process.wait(timeout=PATIENCE)
        finally:
            self.process.kill()

    current_url = property(lambda self: self.execute_script("return location.href"))
    title = property(lambda self: self.execute_script("return document.title"))
    page_source = property(lambda self: self.execute_script("return document.documentElement.outerHTML"))
    current_window_handle = property(lambda self: self.window)
    window_handles = property(lambda self: [
        tree["context"] for tree in self.send("browsingContext.getTree", maxDepth=0)["contexts"]])

    def save_screenshot(self, path):
        picture = self.send("browsingContext.captureScreenshot", context=self.window)["data"]
        pathlib.Path(path).write_bytes(base64.b64decode(picture))

    def resize(self, width, height):
        self.send("browsingContext.setViewport", context=self.window, devicePixelRatio=1,
                  viewport={"width": width, "height": height})

    def prefer_color_scheme(self, scheme):
        value = ("dark", "light").index(scheme)
        self.evaluate_in_program(f"Services.prefs.setIntPref('layout.css.prefers-color-scheme.content-override', {value})")
        self.execute_async_script(AWAIT_SCHEME, scheme)

    def save_downloads(self, folder):
        self.send("browser.setDownloadBehavior", downloadBehavior={"type": "allowed", "destinationFolder": str(folder)})

    def ignore_certificate_errors(self):
        """Continues in a tab that accepts every certificate; the previous tabs do not."""
        user = self.send("browser.createUserContext", acceptInsecureCerts=True)["userContext"]
        self.switch_to.window(self.send("browsingContext.create", type="tab", userContext=user)["context"])
