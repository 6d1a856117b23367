#!/usr/bin/python3
"""Hostile and unlucky clients: never a crash, never another client's answer, bounded memory and time."""
import json
import os
import random
import resource
import socket
import struct
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

PROGRAMS = os.path.abspath(sys.argv.pop(1))
LONG = serving.LONG


def drain(connection, seconds=10.0):
    """All that comes until the other side closes."""
    connection.settimeout(seconds * serving.SLOW)
    data = b""
    try:
        while True:
            part = connection.recv(65536)
            if not part:
                return data
            data += part
    except ConnectionError:
        return data


def plane(lon, lat):
    return 1000 + 800 * (lon - 7) + 400 * (lat - 46)


class Robust(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server(PROGRAMS, ["plane.asc", "srtm90m.asc"], "--quiet", "--idle-seconds", "1", "--body-seconds", "1",
                                    "--max-body", "100000", "--queue", "4", "--workers", "1")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def tearDown(self):
        self.assertTrue(self.server.alive())
        self.assertEqual(self.server.json("/v1/height?at=7.25,46.25")[1]["results"][0]["height"], plane(7.25, 46.25))

    def raw(self, data, seconds=10.0):
        with self.server.connect() as connection:
            connection.sendall(data)
            return drain(connection, seconds)

    def trickle(self, first, byte, least, most):
        """Send a byte now and then; the server must end that between `least` and `most` seconds."""
        began = time.monotonic()
        with self.server.connect() as connection:
            connection.sendall(first)
            connection.settimeout(0.1)
            while time.monotonic() - began < most * serving.SLOW:
                try:
                    connection.sendall(byte)
                    if connection.recv(1) == b"":
                        break
                except TimeoutError:
                    continue
                except OSError:
                    break
        took = time.monotonic() - began
        self.assertTrue(least <= took < most * serving.SLOW, took)

    def test_slow_head(self):
        self.trickle(b"GET /v1/height?at=7.25,46.25 HTTP/1.1\r\nHost: x\r\nX-Slow: ", b"a", 0.8, 5)

    def test_slow_body(self):
        self.trickle(b"POST /v1/height HTTP/1.1\r\nHost: x\r\nContent-Length: 90000\r\n\r\n", b" ", 0.8, 5)

    def test_silent(self):
        self.trickle(b"", b"", 0.8, 6)

    def test_endless_body(self):
        """Chunks without end: the connection ends long before memory does."""
        sent = 0
        with self.server.connect() as connection:
            connection.sendall(b"POST /v1/height HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\n\r\n")
            try:
                for _ in range(1000):
                    connection.sendall(b"4000\r\n" + b" " * 0x4000 + b"\r\n")
                    sent += 0x4000
            except OSError:
                pass
        self.assertLess(sent, 8000000)

    def test_long_body(self):
        reply = self.raw(b"POST /v1/height HTTP/1.1\r\nHost: x\r\nContent-Length: 100001\r\n\r\n")
        self.assertIn(b" 413 ", reply.split(b"\r\n")[0])
        self.assertIn(b'"limit":"body bytes","allowed":100000,"asked":100001', reply)
        chunked = b"POST /v1/height HTTP/1.1\r\nHost: x\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n"
        reply = self.raw(chunked + (b"8000\r\n" + b" " * 0x8000 + b"\r\n") * 4 + b"0\r\n\r\n")
        self.assertIn(b" 413 ", reply.split(b"\r\n")[0])

    def test_lengths(self):
        for head in (b"Content-Length: 5\r\nContent-Length: 6\r\n", b"Content-Length: 5\r\nTransfer-Encoding: chunked\r\n",
                     b"Content-Length: -5\r\n", b"Content-Length: 5x\r\n", b"Content-Length: 99999999999999999999999\r\n"):
            reply = self.raw(b"POST /v1/height HTTP/1.1\r\nHost: x\r\n" + head + b"\r\nabcde")
            self.assertRegex(reply.split(b"\r\n")[0], rb"^(HTTP/1.1 4\d\d .*)?$", head)

    def test_garbage(self):
        numbers = random.Random(1)
        for k in range(400 if LONG else 60):
            size = numbers.choice((1, 10, 200, 5000))
            data = bytes(numbers.getrandbits(8) for _ in range(size))
            if k % 3 == 0:
                data = b"GET /v1/height?" + data + b" HTTP/1.1\r\n\r\n"
            if k % 3 == 1:
                data = b"GET /healthz HTTP/1.1\r\nHost: x\r\n\r\n" + data
            with self.server.connect() as connection:
                try:
                    connection.sendall(data)
                    connection.shutdown(socket.SHUT_WR)
                except OSError:
                    continue
                drain(connection)

    def test_targets(self):
        for target in ("/../../etc/passwd", "/v1/../../x", "/tiles/../../../etc/passwd", "/tiles/terrain-rgb/%2e%2e/1/1.png", "//",
                       "/v1/height%00", "/v1/%ff%fe", "/terrain/..%2f..%2fetc/passwd", "/v1/height/", "/v1", "/" + "a" * 3000, "/?" + "a=1&" * 100,
                       "/tiles/terrain-rgb/99999999999999999999/1/1.png", "/tiles/terrain-rgb/-1/0/0.png", "/terrain/1/1.terrain"):
            status, _, body = self.server.ask(target.replace(" ", "%20"))
            self.assertIn(status, (400, 404), target)
            self.assertNotIn(b"root:", body)
        self.assertRegex(self.raw(b"GET /" + b"a" * 60000 + b" HTTP/1.1\r\nHost: x\r\n\r\n").split(b"\r\n")[0], rb"^(HTTP/1.1 4\d\d .*)?$")
        self.assertRegex(self.raw(b"GET / HTTP/1.1\r\nHost: x\r\n" + b"X: y\r\n" * 20000 + b"\r\n").split(b"\r\n")[0], rb"^(HTTP/1.1 4\d\d .*)?$")

    def test_numbers(self):
        for value in ("nan", "inf", "-inf", "1e308", "1e999", "-1e308", "0x10", "1e-320", "", "7.25.5", "7,25"):
            for target in ("/v1/height?at=%s,46", "/v1/height?at=7,%s", "/v1/sight?from=%s,46&to=7,46", "/v1/viewshed?at=7.25,46.25&range=%s&format=json",
                           "/v1/viewshed?at=7.25,46.25&eye=%s&range=10&format=json", "/v1/horizon?at=7.25,46.25&step=%s", "/v1/plane?locations=46,%s",
                           "/maps/api/elevation/json?path=46,7|46,8&samples=%s", "/v1/profile?from=7.1,46.1&to=7.2,46.2&steps=%s",
                           "/v1/ray?from=7.25,46.25,%s", "/v1/sun?at=7.25,46.25&time=%s"):
                status, _, body = self.server.ask(target % value)
                self.assertIn(status, (200, 400, 413, 404), (target % value, body[:200]))
                json.loads(body)
        for body in ('{"points":[[1e308,1e308]]}', '{"points":[[1e400,1]]}', '{"points":[[null,1]]}', '{"points":[[1,2,3,4]]}', '{"points":{}}',
                     '{"points":[[1,1e-400]]}', '{"type":"Point"}', '{"at":[1]}', '{"at":7}', "[]", "7", '"x"', "null", ""):
            status, _, reply = self.server.ask("/v1/height", body, {"Content-Type": "application/json"})
            self.assertIn(status, (200, 400), body)
            json.loads(reply)

    def test_json_bombs(self):
        kind = {"Content-Type": "application/json"}
        for body, limit in (("[" * 90000, "depth"), ('{"a":' * 15000, "depth"), ("[" + "1," * 45000 + "1]", None), ('{"points":"' + "1," * 40000 + '"}', None)):
            for target in ("/v1/height", "/api/v1/lookup", "/height", "/v1/plane"):
                status, _, reply = self.server.ask(target, body, kind)
                self.assertIn(status, (400, 413), target)
                if limit and target == "/v1/height":
                    self.assertEqual(json.loads(reply)["error"]["limit"], limit)
        line = "_ibE_ibE" * 12000
        self.assertEqual(self.server.ask("/height", json.dumps({"encoded_polyline": line}), kind)[0], 400)

    def test_cancelled(self):
        """A client that goes away ends its work; one that waits behind it is served."""
        before = self.server.metric("requests_cancelled_total")
        connection = self.server.connect()
        connection.sendall(b"GET /v1/viewshed?at=0.5,0.5&eye=100000&range=20000000&dataset=srtm90m HTTP/1.1\r\nHost: x\r\n\r\n")
        self.server.wait_for(lambda: self.server.metric("requests_active") >= 2, 5)
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        connection.close()
        self.assertTrue(self.server.wait_for(lambda: self.server.metric("requests_active") == 1, 20))
        self.assertEqual(self.server.json("/v1/viewshed?at=7.25,46.25&range=3000&format=json")[0], 200)
        self.assertGreaterEqual(self.server.metric("requests_cancelled_total"), before)

    def test_own_answers(self):
        """Many clients at once, some of whom leave early or pipeline: each gets its own answers, in order."""
        wrong = []

        def client(seed):
            numbers = random.Random(seed)
            try:
                with self.server.connect() as connection:
                    points = [(round(7 + numbers.random() * 0.4, 6), round(46 + numbers.random() * 0.4, 6)) for _ in range(40)]
                    connection.sendall(b"".join(b"GET /v1/height?at=%a,%a HTTP/1.1\r\nHost: x\r\n\r\n" % point for point in points[:-1]) +
                                       b"GET /v1/height?at=%r,%r HTTP/1.1\r\nHost: x\r\nConnection: close\r\n\r\n" % points[-1])
                    if seed % 5 == 0:
                        return
                    replies = [json.loads(part.split(b"\r\n\r\n", 1)[1]) for part in drain(connection).split(b"HTTP/1.1 200 OK")[1:]]
                found = [(tuple(reply["results"][0]["at"]), reply["results"][0]["height"]) for reply in replies]
                if [at for at, _ in found] != points or any(abs(height - plane(*at)) > 1e-6 for at, height in found):
                    wrong.append((seed, len(found)))
            except Exception as error:
                wrong.append((seed, error))
        threads = [threading.Thread(target=client, args=(seed,)) for seed in range(400 if LONG else 40)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        self.assertEqual(wrong, [])


class Idle(unittest.TestCase):
    def test_many_idle(self):
        """Thousands of silent connections: others are served, and memory stays bounded."""
        count = 10000 if LONG else 500
        soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
        if soft < count + 100:
            resource.setrlimit(resource.RLIMIT_NOFILE, (min(hard, count + 100), hard))
            count = min(count, resource.getrlimit(resource.RLIMIT_NOFILE)[0] - 100)
        server = serving.Server(PROGRAMS, ["plane.asc"], "--quiet", "--idle-seconds", "120")
        try:
            before = server.metric("resident_bytes")
            idle = [server.connect() for _ in range(count)]
            self.assertTrue(server.wait_for(lambda: server.metric("connections") > count, 20))
            self.assertEqual(server.json("/v1/height?at=7.25,46.25")[0], 200)
            grown = server.metric("resident_bytes") - before
            self.assertLess(grown, (count * 40000 + 2e7) * (8 if serving.SLOW > 1 else 1))  # sanitizers keep books of memory
            for connection in idle:
                connection.close()
            self.assertTrue(server.wait_for(lambda: server.metric("connections") <= 2, 30))
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main()
