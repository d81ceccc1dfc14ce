# SPDX-License-Identifier: MIT
"""A headless Chromium over its DevTools pipe, with python's standard library alone: opens a page,
runs expressions in it, takes pictures, prints. What the page says on its console, and every request
it makes, is kept. Leaves out everything a test here does not ask for."""
import base64
import json
import os
import select
import shutil
import subprocess
import tempfile
import time

NAMES = ("chromium", "chromium-browser", "google-chrome-stable", "google-chrome", "chrome")


def find():
    """The browser's path, or None."""
    named = os.environ.get("CHROMIUM")
    if named:
        return shutil.which(named)
    return next((path for path in map(shutil.which, NAMES) if path), None)


class Chrome:
    def __init__(self, path):
        self.folder = tempfile.mkdtemp(prefix="gmsim-browser-")
        here, theirs_out = os.pipe()
        theirs_in, there = os.pipe()

        def hand_over():  # the browser reads commands from descriptor 3 and answers on 4
            high = os.dup2(theirs_in, 200), os.dup2(theirs_out, 201)
            os.dup2(high[0], 3)
            os.dup2(high[1], 4)

        self.process = subprocess.Popen(
            [path, "--headless", "--no-sandbox",
             "--disable-gpu", "--disable-dev-shm-usage", "--no-first-run", "--disable-extensions",
             "--disable-component-update", "--disable-background-networking", "--disable-sync",
             "--user-data-dir=" + self.folder, "--remote-debugging-pipe", "about:blank"],
            preexec_fn=hand_over, pass_fds=(3, 4), stdin=subprocess.DEVNULL, stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL)
        os.close(theirs_in)
        os.close(theirs_out)
        self.reader, self.writer = here, there
        self.buffer, self.number = b"", 0
        self.said, self.requests, self.fired = [], [], set()
        self.session = None
        target = self.call("Target.createTarget", url="about:blank")["targetId"]
        self.session = self.call("Target.attachToTarget", targetId=target, flatten=True)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(domain + ".enable")
        self.call("Page.setLifecycleEventsEnabled", enabled=True)

    def close(self):
        try:
            self.session = None
            self.call("Browser.close", wait=5)
            self.process.wait(10)
        except (OSError, RuntimeError, subprocess.TimeoutExpired):
            self.process.kill()
            self.process.wait()
        os.close(self.reader)
        os.close(self.writer)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self, until):
        while b"\0" not in self.buffer:
            left = until - time.monotonic()
            if left <= 0 or not select.select([self.reader], [], [], left)[0]:
                raise RuntimeError("the browser does not answer")
            part = os.read(self.reader, 1 << 16)
            if not part:
                raise RuntimeError("the browser has gone")
            self.buffer += part
        text, self.buffer = self.buffer.split(b"\0", 1)
        return json.loads(text)

    def note(self, message):
        what, given = message.get("method"), message.get("params", {})
        if what == "Page.lifecycleEvent":
            self.fired.add((given["name"], given["loaderId"]))
        if what == "Runtime.exceptionThrown":
            self.said.append(json.dumps(given["exceptionDetails"])[:400])
        elif what == "Runtime.consoleAPICalled" and given["type"] in ("error", "warning", "assert"):
            self.said.append(json.dumps(given["args"])[:400])
        elif what == "Log.entryAdded" and given["entry"]["level"] in ("error", "warning"):
            self.said.append(given["entry"]["text"])
        elif what == "Network.requestWillBeSent":
            self.requests.append(given["request"]["url"])

    def call(self, method, wait=60, **params):
        self.number += 1
        number, command = self.number, {"id": self.number, "method": method, "params": params}
        if self.session:
            command["sessionId"] = self.session
        os.write(self.writer, json.dumps(command).encode() + b"\0")
        until = time.monotonic() + wait
        while True:
            message = self.message(until)
            if message.get("id") == number:
                if "error" in message:
                    raise RuntimeError("%s: %s" % (method, message["error"]["message"]))
                return message["result"]
            self.note(message)

    def screen(self, width, height=900, dark=False):
        self.call("Emulation.setDeviceMetricsOverride", width=width, height=height,
                  deviceScaleFactor=1, mobile=width < 700)
        self.call("Emulation.setEmulatedMedia", features=[
            {"name": "prefers-color-scheme", "value": "dark" if dark else "light"}])

    def load(self, url):
        """Goes there, and waits until that very page has loaded, no other's event taken for it."""
        self.fired.clear()
        loader = self.call("Page.navigate", url=url).get("loaderId")
        until = time.monotonic() + 60
        while loader and ("load", loader) not in self.fired:
            self.note(self.message(until))

    def open(self, path, address=""):
        """Seconds until the page stands; its console and requests begin anew."""
        self.load("about:blank")
        self.said, self.requests = [], []
        begun = time.monotonic()
        self.load("file://" + os.path.abspath(path) + address)
        # Two frames later all is laid out and painted.
        self.run("new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))")
        return time.monotonic() - begun

    def run(self, expression):
        """An expression's value; a promise is waited for."""
        answer = self.call("Runtime.evaluate", expression=expression, awaitPromise=True,
                           returnByValue=True)
        if "exceptionDetails" in answer:
            raise RuntimeError(json.dumps(answer["exceptionDetails"])[:400])
        return answer["result"].get("value")

    def picture(self, path, whole=True):
        answer = self.call("Page.captureScreenshot", captureBeyondViewport=whole)
        with open(path, "wb") as out:
            out.write(base64.b64decode(answer["data"]))

    def paper(self):
        """The page as PDF."""
        return base64.b64decode(self.call("Page.printToPDF", printBackground=True)["data"])
