#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
# SPDX-FileCopyrightText: The Countersign authors

"""Uses the web application with the lab in a browser, as a user does.

It fetches a picture behind Basic and one from a server that is not trusted, answers the dialogs, changes the settings, keeps a
picture as a present and an anchor and identities in a new keychain, and starts the application's lab. Each page is
checked with axe-core in light and dark, 1280 and 360 pixels wide.
Usage: Conformance/Interop/web_journey.py --web PROGRAM --command PROGRAM --axe FILE [--browser chromium|firefox] [--screenshots FOLDER]
"""

import argparse
import base64
import contextlib
import http.server
import json
import os
import pathlib
import struct
import subprocess
import sys
import tempfile
import threading
import time
import urllib.parse
import zlib

from firefox import Firefox
from selenium import webdriver
from selenium.common.exceptions import (
    ElementClickInterceptedException, ElementNotInteractableException, NoSuchElementException, StaleElementReferenceException,
    WebDriverException)
from selenium.webdriver.common.by import By
from selenium.webdriver.common.keys import Keys

PASSPHRASE = "correct horse battery staple"
PIN = "271828"
# Whether the Password Composer is stored for use without its server.
IS_INSTALLED = """
const done = arguments[0];
navigator.serviceWorker.getRegistration().then(async (worker) => done(Boolean(worker?.active) && (await caches.keys()).length > 0));
"""
# Drops a JPEG in base64 on the drop area for pictures.
DROP = """
const bytes = Uint8Array.from(atob(arguments[0]), (character) => character.charCodeAt(0));
const dataTransfer = new DataTransfer();
dataTransfer.items.add(new File([bytes], "photograph.jpg", { type: "image/jpeg" }));
document.querySelector("[data-drop]").dispatchEvent(new DragEvent("drop", { dataTransfer, bubbles: true, cancelable: true }));
"""


@contextlib.contextmanager
def program(*words, environment):
    """Runs a program that prints JSON when it is ready, and returns the JSON."""
    process = subprocess.Popen(words, stdout=subprocess.PIPE, text=True, env=environment)
    try:
        text = ""
        for line in process.stdout:
            text += line
            if line == "}\n":
                break
        yield json.loads(text), process
    finally:
        process.terminate()
        process.wait(timeout=10)


DOCUMENT = {
    "title": "Annual report", "pages": 48, "isFinal": True, "reviewer": None,
    "sections": [{"name": "Summary", "first": 1}, {"name": "Accounts", "first": 7}],
}


@contextlib.contextmanager
def serve(body, kind):
    """Serves one document, and returns its URL."""

    class Handler(http.server.BaseHTTPRequestHandler):
        def do_GET(self):
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_):
            pass

    server = http.server.ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    threading.Thread(target=server.serve_forever, daemon=True).start()
    yield f"http://127.0.0.1:{server.server_port}/report"
    server.shutdown()


class Chromium(webdriver.Chrome):
    """Chromium, with functions that WebDriver lacks."""

    def __init__(self, profile):
        settings = webdriver.ChromeOptions()
        for word in ("--headless=new", "--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run",
                     f"--user-data-dir={profile}"):
            settings.add_argument(word)
        super().__init__(options=settings)

    def resize(self, width, height):
        self.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", {
            "width": width, "height": height, "deviceScaleFactor": 1, "mobile": width < 600})

    def prefer_color_scheme(self, scheme):
        self.execute_cdp_cmd("Emulation.setEmulatedMedia", {
            "features": [{"name": "prefers-color-scheme", "value": scheme}]})

    def save_downloads(self, folder):
        self.execute_cdp_cmd("Browser.setDownloadBehavior", {"behavior": "allow", "downloadPath": str(folder)})

    def ignore_certificate_errors(self):
        self.execute_cdp_cmd("Security.setIgnoreCertificateErrors", {"ignore": True})


WIDTHS = (1280, 360)
SCHEMES = ("light", "dark")
BROWSERS = {"chromium": Chromium, "firefox": Firefox}


@contextlib.contextmanager
def ignoring_elements_of_the_last_page():
    try:
        yield
    except (NoSuchElementException, StaleElementReferenceException):
        pass
    except WebDriverException as error:
        # Chromium's driver has no separate class for an element whose page was just replaced.
        if "does not belong to the document" not in str(error):
            raise


