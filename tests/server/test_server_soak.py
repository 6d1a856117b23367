#!/usr/bin/python3
"""A soak: good and hostile clients at once, for ten minutes in the long tests (LANDFALL_LONG=1), for two seconds else.
In the long tests CesiumJS loads a globe too: its npm packages are installed in the user's cache, or LANDFALL_NODE names a folder
with node_modules that has them. LANDFALL_GLOBE names a file for its picture."""
import json
import os
import random
import signal
import socket
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

PROGRAMS = os.path.abspath(sys.argv.pop(1))
SECONDS = float(os.environ.get("LANDFALL_SOAK", "600" if serving.LONG else "2"))
NODE = os.environ.get("LANDFALL_NODE", "") or os.path.join(os.environ.get("XDG_CACHE_HOME") or os.path.expanduser("~/.cache"), "landfall", "node")


def plane(lon, lat):
    return 1000 + 800 * (lon - 7) + 400 * (lat - 46)


class Soak(unittest.TestCase):
    def setUp(self):
        self.wrong, self.answered = [], 0
        self.server = serving.Server(PROGRAMS, ["plane.asc", "ridge.asc"], "--quiet", "--idle-seconds", "2", "--body-seconds", "2", "--max-body", "200000",
                                     "--queue", "16", "--cache-mib", "1")
        self.end = time.monotonic() + SECONDS  # starting takes long on a busy machine

    def good(self, numbers):
        lon, lat = round(7 + 0.4 * numbers.random(), 6), round(46 + 0.4 * numbers.random(), 6)
        kind = numbers.randrange(6)
        if kind == 0:
            status, reply = self.server.json("/v1/height?at=%r,%r" % (lon, lat))
            fine = status == 200 and abs(reply["results"][0]["height"] - plane(lon, lat)) < 1e-6
        elif kind == 1:
            points = [[lon, lat]] * numbers.randrange(1, 400)
            status, reply = self.server.json("/v1/height", {"points": points})
            fine = status == 200 and len(reply["results"]) == len(points) and abs(reply["results"][-1]["height"] - plane(lon, lat)) < 1e-6
        elif kind == 2:
            status, reply = self.server.json("/v1/viewshed?at=%r,%r&range=%d&format=json" % (lon, lat, numbers.randrange(3000, 30000)))
            fine = status in (200, 503)
        elif kind == 3:
            fine = self.server.ask("/tiles/hillshade/10/%d/%d.png" % (532 + numbers.randrange(4), 362 + numbers.randrange(4)))[0] in (200, 404, 503)
        elif kind == 4:
            fine = self.server.ask("/terrain/%d/%d/%d.terrain" % (7, 133, 96))[0] in (200, 503)
        else:
            status, reply = self.server.json("/v1/sight?crs=native&dataset=ridge&cc=0&from=500060,5100900&to=501860,5100900&eye=10&target=10")
            fine = status == 200 and reply["verdict"] == "blocked"
        if not fine:
            self.wrong.append((kind, lon, lat))
        self.answered += 1

    def hostile(self, numbers):
        kind = numbers.randrange(5)
        with self.server.connect() as connection:
            if kind == 0:
                connection.sendall(bytes(numbers.getrandbits(8) for _ in range(numbers.randrange(1, 3000))))
            elif kind == 1:
                connection.sendall(b"POST /v1/height HTTP/1.1\r\nHost: x\r\nContent-Length: 100000\r\n\r\n[[[[")
            elif kind == 2:
                connection.sendall(b"GET /v1/viewshed?at=7.2,46.2&range=40000 HTTP/1.1\r\nHost: x\r\n\r\n")
            elif kind == 3:
                connection.sendall(b"GET /v1/height?at=7.2,46.2 HTTP/1.1\r\nHost: x\r\n\r\n" * 50)
            else:
                connection.sendall(b"POST /api/v1/lookup HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\nffff\r\n" + b"[" * 60000)
            if numbers.random() < 0.3:
                time.sleep(numbers.random() * 0.1)

    def client(self, seed):
        numbers = random.Random(seed)
        while time.monotonic() < self.end and self.server.alive():
            try:
                (self.hostile if seed % 3 == 0 else self.good)(numbers)
            except (ConnectionError, TimeoutError, socket.timeout) as error:
                if seed % 3:
                    self.wrong.append((seed, repr(error)))
            except Exception as error:
                self.wrong.append((seed, repr(error)))

    def test_soak(self):
        threads = [threading.Thread(target=self.client, args=(seed,)) for seed in range(12)]
        for thread in threads:
            thread.start()
        reloads = 0
        while time.monotonic() < self.end:
            time.sleep(min(5, SECONDS / 3))
            self.server.signal(signal.SIGHUP)
            reloads += 1
        for thread in threads:
            thread.join()
        self.assertTrue(self.server.alive())
        print("%d answers, %d reloads, %.0f MiB" % (self.answered, reloads, self.server.metric("resident_bytes") / 2 ** 20))
        self.server.stop()
        self.assertEqual(self.wrong[:5], [])
        self.assertGreater(self.answered, 10)


class Globe(unittest.TestCase):
    def test_cesium(self):
        if not serving.LONG:
            return
        if serving.shutil.which("npm") and not os.path.isdir(NODE + "/node_modules/cesium"):
            os.makedirs(NODE, exist_ok=True)
            subprocess.run(["npm", "install", "--no-fund", "--no-audit", "--prefix", NODE, "cesium@1.119.0", "playwright-core@1.40.0"],
                           stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, timeout=600)
        if not os.path.isdir(NODE + "/node_modules/cesium") or not serving.shutil.which("chromium"):
            print("skipped: CesiumJS: needs Debian's chromium and npm, and the network once (tools/install-missing globe)")
            return
        server = serving.Server(PROGRAMS, ["plane.asc", "srtm90m.asc"], "--quiet", "--cors", "*")
        try:
            picture = os.path.join(server.folder, "globe.png")
            done = subprocess.run(["node", os.path.join(os.path.dirname(os.path.abspath(__file__)), "globe.mjs"), server.url + "/terrain", NODE, picture],
                                  stdout=subprocess.PIPE, timeout=300)
            found = json.loads(done.stdout)
            self.assertEqual((found["loaded"], found["normals"], found["problems"]), (True, True, []))
            self.assertAlmostEqual(found["heights"][0], plane(7.2, 46.25), delta=5)
            self.assertGreater(os.path.getsize(picture), 20000)  # of 800 x 600; one colour has 2 kB
            if os.environ.get("LANDFALL_GLOBE"):
                serving.shutil.copy(picture, os.environ["LANDFALL_GLOBE"])
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main()
