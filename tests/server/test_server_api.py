#!/usr/bin/python3
"""The server's own requests against heights and lines that are known."""
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

PROGRAMS = sys.argv.pop(1)


def plane(lon, lat):
    return 1000 + 800 * (lon - 7) + 400 * (lat - 46)


class Heights(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server(PROGRAMS, ["plane.asc", "ridge.asc", "local.asc"], "--quiet")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def test_one(self):
        status, reply = self.server.json("/v1/height?at=7.25,46.125")
        self.assertEqual(status, 200)
        one = reply["results"][0]
        self.assertAlmostEqual(one["height"], plane(7.25, 46.125), places=9)
        self.assertEqual((one["dataset"], one["reason"]), ("plane", "answered"))
        east, north, up = one["normal"]
        self.assertAlmostEqual(math.hypot(east, north, up), 1)
        # 800 m per degree of longitude there, 400 m per degree of latitude
        self.assertAlmostEqual(-east / up, 800 / (111319.49079 * math.cos(math.radians(46.125))), delta=2e-4)
        self.assertAlmostEqual(-north / up, 400 / 111150, delta=1e-5)

    def test_reasons(self):
        reply = self.server.json("/v1/height?points=7.5,46.5|20,20&dataset=plane")[1]["results"]
        self.assertEqual([(one["height"], one["reason"]) for one in reply], [(None, "hole"), (None, "outside")])

    def test_many(self):
        points = [[7 + 0.009 * i, 46.3 + 0.0005 * i] for i in range(100)]
        reply = self.server.json("/v1/height", {"points": points})[1]["results"]
        for point, one in zip(points, reply):
            self.assertEqual(one["at"], point)
            if one["reason"] == "answered":
                self.assertAlmostEqual(one["height"], plane(*point), places=8)
        self.assertEqual(sum(one["reason"] == "answered" for one in reply), 100)

    def test_projected(self):
        """Longitude and latitude of the ridge: 500000 + 32 * 30 east of the central meridian's false easting."""
        reply = self.server.json("/v1/height?at=500960,5100900&crs=native&dataset=ridge")
        self.assertEqual(reply[0], 200)
        one = self.server.json("/v1/height?at=9.0124,46.0545&dataset=ridge")[1]["results"][0]
        self.assertEqual(one["dataset"], "ridge")
        self.assertTrue(0 <= one["height"] <= 100)

    def test_geojson(self):
        shape = {"type": "FeatureCollection", "features": [
            {"type": "Feature", "geometry": {"type": "MultiPoint", "coordinates": [[7.25, 46.25], [20, 20]]}}]}
        status, _, body = self.server.ask("/v1/height?format=geojson", json.dumps(shape), {"Content-Type": "application/geo+json"})
        reply = json.loads(body)
        self.assertEqual((status, reply["type"], len(reply["features"])), (200, "FeatureCollection", 2))
        self.assertEqual(reply["features"][0]["geometry"]["coordinates"], [7.25, 46.25, plane(7.25, 46.25)])
        self.assertEqual(reply["features"][1]["geometry"]["coordinates"], [20, 20])

    def test_interpolations(self):
        for how, expected in (("nearest", plane(7.28125, 46.25)), ("bilinear", plane(7.27, 46.26)), ("cubic", plane(7.27, 46.26))):
            one = self.server.json("/v1/height?at=7.27,46.26&interpolation=" + how)[1]["results"][0]
            self.assertAlmostEqual(one["height"], expected, places=8)

    def test_refused(self):
        for target, part in (("at=7", "at 7: expected LON,LAT"), ("at=7,95", "latitude"), ("at=nan,1", "at nan,1"),
                             ("at=1e308,1e308", "expected a longitude"), ("", "points: missing"), ("at=7,46&dataset=x", "dataset x"),
                             ("at=7,46&format=xml", "format xml: expected one of json|geojson"), ("at=%zz", "%-escape")):
            status, reply = self.server.json("/v1/height?" + target)
            self.assertIn(status, (400, 404))
            self.assertIn(part, reply["error"]["message"])

    def test_limit(self):
        status, reply = self.server.json("/v1/height", {"points": [[7, 46]] * 10001})
        self.assertEqual(status, 413)
        self.assertEqual((reply["error"]["limit"], reply["error"]["allowed"], reply["error"]["asked"]), ("points", 10000, 10001))


class Sight(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server(PROGRAMS, ["ridge.asc"], "--quiet")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def line(self, more=""):
        return self.server.json("/v1/sight?crs=native&cc=0&from=500060,5100900&to=501860,5100900" + more)[1]

    def test_blocked(self):
        reply = self.line("&eye=10&target=10")
        self.assertEqual(reply["verdict"], "blocked")
        self.assertAlmostEqual(reply["length"], 1800)
        # The ridge rises from 930 to 960: the level line at 10 m enters it 3 m after its foot.
        self.assertAlmostEqual(reply["distance"], 873, places=6)
        self.assertAlmostEqual(reply["clearance"], -90, places=6)

    def test_clear(self):
        reply = self.line("&eye=120&target=120&frequency=100")
        self.assertEqual(reply["verdict"], "clear")
        self.assertAlmostEqual(reply["clearance"], 20, places=6)
        radius = math.sqrt(299792458 / 100e6 * 900 * 900 / 1800)
        self.assertAlmostEqual(reply["fresnel"], 20 / radius, places=6)

    def test_unknown(self):
        reply = self.server.json("/v1/sight?crs=native&from=0,0&to=501860,5100900")[1]
        self.assertEqual((reply["verdict"], reply["end"], reply["reason"]), ("unknown", "from", "outside"))

    def test_profile(self):
        reply = self.server.json("/v1/profile?crs=native&cc=0&from=500060,5100900&to=501860,5100900")[1]["points"]
        highest = max(reply, key=lambda point: point["ground"])
        self.assertEqual((highest["ground"], highest["distance"]), (100, 900))
        status, headers, body = self.server.ask("/v1/profile?crs=native&from=500060,5100900&to=501860,5100900&format=csv&steps=4")
        lines = body.decode().splitlines()
        self.assertEqual((status, headers["content-type"], len(lines)), (200, "text/csv; charset=utf-8", 6))
        self.assertEqual(lines[3].split(",")[2:4], ["900", "100"])

    def test_ray(self):
        reply = self.server.json("/v1/ray?crs=native&from=500060,5100900,50&azimuth=90&pitch=0")[1]
        self.assertTrue(reply["hit"])
        self.assertAlmostEqual(reply["distance"], 885, delta=1.5)  # true east is turned against the map by its convergence
        down = self.server.json("/v1/ray?crs=native&from=500060,5100900,50")[1]
        self.assertAlmostEqual(down["distance"], 50)
        up = self.server.json("/v1/ray?crs=native&from=500060,5100900,50&pitch=90")[1]
        self.assertEqual((up["hit"], up["reason"]), (False, "none"))


class Worlds(unittest.TestCase):
    """World files: the answers of the command, with buildings, boxes and models."""
    EXAMPLES = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "worlds")

    def command(self, *words):
        program = os.path.join(os.path.abspath(PROGRAMS), "landfall")
        done = subprocess.run([program, *words, "--json"], cwd=self.folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        return json.loads(done.stdout)

    def compare(self, ground, points, lines):
        server = serving.Server(PROGRAMS, [ground], "--quiet", folder=self.folder)
        try:
            self.assertEqual(server.json("/v1/datasets")[1]["datasets"][0]["kind"], "world")
            for point in points:
                ours = server.json("/v1/height?at=" + point)[1]["results"][0]
                self.assertAlmostEqual(ours["height"], self.command("height", ground, "--at", point)["point"][2], places=5)
                self.assertAlmostEqual(math.hypot(*ours["normal"]), 1)
            for start, end in lines:
                ours = server.json("/v1/sight?cc=0&from=%s&to=%s" % (start, end))[1]
                theirs = self.command("sight", ground, "--cc", "0", "--from", start, "--to", end)
                self.assertEqual(ours["verdict"], theirs["verdict"])
            return server.json("/v1/height?points=" + "|".join(points))[1]["results"]
        finally:
            server.stop()

    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="landfall-serve-")
        shutil.copytree(self.EXAMPLES, self.folder, dirs_exist_ok=True)

    def tearDown(self):
        shutil.rmtree(self.folder)

    def test_town(self):
        hills, roof = self.compare("town.world.json", ["160,200", "200,200"], [("160,200,2", "240,200,2"), ("20,20,2", "30,20,2")])
        self.assertGreater(roof["height"], hills["height"] + 30)

    def test_globe(self):
        subprocess.run([os.path.join(os.path.abspath(PROGRAMS), "landfall"), "make", "planet", "--size", "91", "-o", "planet.tif", "-q"],
                       cwd=self.folder, check=True)
        subprocess.run([os.path.join(os.path.abspath(PROGRAMS), "landfall"), "globe", "build", "planet.tif", "-o", "planet.lf", "-q"],
                       cwd=self.folder, check=True, stdout=subprocess.DEVNULL)
        ground, roof = self.compare("airport.world.json", ["25.02,-4.98", "25.01,-4.991"],
                                    [("25.009,-4.991,2", "25.011,-4.991,2"), ("25.02,-4.98,2", "25.021,-4.98,2")])
        self.assertGreater(roof["height"], ground["height"] + 30)
        self.assertEqual(roof["datum"], "ellipsoid")


if __name__ == "__main__":
    unittest.main()