class Journey:
    def __init__(self, driver, axe, screenshots):
        self.driver, self.axe, self.screenshots = driver, axe, screenshots
        self.violations, self.checks, self.is_waiting = [], 0, False

    def find(self, selector):
        """Finds an element, which may belong to a page that is being loaded."""
        return self.find_now(selector) if self.is_waiting else self.wait_for(selector)

    def find_now(self, selector):
        return self.driver.find_element(By.CSS_SELECTOR, selector)

    def wait(self, condition, what, seconds=20):
        """Waits for a condition on the current page."""
        end = time.monotonic() + seconds
        self.is_waiting = True
        try:
            while time.monotonic() < end:
                with ignoring_elements_of_the_last_page():
                    if value := condition():
                        return value
                time.sleep(0.03)
        finally:
            self.is_waiting = False
        sys.exit(f"web journey: {what} did not come; the page says:\n{self.find_now('body').text}")

    def wait_for(self, selector):
        return self.wait(lambda: self.find(selector), selector)

    def wait_for_summary(self, text):
        self.wait(lambda: self.find("[role=status]").text == text, f'"{text}"')

    def open_page(self, path):
        self.driver.get(urllib.parse.urljoin(self.driver.current_url, path))

    def fetch(self, url):
        self.open_page("/fetch")
        self.find("#url").send_keys(url, Keys.ENTER)

    def look(self, name, kept=()):
        """Checks the page in every colour scheme and width, and stores some screenshots."""
        for scheme in SCHEMES:
            for width in WIDTHS:
                self.dress(scheme, width)
                self.driver.execute_script("scrollTo(0, 0)")
                self.check(f"{name}, {scheme}, {width}")
                if self.screenshots and (scheme, width) in kept:
                    self.driver.save_screenshot(str(self.screenshots / f"{name}-{scheme}-{width}.png"))
        self.dress("light", 1280)

    def dress(self, scheme, width):
        self.driver.resize(width, 900 if width > 600 else 760)
        self.driver.prefer_color_scheme(scheme)

    def check(self, where):
        if not self.driver.execute_script("return 'axe' in window"):
            self.driver.execute_script(self.axe)
        found = self.driver.execute_async_script(
            "const done = arguments[arguments.length - 1];"
            "axe.run(document, {resultTypes: ['violations'], preload: false}).then(done)")
        self.checks += 1
        for violation in found["violations"]:
            places = "; ".join(node["html"] for node in violation["nodes"][:3])
            self.violations.append(f"{where}: {violation['id']}: {violation['help']}: {places}")
        if self.driver.execute_script("return document.documentElement.scrollWidth > document.documentElement.clientWidth"):
            self.violations.append(f"{where}: the page is wider than the window")


def first_use(journey, web, lab, folder, environment):
    """Performs a new user's steps: adds an identity by URL, fetches a protected picture, and stores it. Returns the steps."""
    steps = 0

    def act(selector, *keys):
        """Clicks an element as soon as it exists, or types into it."""
        nonlocal steps
        steps += 1

        def is_done():
            # The page may replace the element in the meantime.
            with contextlib.suppress(ElementNotInteractableException, ElementClickInterceptedException):
                element = journey.find(selector)
                element.send_keys(*keys) if keys else element.click()
                return True

        journey.wait(is_done, selector)

    identity = folder / "first.p12"
    subprocess.run((
        "openssl", "pkcs12", "-export", "-in", next(path for path in lab["files"] if path.endswith("client.pem")),
        "-passout", "pass:workshop", "-out", identity), check=True)
    url = next(server["url"] for server in lab["servers"] if server["name"] == "client-certificate-required")
    with program(
            web, "--no-browser", "--json", "--port", "0", environment={**environment, "COUNTERSIGN_HOME": str(folder / "first")}
    ) as (site, _), serve(identity.read_bytes(), "application/x-pkcs12") as place:
        start = time.monotonic()
        journey.driver.get(pathlib.Path(site["file"]).as_uri())
        act("a[href='/credentials']")
        act("#passphrase", PASSPHRASE)
        act("#again", PASSPHRASE, Keys.ENTER)
        act("#url", place)
        act("#url-passphrase", "workshop", Keys.ENTER)
        journey.wait_for(".fingerprint")
        act("button.main")
        act("a[href='/fetch']")
        act("#url", urllib.parse.urljoin(url, "/image.png"), Keys.ENTER)
        act("dialog:modal button[value=accept]")
        journey.wait_for("dialog:modal input[name=kept]:checked")
        journey.look("identity-kept", {("light", 1280), ("dark", 360)})
        act("button[value=identity]")
        act("form[action$=keep] button")
        journey.wait_for("#title")
        act("button.main")
        # The submitted form also shows the picture, from another URL.
        journey.wait(lambda: journey.driver.execute_script(
            "return document.querySelector('main img[src^=\"/presents/item/\"]')?.naturalWidth"), "the present")
        print(f"web journey: a new user's way is {steps} steps, which took the driver {time.monotonic() - start:.0f} s")
        # The keychain's agent would retain its keys.
        act("#lock button")
        journey.wait_for("form[action$=unlock]")


