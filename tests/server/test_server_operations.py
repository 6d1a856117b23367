#!/usr/bin/python3
"""Running it: settings, keys, limits, logs, reload, shutdown, TLS, CORS, compression, metrics."""
import gzip
import http.client
import json
import os
import re
import signal
import ssl
import subprocess
import sys
import threading
import time
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

PROGRAMS = os.path.abspath(sys.argv.pop(1))
HEIGHT = "/v1/height?at=7.25,46.25"


def read(path):
    with open(path) as file:
        return file.read()


class Operations(unittest.TestCase):
    def serve(self, *options, grounds=("plane.asc",)):
        server = serving.Server(PROGRAMS, list(grounds), *options)
        self.addCleanup(lambda: server.process.poll() is None and server.stop())
        return server

    def refused(self, *words):
        done = subprocess.run([PROGRAMS + "/landfall-serve", *words], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              text=True, timeout=20 * serving.SLOW)
        self.assertEqual(done.returncode, 2)
        self.assertTrue(done.stderr.startswith("landfall serve: "), done.stderr)
        return done.stderr

    def test_refused_settings(self):
        self.assertIn("GROUND: missing", self.refused())
        self.assertIn("nothing.lf: No such file", self.refused("nothing.lf"))
        self.assertIn("--max-points 0: expected a number from 1", self.refused("x.lf", "--max-points", "0"))
        self.assertIn("--colour: unknown option", self.refused("x.lf", "--colour", "red"))
        self.assertIn("--log-format xml: expected common|json", self.refused("x.lf", "--log-format=xml"))
        self.assertIn("expected both", self.refused("x.lf", "--tls-key", "k"))
        self.assertIn("dataset height", self.refused("--dataset", "height=x.lf"))
        self.assertIn("name given twice", self.refused("--dataset", "a=x.lf", "--dataset", "a=y.lf"))
        self.assertIn("expected NAME=FILE", self.refused("--dataset", "a"))

    def test_configuration(self):
        folder = serving.tempfile.mkdtemp()
        self.addCleanup(serving.shutil.rmtree, folder)
        serving.make_grounds(folder)
        with open(folder + "/serve.json", "w") as file:
            json.dump({"datasets": [{"name": "alps", "file": "plane.asc", "datum": "EGM96", "surface": "falling"}],
                       "max_points": 3, "cors": ["https://a.example", "https://b.example"], "gzip_from": 100}, file)
        server = serving.Server(PROGRAMS, [], "--config", "serve.json", "--max-cells", "100", folder=folder)
        self.addCleanup(lambda: server.alive() and server.stop())
        one = server.json(HEIGHT)[1]["results"][0]
        self.assertEqual((one["dataset"], one["datum"]), ("alps", "EGM96"))
        status, reply = server.json("/v1/height", {"points": [[7, 46]] * 4})
        self.assertEqual((status, reply["error"]["limit"], reply["error"]["allowed"]), (413, "points", 3))
        status, reply = server.json("/v1/viewshed?at=7.25,46.25&range=50000")
        self.assertEqual((status, reply["error"]["limit"], reply["error"]["allowed"]), (413, "cells", 100))
        _, headers, _ = server.ask(HEIGHT, headers={"Origin": "https://b.example"})
        self.assertEqual(headers["access-control-allow-origin"], "https://b.example")
        _, headers, _ = server.ask(HEIGHT, headers={"Origin": "https://c.example"})
        self.assertNotIn("access-control-allow-origin", headers)
        # A reload that is refused leaves all as it was; a good one counts at once.
        with open(folder + "/serve.json", "w") as file:
            file.write('{"max_points": }')
        server.signal(signal.SIGHUP)
        self.assertTrue(server.wait_for(lambda: "the old settings stay" in read(folder + "/server.err")))
        self.assertEqual(server.json(HEIGHT)[0], 200)
        with open(folder + "/serve.json", "w") as file:
            json.dump({"datasets": [{"name": "other", "file": "plane.asc"}], "max_points": 5}, file)
        server.signal(signal.SIGHUP)
        self.assertTrue(server.wait_for(lambda: server.metric("reloads_total") == 1))
        self.assertEqual(server.json(HEIGHT)[1]["results"][0]["dataset"], "other")
        self.assertEqual(server.json("/v1/height", {"points": [[7, 46]] * 5})[0], 200)
        server.stop()

    def test_bad_configuration(self):
        for text, part in (("[1]", "expected a JSON object"), ('{"colour": 1}', "colour: unknown setting"), ('{"max_points": [1]}', "one value"),
                           ('{"max_points": "x"}', "--max-points x"), ('{"datasets": [{"name": "a"}]}', "name and file"), ("{", "line 1")):
            with serving.tempfile.NamedTemporaryFile("w", suffix=".json") as file:
                file.write(text)
                file.flush()
                self.assertIn(part, self.refused("--config", file.name))

    def test_keys(self):
        with serving.tempfile.NamedTemporaryFile("w") as file:
            file.write("# keys\nfast\nslow 0.001 2\n")
            file.flush()
            server = self.serve("--keys", file.name)
        self.assertEqual(server.ask(HEIGHT)[0], 401)
        self.assertEqual(server.ask(HEIGHT, headers={"X-API-Key": "wrong"})[0], 403)
        self.assertEqual(server.ask(HEIGHT, headers={"X-API-Key": "fast"})[0], 200)
        self.assertEqual(server.ask(HEIGHT, headers={"Authorization": "Bearer fast"})[0], 200)
        self.assertEqual(server.ask(HEIGHT + "&key=fast")[0], 200)
        codes = [server.ask(HEIGHT + "&key=slow") for _ in range(3)]
        self.assertEqual([code[0] for code in codes], [200, 200, 429])
        self.assertEqual(json.loads(codes[2][2])["error"]["limit"], "requests per second")
        self.assertGreater(int(codes[2][1]["retry-after"]), 1)
        self.assertEqual(server.ask("/healthz")[0], 200)
        status, _, body = server.ask("/maps/api/elevation/json?locations=1,1&key=slow")
        self.assertEqual((status, json.loads(body)["status"]), (429, "OVER_QUERY_LIMIT"))
        status, _, body = server.ask("/maps/api/elevation/json?locations=1,1&key=x")
        self.assertEqual((status, json.loads(body)["status"]), (403, "REQUEST_DENIED"))

    def test_logs(self):
        server = self.serve("--access-log", "access.log", "--trust", "127.0.0.0/8", "--trust", "10.1.2.3")
        server.ask(HEIGHT)
        server.ask("/a%22b", headers={"X-Forwarded-For": "1.1.1.1, 2001:db8::7, 10.1.2.3"})
        server.ask("/nothing", headers={"X-Forwarded-For": "no address"})
        server.wait_for(lambda: read(server.folder + "/access.log").count("\n") == 3)
        lines = read(server.folder + "/access.log").splitlines()
        shape = r'^(\S+) - - \[\d\d/\w{3}/\d{4}:\d\d:\d\d:\d\d \+0000\] "GET (\S+) HTTP/1\.1" (\d{3}) \d+$'
        found = [re.match(shape, line).groups() for line in lines]
        self.assertEqual(sorted(found), sorted([("127.0.0.1", HEIGHT, "200"), ("2001:db8::7", "/a%22b", "404"), ("127.0.0.1", "/nothing", "404")]))
        other = self.serve("--access-log", "access.log", "--log-format", "json")
        other.ask(HEIGHT, headers={"X-Forwarded-For": "1.1.1.1"})
        other.wait_for(lambda: os.path.getsize(other.folder + "/access.log") > 0)
        line = json.loads(read(other.folder + "/access.log"))
        self.assertEqual((line["client"], line["target"], line["status"]), ("127.0.0.1", HEIGHT, 200))

    def test_compression_and_options(self):
        server = self.serve("--cors", "*")
        body = json.dumps({"points": [[7.1, 46.1]] * 500})
        kind = {"Content-Type": "application/json"}
        plain = server.ask("/v1/height", body, kind)
        packed = server.ask("/v1/height", body, dict(kind, **{"Accept-Encoding": "gzip"}))
        self.assertNotIn("content-encoding", plain[1])
        self.assertEqual(packed[1]["content-encoding"], "gzip")
        self.assertEqual(gzip.decompress(packed[2]), plain[2])
        status, headers, _ = server.ask("/v1/height", method="OPTIONS", headers={"Origin": "https://x.example"})
        self.assertEqual((status, headers["access-control-allow-origin"]), (204, "*"))
        self.assertIn("POST", headers["access-control-allow-methods"])
        status, headers, body = server.ask(HEIGHT, method="HEAD")
        self.assertEqual((status, body), (200, b""))
        self.assertGreater(int(headers["content-length"]), 100)
        self.assertEqual(server.ask(HEIGHT, method="DELETE")[0], 405)
        self.assertEqual(server.ask(HEIGHT, method="BREW")[0], 501)

    def test_metrics(self):
        server = self.serve()
        for _ in range(3):
            server.ask(HEIGHT)
        server.ask("/nothing")
        # A request is counted once its reply has gone out, which its client may see before.
        counted = (b'{route="none",code="4xx"} 1\n', b'{route="/v1/height",code="2xx"} 3\n')
        server.wait_for(lambda: all(line in metrics for metrics in [server.ask("/metrics")[2]] for line in counted))
        text = server.ask("/metrics")[2].decode()
        self.assertIn('landfall_requests_total{route="/v1/height",code="2xx"} 3\n', text)
        self.assertIn('landfall_requests_total{route="none",code="4xx"} 1\n', text)
        self.assertIn('landfall_request_seconds_count{route="/v1/height"} 3\n', text)
        for line in text.splitlines():
            self.assertRegex(line, r'^(# TYPE landfall_\w+ (counter|gauge|histogram)|landfall_\w+(\{[^}]*\})? [0-9.e+-]+)$')
        self.assertGreater(server.metric("resident_bytes"), 1e6)
        self.assertEqual(json.loads(server.ask("/healthz")[2])["status"], "ok")

    def test_shutdown(self):
        """Requests under way are finished; nothing new is accepted."""
        server = self.serve("--workers", "1", grounds=("srtm90m.asc",))
        replies = []

        def ask():
            replies.append(server.ask("/v1/viewshed?at=0.5,0.5&eye=100000&range=4000000&format=json")[0])
        threads = [threading.Thread(target=ask) for _ in range(4)]
        for thread in threads:
            thread.start()
        server.wait_for(lambda: server.metric("requests_active") >= 3, 5)
        server.signal(signal.SIGTERM)
        for thread in threads:
            thread.join()
        server.stop()
        self.assertTrue(set(replies) <= {200}, replies)
        with self.assertRaises(OSError):
            server.connect(2)

    def test_tls(self):
        folder = serving.tempfile.mkdtemp()
        self.addCleanup(serving.shutil.rmtree, folder)
        made = subprocess.run(["openssl", "req", "-x509", "-newkey", "ec", "-pkeyopt", "ec_paramgen_curve:prime256v1", "-nodes", "-keyout", folder + "/key.pem", "-out",
                               folder + "/cert.pem", "-days", "2", "-subj", "/CN=localhost"], stderr=subprocess.DEVNULL) \
            if serving.shutil.which("openssl") else None
        if not made or made.returncode:
            print("skipped: TLS: no openssl to make a certificate with")
            return
        server = self.serve("--tls-certificate", folder + "/cert.pem", "--tls-key", folder + "/key.pem")
        self.assertTrue(server.url.startswith("https://"))
        context = ssl.create_default_context()
        context.check_hostname = False
        context.load_verify_locations(folder + "/cert.pem")
        connection = http.client.HTTPSConnection(server.host, server.port, timeout=20, context=context)
        connection.request("GET", HEIGHT)
        self.assertEqual(json.loads(connection.getresponse().read())["results"][0]["reason"], "answered")
        connection.close()
        self.assertIn("do not fit", self.refused(os.path.join(server.folder, "plane.asc"), "--listen", "127.0.0.1:0", "--tls-certificate",
                                                 folder + "/key.pem", "--tls-key", folder + "/cert.pem"))


if __name__ == "__main__":
    unittest.main()
