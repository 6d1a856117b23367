#!/usr/bin/python3
"""Replies against the OpenAPI document that the server serves; jobs and their events."""
import json
import os
import sys
import threading
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

PROGRAMS = os.path.abspath(sys.argv.pop(1))
KINDS = {"number": (int, float), "integer": int, "string": str, "boolean": bool, "object": dict, "array": list}


def check(value, schema, document, where="$"):
    """Raises where a value does not fit a schema: the parts of JSON Schema that the document uses."""
    if "$ref" in schema:
        part = document
        for name in schema["$ref"].split("/")[1:]:
            part = part[name]
        return check(value, part, document, where)
    unknown = set(schema) - {"type", "properties", "required", "additionalProperties", "items", "enum", "nullable", "minItems", "maxItems",
                             "description", "format"}
    assert not unknown, (where, unknown)
    if value is None and schema.get("nullable"):
        return
    kind = schema["type"]
    assert isinstance(value, KINDS[kind]) and (kind == "boolean" or not isinstance(value, bool)), (where, kind, value)
    assert "enum" not in schema or value in schema["enum"], (where, value)
    if kind == "object":
        for name in schema.get("required", ()):
            assert name in value, (where, "lacks", name)
        for name, item in value.items():
            known = schema.get("properties", {})
            assert name in known or schema.get("additionalProperties", True), (where, "has", name)
            if name in known:
                check(item, known[name], document, where + "." + name)
    if kind == "array":
        assert schema.get("minItems", 0) <= len(value) <= schema.get("maxItems", len(value)), (where, len(value))
        for index, item in enumerate(value):
            check(item, schema["items"], document, "%s[%d]" % (where, index))


R = "crs=native&dataset=ridge&"
# Those with ! are refused.
REQUESTS = [
    "/healthz", "/v1/datasets", "/terrain/layer.json",
    "/v1/height?at=7.25,46.25", "/v1/height?points=7.25,46.25|7.5,46.5|50,50&dataset=plane", "/v1/height?at=7.25,46.25&format=geojson",
    "/v1/height?at=1 !", "/v1/height?at=7,46&dataset=none !", "/v1/height !",
    "/v1/ray?from=7.25,46.25,5000", "/v1/ray?from=7.25,46.25,5000&pitch=80",
    "/v1/sight?" + R + "from=500060,5100900&to=501860,5100900", "/v1/sight?" + R + "from=500060,5100900&to=501860,5100900&eye=200&target=200&frequency=900",
    "/v1/sight?" + R + "from=0,0&to=501860,5100900", "/v1/sight?from=7.1,46.1 !",
    "/v1/profile?" + R + "from=500060,5100900&to=501860,5100900", "/v1/profile?" + R + "from=500060,5100900&to=501860,5100900&format=csv",
    "/v1/profile?" + R + "from=500060,5100900&to=501860,5100900&format=svg", "/v1/profile?" + R + "from=500060,5100900&to=501860,5100900&format=png",
    "/v1/viewshed?" + R + "at=500060,5100900&format=json", "/v1/viewshed?" + R + "at=500060,5100900", "/v1/viewshed?" + R + "at=500060,5100900&format=tif",
    "/v1/viewshed?" + R + "at=500060,5100900&format=geojson", "/v1/viewshed?" + R + "points=500060,5100900|501000,5100900&mode=count&format=tif",
    "/v1/viewshed?" + R + "points=500060,5100900|501000,5100900&mode=who&format=tif", "/v1/viewshed?" + R + "at=500060,5100900&mode=angle",
    "/v1/viewshed?" + R + "points=500060,5100900|501000,5100900 !",
    "/v1/horizon?" + R + "at=500060,5100900&step=30", "/v1/horizon?" + R + "at=500060,5100900&format=png",
    "/v1/sun?" + R + "at=500060,5100900&time=2026-06-21T08:00Z", "/v1/sun?" + R + "at=500060,5100900&date=2026-06-21",
    "/v1/sun?" + R + "at=500060,5100900&time=2026-06-21T08:00Z&format=png", "/v1/sun?at=7.25,46.25 !",
    "/v1/intervisible?" + R + "points=500060,5100900|501000,5100900|501860,5100900",
    "/v1/walk?" + R + "from=500060,5100900&to=501860,5100900", "/v1/walk?" + R + "from=500060,5100900&to=500860,5100900",
    "/v1/place?" + R + "at=500060,5100900", "/v1/place?at=7.25,46.25 !",
    "/v1/collide?" + R + "from=500060,5100900,50&to=501860,5100900,50&radius=5", "/v1/collide?" + R + "from=500060,5100900,500&to=501860,5100900,500",
    "/tiles/terrain-rgb/9/266/181.png", "/tiles/terrain-rgb/9/1/1.png !",
]