def walk(journey, file, lab):
    urls = {server["name"]: server["url"] for server in lab["servers"]}
    driver = journey.driver
    driver.get(pathlib.Path(file).as_uri())
    journey.wait_for("#url")
    assert not pathlib.Path(file).exists(), "the redirecting file stayed"
    assert "token" not in driver.current_url
    journey.look("start", {("light", 1280)})

    # The lab's authority was imported on the command line, and is trusted once the settings allow it.
    choose_trust(journey, "imported")

    # A picture behind Basic: the first answer is wrong, the second one right.
    journey.fetch(urllib.parse.urljoin(urls["basic"], "/image.png"))
    journey.wait_for("dialog:modal #user").send_keys("lab")
    journey.find("#password").send_keys("wrong", Keys.ENTER)
    journey.wait(lambda: "rejected the last answer" in journey.find("dialog:modal").text, "the second question")
    journey.look("password", {("light", 1280), ("dark", 360)})
    assert driver.switch_to.active_element.get_property("id") == "password", "the user was not kept"
    journey.find("#password").send_keys("countersign", Keys.ENTER)
    journey.wait_for_summary("Done")
    picture = journey.wait_for(".picture img")
    journey.wait(lambda: driver.execute_script("return arguments[0].naturalWidth", picture) == 64, "the picture")
    way = journey.find(".steps").text
    assert "asks for basic" in way and "password of lab" in way, way
    journey.look("picture", {("light", 1280)})

    # A server whose certificate no authority issued: Esc declines, and the next time it is accepted.
    journey.fetch(urllib.parse.urljoin(urls["self-signed"], "/image.png"))
    journey.wait_for("dialog:modal .certificate")
    assert driver.switch_to.active_element.text == "Do not trust"
    driver.switch_to.active_element.send_keys(Keys.ESCAPE)
    journey.wait_for_summary("Failed")
    assert "trust.self-signed" in journey.find(".failure").text
    journey.look("not-trusted", {("dark", 1280)})
    journey.find("form[action$=resume] button").click()
    journey.wait_for("dialog:modal .certificate")
    journey.look("trust", {("light", 1280), ("dark", 360)})
    journey.find("button[value=accept]").click()
    journey.wait_for(".picture img")
    verdict = journey.find(".verdict img")
    journey.wait(lambda: driver.execute_script("return arguments[0].naturalWidth", verdict) > 300, "the verdict")
    journey.look("accepted", {("light", 1280), ("light", 360)})

    # JSON as a tree; the lab's own catalogue is long, and axe-core looks at every value.
    with serve(json.dumps(DOCUMENT).encode(), "application/json") as url:
        journey.fetch(url)
        journey.wait_for(".tree details")
    journey.look("tree", {("dark", 1280)})
    # The pages of a PDF are shown as pictures.
    with serve(make_pdf("First", "Second"), "application/pdf") as url:
        journey.fetch(url)
        page = journey.wait_for(".page img")
        journey.wait(lambda: driver.execute_script("return arguments[0].naturalWidth", page) == 1400, "the page")
        assert len(driver.find_elements(By.CSS_SELECTOR, ".page img")) == 2
    journey.look("document", {("light", 1280)})

    # The next fetch uses a client certificate from a file.
    journey.fetch(urls["client-certificate-wanted"])
    journey.wait_for("dialog:modal #identity-file")
    journey.look("identity", {("light", 360)})
    journey.find("#identity-file").send_keys(next(path for path in lab["files"] if path.endswith("client.pem")))
    journey.wait(lambda: journey.find("[name=identity]").get_property("value"), "the file")
    journey.find("button[value=identity]").click()
    journey.wait_for_summary("Done")
    assert "identity" in journey.find(".steps").text

    journey.open_page("/fetch")
    journey.look("kept", {("light", 1280)})
    journey.open_page("/settings")
    journey.look("settings", {("light", 1280), ("dark", 360)})
    journey.find("#trust-disabled").click()
    journey.find("#events").click()
    journey.find("main > form button.main").click()
    journey.wait_for(".alarm")
    journey.fetch(urls["unknown-root"])
    journey.wait_for_summary("Done")
    assert "not validated" in journey.find(".verdict img").get_attribute("alt")
    journey.wait_for("details.box summary").click()
    journey.look("disabled", {("light", 1280)})
    journey.open_page("/nowhere")
    journey.look("error")


