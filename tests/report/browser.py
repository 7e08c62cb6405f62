# SPDX-License-Identifier: BSD-2-Clause OR GPL-2.0-only
"""A headless Chromium, driven by its DevTools protocol over two pipes."""

import base64
import json
import os
import shutil
import subprocess
import tempfile
import time

# Says of a page what a reader would complain of. Boxes are compared to the pixel.
COMPLAINTS = r"""
(() => {
    const found = [];
    const width = document.documentElement.clientWidth;
    if (document.documentElement.scrollWidth > width)
        found.push(`the page is more than ${width} px wide`);
    const told = element => element.textContent.trim().slice(0, 40);
    const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
    for (let node = walker.nextNode(); node; node = walker.nextNode()) {
        const parent = node.parentElement;
        if (!node.textContent.trim() || parent.closest("svg, .table, .skip"))
            continue;
        const range = document.createRange();
        range.selectNodeContents(node);
        for (const box of range.getClientRects())
            if (box.left < -1 || box.right > width + 1)
                found.push(`cut off by the window: ${told(node)}`);
    }
    for (const svg of document.querySelectorAll("svg")) {
        const frame = svg.getBoundingClientRect();
        const name = svg.querySelector("title").textContent;
        if (!frame.width)
            found.push(`${name}: has no width`);
        const texts = [...svg.querySelectorAll("text")].filter(text => text.textContent.trim());
        const boxes = texts.map(text => text.getBoundingClientRect());
        boxes.forEach((box, at) => {
            if (box.left < frame.left - 1 || box.right > frame.right + 1 ||
                box.top < frame.top - 1 || box.bottom > frame.bottom + 1)
                found.push(`${name}: clipped: ${told(texts[at])}`);
            for (let other = 0; other < at; other++) {
                const second = boxes[other];
                const across = Math.min(box.right, second.right) - Math.max(box.left, second.left);
                const down = Math.min(box.bottom, second.bottom) - Math.max(box.top, second.top);
                if (across > 1.5 && down > 0.3 * Math.min(box.height, boxes[other].height))
                    found.push(`${name}: "${told(texts[at])}" lies on "${told(texts[other])}"`);
            }
        });
    }
    return found;
})()
"""


def installed():
    """Returns Chromium's path, or None."""
    return shutil.which("chromium")


class Browser:
    """Owns a Chromium process, its pipes and its folder."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        # Chromium reads commands from descriptor 3, and writes answers to 4.
        read_commands, self.commands = os.pipe()
        self.answers, write_answers = os.pipe()
        moves = f"exec 3<&{read_commands} 4>&{write_answers};"
        words = [
            "--headless",
            "--no-sandbox",
            "--disable-gpu",
            "--no-first-run",
            "--disable-extensions",
        ]
        words += ["--disable-dev-shm-usage", "--disable-background-networking", "--hide-scrollbars"]
        words += ["--remote-debugging-pipe", f"--user-data-dir={self.folder}", "about:blank"]
        self.process = subprocess.Popen(
            ["bash", "-c", f'{moves} exec "$@"', "bash", installed(), *words],
            pass_fds=(read_commands, write_answers),
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
        )
        os.close(read_commands)
        os.close(write_answers)
        self.text = b""
        self.number = 0
        self.events = []
        target = self.call("Target.createTarget", {"url": "about:blank"}, None)["targetId"]
        attach = {"targetId": target, "flatten": True}
        self.session = self.call("Target.attachToTarget", attach, None)["sessionId"]
        for domain in ("Page", "Runtime", "Log", "Network"):
            self.call(f"{domain}.enable")

    def close(self):
        os.close(self.commands)
        self.process.terminate()
        self.process.wait()
        os.close(self.answers)
        shutil.rmtree(self.folder, ignore_errors=True)

    def message(self):
        """Returns the next message of Chromium."""
        while b"\0" not in self.text:
            read = os.read(self.answers, 1 << 20)
            if not read:
                raise OSError("Chromium has gone")
            self.text += read
        message, _, self.text = self.text.partition(b"\0")
        return json.loads(message)

    def call(self, method, parameters=None, session=""):
        """Returns the result of a method, events on the way are kept."""
        self.number += 1
        request = {"id": self.number, "method": method, "params": parameters or {}}
        if session is not None:
            request["sessionId"] = self.session
        os.write(self.commands, json.dumps(request).encode() + b"\0")
        while True:
            message = self.message()
            if message.get("id") == self.number:
                if "error" in message:
                    raise OSError(f"{method}: {message['error']}")
                return message["result"]
            self.events.append(message)

    def open(self, path):
        """Loads a file, and waits until it is there."""
        self.events = []
        self.call("Page.navigate", {"url": f"file://{path}"})
        end = time.monotonic() + 60
        while not any(event.get("method") == "Page.loadEventFired" for event in self.events):
            if time.monotonic() > end:
                raise OSError(f"{path} does not load")
            self.events.append(self.message())

    def show(self, width, theme):
        """Sets the window's width and the reader's theme."""
        size = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
        self.call("Emulation.setDeviceMetricsOverride", size)
        features = [{"name": "prefers-color-scheme", "value": theme}]
        self.call("Emulation.setEmulatedMedia", {"features": features})

    def evaluate(self, expression):
        """Returns the value of a JavaScript expression on the page."""
        told = self.call("Runtime.evaluate", {"expression": expression, "returnByValue": True})
        if "exceptionDetails" in told:
            raise OSError(f"the page's script failed: {told['exceptionDetails']}")
        return told["result"].get("value")

    def complaints(self):
        """Returns what a reader would complain of: overflow, clipped text, texts on each other."""
        return self.evaluate(COMPLAINTS)

    def errors(self):
        """Returns what the console said since open()."""
        kinds = ("Runtime.consoleAPICalled", "Runtime.exceptionThrown", "Log.entryAdded")
        return [event["params"] for event in self.events if event.get("method") in kinds]

    def requests(self):
        """Returns the addresses that were asked for since open(), the page's own left out."""
        asked = [
            event for event in self.events if event.get("method") == "Network.requestWillBeSent"
        ]
        urls = [event["params"]["request"]["url"] for event in asked]
        return [url for url in urls if not url.startswith("data:")][1:]

    def screenshot(self, path):
        """Writes the whole page as PNG."""
        taken = self.call(
            "Page.captureScreenshot", {"format": "png", "captureBeyondViewport": True}
        )
        with open(path, "wb") as file:
            file.write(base64.b64decode(taken["data"]))