class OpenApi(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server(PROGRAMS, ["plane.asc", "ridge.asc"], "--quiet", "--workers", "1")
        cls.document = json.loads(cls.server.ask("/v1/openapi.json")[2])

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def path_of(self, target):
        path = target.split("?")[0]
        if path.startswith("/tiles/"):
            return "/".join(path.split("/")[:3]) + "/{z}/{x}/{y}.png"
        return path

    def test_replies(self):
        used = set()
        for target in REQUESTS:
            target, refused, _ = target.partition(" !")
            operation = self.document["paths"][self.path_of(target)]["get"]
            for word in target.partition("?")[2].split("&"):
                name = word.split("=")[0]
                self.assertTrue(not name or name in [one["name"] for one in operation["parameters"]], (target, name))
            status, headers, body = self.server.ask(target)
            self.assertEqual(status >= 400, bool(refused), (target, body[:200]))
            kind = headers["content-type"].split(";")[0]
            answer = operation["responses"].get(str(status), operation["responses"]["default"])
            self.assertIn(kind, answer["content"], (target, status, body[:200]))
            if "json" in kind:
                check(json.loads(body), answer["content"][kind]["schema"], self.document, target)
            used.add((self.path_of(target), status == 200))
        for path in self.document["paths"]:
            if not path.startswith(("/v1/jobs", "/tiles/terrarium", "/tiles/hillshade", "/tiles/viewshed")):
                self.assertIn((path, True), used, "no request was answered")

    def test_document(self):
        """Every route of the own API is in the document, and what it refers to exists."""
        text = json.dumps(self.document)
        for name in self.document["components"]["schemas"]:
            self.assertIn('"#/components/schemas/%s"' % name, text, name)
        self.assertEqual(self.document["openapi"], "3.0.3")

    def job(self, status):
        return check(status, self.document["components"]["schemas"]["Job"], self.document)

    def test_job(self):
        target = "/v1/viewshed?" + R + "at=500060,5100900&format=json"
        direct = self.server.json(target)[1]
        status, headers, body = self.server.ask(target + "&async=true")
        self.job(json.loads(body))
        self.assertEqual(status, 202)
        place = headers["location"]
        self.assertTrue(self.server.wait_for(lambda: self.server.json(place)[1]["status"] == "done"))
        self.assertEqual(self.server.json(place + "/result")[1], direct)
        events = self.server.ask(place + "/events")
        self.assertEqual(events[1]["content-type"], "text/event-stream")
        self.assertIn(b"event: end\ndata: {", events[2])
        self.assertEqual(self.server.ask("/v1/jobs/none")[0], 404)
        self.assertEqual(self.server.ask("/v1/jobs/none/events")[0], 404)
        bad = self.server.ask("/v1/viewshed?at=1&async=true")
        place = bad[1]["location"]
        self.assertTrue(self.server.wait_for(lambda: self.server.json(place)[1]["status"] == "failed"))
        self.assertEqual(self.server.json(place + "/result")[0], 400)


class LongJobs(unittest.TestCase):
    def test_cancel(self):
        """A long job is followed, cancelled while it runs, and its followers are told; one that waits never runs."""
        server = serving.Server(PROGRAMS, ["srtm90m.asc"], "--quiet", "--workers", "1", "--max-seconds", "600")
        try:
            target = "/v1/viewshed?points=%s&mode=count&eye=100000&range=20000000&async=true" % "|".join("%d.5,%d.5" % (i, i) for i in range(60))
            first = server.ask(target)[1]["location"]
            second = server.ask(target)[1]["location"]
            self.assertTrue(server.wait_for(lambda: server.json(first)[1]["status"] == "running"))
            self.assertEqual(server.ask(first + "/result")[0], 409)
            seen = []
            thread = threading.Thread(target=lambda: seen.append(server.ask(first + "/events")[2]))
            thread.start()
            self.assertEqual(json.loads(server.ask(second, method="DELETE")[2])["status"], "cancelled")
            server.ask(first, method="DELETE")
            thread.join(30 * serving.SLOW)
            self.assertFalse(thread.is_alive())
            self.assertIn(b'"status":"cancelled"', seen[0])
            self.assertEqual(server.json(first)[1]["status"], "cancelled")
        finally:
            server.stop()


if __name__ == "__main__":
    unittest.main()