def choose_trust(journey, name):
    """Saves the setting for server trust."""
    journey.open_page("/settings")
    journey.find(f"#trust-{name}").click()
    journey.find("main > form button.main").click()
    journey.wait_for(".saved")


def make_expiring_identity(folder):
    """Creates a PKCS#12 identity that expires in ten days."""
    key, certificate, file = (str(folder / name) for name in ("soon.key", "soon.pem", "soon.p12"))
    for words in (
            ("req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:P-256", "-nodes", "-days", "10",
             "-subj", "/CN=Mary of the Workshop", "-keyout", key, "-out", certificate),
            ("pkcs12", "-export", "-inkey", key, "-in", certificate, "-passout", "pass:workshop", "-out", file)):
        subprocess.run(("openssl", *words), check=True, stderr=subprocess.DEVNULL)
    return file


def manage_credentials(journey, lab):
    def add(file, passphrase=""):
        journey.find("#credential-file").send_keys(file)
        journey.wait(lambda: journey.find("[name=file]").get_property("value"), "the file")
        journey.find("#passphrase").send_keys(passphrase)
        journey.find("form[action$=add] button").click()
        journey.wait_for(".fingerprint")

    def open_row(kind):
        journey.open_page(f"/credentials?kind={kind}&text=Lab")
        journey.find(".credentials a").click()
        journey.wait_for(".certificate")

    choose_trust(journey, "default")
    journey.open_page("/credentials")
    journey.find("#passphrase").send_keys(PASSPHRASE, Keys.ENTER)

    # An anchor and an identity are added from files, whose contents are shown first.
    files = {pathlib.Path(path).name: path for path in lab["files"]}
    add(files["ca.pem"])
    journey.look("credentials-add", {("light", 1280), ("dark", 360)})
    journey.find("button.main").click()
    journey.wait_for(".credentials a")
    add(files["client.pem"])
    journey.find("button.main").click()
    journey.wait_for(".credentials a")
    add(make_expiring_identity(pathlib.Path(files["ca.pem"]).parent), "workshop")
    journey.find("button.main").click()
    journey.wait(lambda: len(journey.driver.find_elements(By.CSS_SELECTOR, ".credentials a")) == 3, "all three")
    assert "Expires soon" in journey.find(".credentials").text
    journey.look("credentials-list", {("light", 1280), ("dark", 360)})
    journey.find("[name=text]").send_keys("nothing like it", Keys.ENTER)
    journey.wait(lambda: "Nothing was found." in journey.find("main").text, "the search")

    open_row("identity")
    picture = journey.find(".verdict img")
    journey.wait(lambda: journey.driver.execute_script("return arguments[0].naturalWidth", picture) > 300, "the chain")
    journey.look("credentials-identity", {("dark", 1280), ("light", 360)})
    journey.find("a[href$=edit]").click()
    journey.wait_for("#label").send_keys("The workshop's key")
    journey.find("#hosts").send_keys("workshop.example\nhttps://wrong")
    journey.find("button.main").click()
    journey.wait_for(".problem")
    journey.look("credentials-edit", {("light", 1280), ("dark", 360)})
    journey.find("#hosts").clear()
    journey.find("#hosts").send_keys("workshop.example")
    journey.find("button.main").click()
    journey.wait(lambda: "for workshop.example" in journey.find(".facts").text, "the host")
    journey.open_page("/credentials/unlocking")
    journey.look("credentials-unlocking", {("light", 1280)})
    open_row("anchor")
    journey.find("a[href$=remove]").click()
    journey.wait_for("button.danger")
    journey.look("credentials-remove", {("light", 1280)})
    journey.find("button.danger").click()
    journey.wait_for(".saved")
    assert len(journey.driver.find_elements(By.CSS_SELECTOR, ".credentials a")) == 2
    journey.open_page("/credentials/reset")
    journey.look("credentials-reset")
    journey.open_page("/credentials")
    journey.find("#lock button").click()
    journey.wait_for("form[action$=unlock] #passphrase").send_keys("wrong", Keys.ENTER)
    journey.wait_for(".problem")
    journey.look("credentials-locked", {("light", 1280), ("dark", 360)})


def keep_presents(journey, lab, folder):
    """Stores a fetched picture, adds others, exports them, and locks the keychain."""
    driver = journey.driver
    urls = {server["name"]: server["url"] for server in lab["servers"]}

    def width_of(selector):
        picture = journey.wait_for(selector)
        return journey.wait(lambda: driver.execute_script("return arguments[0].naturalWidth", picture), selector)

    # The picture is retained while the keychain is created.
    journey.fetch(urllib.parse.urljoin(urls["basic"], "/image.png"))
    journey.wait_for("form[action$=keep] button").click()
    journey.wait_for("form[action$=make]")
    journey.look("presents-make", {("light", 1280)})
    journey.find("#passphrase").send_keys(PASSPHRASE)
    journey.find("#again").send_keys(PASSPHRASE)
    journey.find("#pin").send_keys(PIN, Keys.ENTER)
    assert width_of("#picture-preview") == 64
    assert journey.find("#title").get_property("value") == "image"
    journey.find("#title").clear()
    journey.find("#title").send_keys("A kite for Ben")
    journey.find("#text").send_keys("Red and yellow, from the shop at the harbour.\nNot before Sunday!")
    journey.look("present-new", {("light", 1280), ("dark", 360)})
    journey.find("form button.main").click()
    assert width_of(".present .picture img") == 64
    assert driver.title == "Present – Countersign", driver.title
    journey.look("present", {("light", 1280), ("dark", 360)})

    # A photograph is dropped on the form of a second present; it is rotated and scaled, and its location is removed.
    photograph = make_photograph(folder)
    journey.open_page("/presents/add")
    journey.find("#title").send_keys("Roller skates for Mary")
    driver.execute_script(DROP, base64.b64encode(photograph.read_bytes()).decode())
    journey.wait(lambda: journey.find("[name=picture]").get_property("value"), "the dropped picture")
    journey.find("form button.main").click()
    assert width_of(".present .picture img") == 1536
    journey.open_page("/presents/add")
    journey.find("#picture-file").send_keys(str(folder / "bomb.png"))
    journey.wait(lambda: "10000 by 10000 pixels" in journey.find(".upload").text, "the refusal of the bomb")
    journey.look("present-refused", {("light", 360)})

    journey.open_page("/presents")
    journey.wait(lambda: width_of(".presents img") == 240, "the thumbnail")
    journey.look("presents", {("light", 1280), ("dark", 360)})
    journey.find("[type=search]").send_keys("kite", Keys.ENTER)
    journey.wait(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".presents a")) == 1, "the search")
    journey.find(".presents a").click()
    journey.wait_for("a[href$=edit]").click()
    journey.wait_for("#text").send_keys(" Wrapped.")
    journey.find("form button.main").click()
    journey.wait(lambda: "Wrapped." in journey.find(".note").text, "the edited note")

    # A sealed file is exported, one present deleted, and restored from the file.
    driver.save_downloads(folder)
    journey.open_page("/presents/export")
    journey.find("#passphrase").send_keys("red sledge")
    journey.find("#again").send_keys("blue sledge", Keys.ENTER)
    journey.wait_for(".problem")
    journey.find("#passphrase").send_keys("red sledge in the attic")
    journey.find("#again").send_keys("red sledge in the attic")
    journey.look("presents-sealed", {("light", 1280)})
    journey.find("button.main").click()
    sealed = folder / "all-presents.keychain"
    journey.wait(sealed.exists, "the sealed file")
    assert not driver.find_elements(By.CSS_SELECTOR, ".problem"), "the message stayed that nothing was changed"
    assert b"kite" not in sealed.read_bytes()
    journey.open_page("/presents")
    journey.find(".presents a").click()
    journey.wait_for("a[href$=remove]").click()
    journey.wait_for("button.danger")
    journey.look("present-remove", {("light", 360)})
    journey.find("button.danger").click()
    journey.wait(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".presents a")) == 1, "the deletion")
    journey.find("#sealed-file").send_keys(str(sealed))
    journey.wait(lambda: journey.find("[name=sealed]").get_property("value"), "the sealed file")
    journey.find("#sealed-passphrase").send_keys("red sledge in the attic", Keys.ENTER)
    journey.wait(lambda: len(driver.find_elements(By.CSS_SELECTOR, ".presents a")) == 2, "the opened file")

    # The button locks every tab, and going back shows nothing.
    first = driver.current_window_handle
    driver.switch_to.new_window("tab")
    driver.get(urllib.parse.urljoin(site_of(driver, first), "/presents"))
    journey.wait_for(".presents a").click()
    journey.wait_for(".note")
    second = driver.current_window_handle
    driver.switch_to.window(first)
    journey.find("#lock button").click()
    journey.wait_for("form[action$=unlock]")
    driver.switch_to.window(second)
    journey.wait_for("form[action$=unlock]")
    for _ in range(2):
        driver.back()
        time.sleep(0.3)
        source = driver.page_source
        assert "kite" not in source and "skates" not in source, "a locked page still holds a present"
    driver.close()
    driver.switch_to.window(first)
    journey.open_page("/presents")
    journey.look("presents-locked", {("light", 1280)})
    journey.find("#pin").send_keys("000000", Keys.ENTER)
    journey.wait_for(".problem")
    journey.find("#pin").send_keys(PIN, Keys.ENTER)
    journey.wait_for(".presents a")

    # The input of an abandoned form is saved, and the keychain is locked.
    journey.open_page("/presents/add")
    journey.find("#title").send_keys("A sledge")
    driver.execute_script("const now = Date.now; Date.now = () => now() + 3600e3;")
    journey.wait_for("form[action$=unlock]")
    assert "sledge" not in driver.page_source
    journey.find("#pin").send_keys(PIN, Keys.ENTER)
    journey.wait(lambda: "A sledge" in journey.find(".presents").text, "the form that was left")
    journey.find("#lock button").click()
    journey.wait_for("form[action$=unlock]")


def site_of(driver, window):
    driver.switch_to.window(window)
    url = driver.current_url
    driver.switch_to.window(driver.window_handles[-1])
    return url


def make_pdf(*pages):
    """Creates a document with a text on each page."""
    count = len(pages)
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(count))
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>", f"<</Type/Pages/Kids[{kids}]/Count {count}>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"]
    for number, text in enumerate(pages):
        content = f"BT /F 24 Tf 40 100 Td ({text}) Tj ET"
        parts += [
            f"<</Type/Page/Parent 2 0 R/MediaBox[0 0 300 200]/Contents {5 + 2 * number} 0 R/Resources<</Font<</F 3 0 R>>>>>>",
            f"<</Length {len(content)}>>stream\n{content}\nendstream"]
    text, places = "%PDF-1.4\n", []
    for number, part in enumerate(parts, 1):
        places.append(len(text))
        text += f"{number} 0 obj\n{part}\nendobj\n"
    table = "0000000000 65535 f \n" + "".join(f"{place:010} 00000 n \n" for place in places)
    return (f"{text}xref\n0 {len(parts) + 1}\n{table}trailer<</Size {len(parts) + 1}/Root 1 0 R>>\n"
            f"startxref\n{len(text)}\n%%EOF").encode()


def make_photograph(folder):
    """Creates a picture with an EXIF rotation, and a PNG of 10,000 by 10,000 pixels in a small file."""
    def chunk(kind, content):
        return struct.pack(">I", len(content)) + kind + content + struct.pack(">I", zlib.crc32(kind + content))

    def png(width, height, pixel):
        packer = zlib.compressobj(9)
        rows = b"".join(packer.compress(b"\0" + pixel * width) for _ in range(height)) + packer.flush()
        return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", struct.pack(">IIBBBBB", width, height, 8, 2, 0, 0, 0))
                + chunk(b"IDAT", rows) + chunk(b"IEND", b""))

    (folder / "bomb.png").write_bytes(png(10000, 10000, b"\0\0\0"))
    (folder / "photograph.png").write_bytes(png(2400, 1800, b"\x40\x80\xc0"))
    photograph = folder / "photograph.jpg"
    subprocess.run(("vips", "copy", folder / "photograph.png", photograph), check=True)
    # EXIF with the orientation "turned by a quarter".
    exif = (b"Exif\0\0MM\0*\0\0\0\x08\0\x01\x01\x12\0\x03\0\0\0\x01\0\x06\0\0\0\0\0\0")
    plain = photograph.read_bytes()
    photograph.write_bytes(plain[:2] + b"\xff\xe1" + struct.pack(">H", len(exif) + 2) + exif + plain[2:])
    return photograph


def compose(journey):
    """Composes a password as the original did."""
    journey.wait_for("#domain").send_keys("example.com")
    journey.driver.execute_script("document.getElementById('options').open = true")
    journey.find("#mode option[value=classic]").click()
    journey.find("#master").send_keys("test", Keys.ENTER)
    journey.wait(lambda: journey.find("#password").get_property("value") == "74ee384f", "the password")


def use_lab(journey):
    """Starts the web application's lab, and fetches from one of its servers."""
    choose_trust(journey, "imported")
    journey.open_page("/lab")
    journey.look("lab-stopped")
    journey.find("form[action$=start] button").click()
    journey.wait_for("button[name=trust]").click()
    journey.wait_for(".saved")
    journey.look("lab", {("light", 1280), ("dark", 360)})
    journey.find("a[aria-label='Put good-https into the Fetch page']").click()
    journey.wait_for("#url").send_keys(Keys.ENTER)
    # The keychain is locked, and its rules apply to servers.
    journey.wait_for("dialog:modal #pin")
    journey.look("unlock-for-fetch", {("light", 1280), ("dark", 360)})
    journey.find("dialog #pin").send_keys(PIN, Keys.ENTER)
    journey.wait_for_summary("Done")
    assert "trusted" in journey.find(".verdict img").get_attribute("alt")
    choose_trust(journey, "default")
    journey.open_page("/presents")
    journey.find("#lock button").click()
    journey.wait_for("form[action$=unlock]")
    journey.open_page("/lab")
    journey.find("button[value=session]").click()
    journey.wait(lambda: "rows as expected" in journey.find("[role=status]").text, "the graded table", seconds=120)
    summary = journey.find("[role=status]").text
    good, _, total, *_ = summary.split()
    assert good == total and int(total) > 100, summary
    journey.look("graded", {("light", 1280), ("dark", 360)})
    journey.open_page("/lab")
    command = journey.find("#command")
    command.clear()
    # The client fetches pages that it should accept, and also those that it should refuse.
    command.send_keys("curl --silent --fail --location --insecure {url}")
    journey.find("button[value=program]").click()
    journey.wait(lambda: "rows as expected" in journey.find("[role=status]").text, "the table of curl", seconds=180)
    journey.wait_for("a[href$=unexpected]").click()
    journey.wait(lambda: "self-signed" in journey.find("table").text, "the rows that are not as expected")
    assert "good-https" not in journey.find("table").text
    journey.look("graded-curl", {("light", 1280)})
    journey.open_page("/lab")
    journey.find("form[action$='lab/stop'] button").click()
    journey.wait_for("form[action$=start]")


def sign_in(journey, web, command, folder, environment):
    """Serves the pages to the network with a certificate of an authority, and signs in with the passphrase."""
    # The keys of the authority must be in files, not in the keychain of this test.
    environment = {**environment, "COUNTERSIGN_HOME": str(folder / "network")}
    passphrase = folder / "passphrase"
    passphrase.write_text("four words of mine\n")
    for words in (("init", "Home", "--for", "localhost"), ("issue", "--server", "localhost", "--out", folder)):
        subprocess.run(
            (command, "ca", *words, "--key-passphrase-file", passphrase), env=environment, check=True, stdout=subprocess.DEVNULL)
    with program(
            web, "--listen", "127.0.0.1", "--port", "0", "--identity", folder / "localhost.pem", "--passphrase-file",
            passphrase, "--json", environment=environment) as (site, server):
        # The browser does not trust the authority.
        journey.driver.ignore_certificate_errors()
        journey.driver.get(site["url"])
        journey.wait_for("#passphrase").send_keys("three words of mine", Keys.ENTER)
        journey.wait_for(".problem")
        journey.look("sign-in", {("light", 1280), ("dark", 360)})
        journey.find("#passphrase").send_keys("four words of mine", Keys.ENTER)
        journey.wait_for("#url")
        journey.open_page("/lab")
        journey.find("form[action$=start] button").click()
        journey.wait_for("button[value=session]")
        assert not journey.driver.find_elements(By.CSS_SELECTOR, "#command"), "a command can be run over the network"
        journey.look("network", {("light", 1280), ("dark", 360)})
        journey.find("#sign-out button").click()
        journey.wait_for("#passphrase")
        server.terminate()
        if status := server.wait(timeout=10):
            journey.violations.append(f"the server for the network ended with {status}")


def main():
    parser = argparse.ArgumentParser()
    for name in ("--web", "--command", "--axe"):
        parser.add_argument(name, required=True, type=pathlib.Path)
    parser.add_argument("--browser", choices=BROWSERS, default="chromium")
    parser.add_argument("--screenshots", type=pathlib.Path)
    options = parser.parse_args()
    begin = time.monotonic()
    with tempfile.TemporaryDirectory() as folder:
        environment = {**os.environ, "COUNTERSIGN_HOME": folder + "/home", "LANG": "C.UTF-8"}
        # The keychain's agent and its remembered state are separate from the user's.
        for name in ("XDG_RUNTIME_DIR", "XDG_STATE_HOME"):
            environment[name] = f"{folder}/{name}"
            os.mkdir(environment[name], 0o700)
        with contextlib.ExitStack() as stack:
            lab, _ = stack.enter_context(program(
                options.command, "lab", "--json", "--directory", folder + "/lab", environment=environment))
            subprocess.run(
                (options.command, "trust", "import", folder + "/lab/ca.pem", "--yes"), env=environment, check=True,
                stdout=subprocess.DEVNULL)
            site, server = stack.enter_context(program(
                options.web, "--no-browser", "--json", "--port", "0", environment=environment))
            # The keychain's agent would continue to run if the test fails.
            stack.callback(
                subprocess.run, (options.command, "keychain", "lock", "--all"), env=environment,
                stdout=subprocess.DEVNULL)
            driver = BROWSERS[options.browser](f"{folder}/profile")
            browser = "{browserName} {browserVersion}".format(**driver.capabilities)
            try:
                journey = Journey(driver, options.axe.read_text(), options.screenshots)
                first_use(journey, options.web, lab, pathlib.Path(folder), environment)
                walk(journey, site["file"], lab)
                keep_presents(journey, lab, pathlib.Path(folder))
                manage_credentials(journey, lab)
                use_lab(journey)
                sign_in(journey, options.web, options.command, pathlib.Path(folder), environment)
                # Stored items survive the end of the program, which restarts at the same port.
                server.kill()
                server.wait()
                port = str(urllib.parse.urlsplit(site["url"]).port)
                site, server = stack.enter_context(program(
                    options.web, "--no-browser", "--json", "--port", port, environment=environment))
                driver.get(pathlib.Path(site["file"]).as_uri())
                journey.wait_for("#url")
                journey.open_page("/presents")
                journey.find("#pin").send_keys(PIN, Keys.ENTER)
                journey.wait(lambda: "A sledge" in journey.find(".presents").text, "the presents after the program was killed")
                journey.open_page("/composer")
                compose(journey)
                journey.wait(lambda: driver.execute_async_script(IS_INSTALLED), "the service worker")
                server.terminate()
                assert server.wait(timeout=5) == 0, "the server did not end well"
                driver.refresh()
                compose(journey)
            finally:
                driver.quit()
            assert not pathlib.Path(site["file"]).parent.exists(), "the server's folder stayed"
    for violation in journey.violations:
        print(f"web journey: {browser}: {violation}", file=sys.stderr)
    print(f"web journey: {browser}: {journey.checks} views checked, {len(journey.violations)} violations, "
          f"{time.monotonic() - begin:.0f} s")
    return 1 if journey.violations else 0


sys.exit(main())
