#!/usr/bin/python3
"""Tiles: heights that are decoded again, quantized meshes read back by landfall, and what caches ask for."""
import gzip
import json
import math
import os
import struct
import subprocess
import sys
import unittest
import zlib

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import serving

PROGRAMS = os.path.abspath(sys.argv.pop(1))


def plane(lon, lat):
    return 1000 + 800 * (lon - 7) + 400 * (lat - 46)


def read_png(data):
    """Width, height, channels, palette with alpha, and rows of bytes."""
    assert data[:8] == b"\x89PNG\r\n\x1a\n"
    at, packed, palette, alphas = 8, b"", b"", b""
    while at < len(data):
        size, kind = struct.unpack(">I4s", data[at:at + 8])
        part = data[at + 8:at + 8 + size]
        assert zlib.crc32(kind + part) == struct.unpack(">I", data[at + 8 + size:at + 12 + size])[0]
        if kind == b"IHDR":
            width, height, depth, colours = struct.unpack(">IIBB", part[:10])
        packed += part if kind == b"IDAT" else b""
        palette = part if kind == b"PLTE" else palette
        alphas = part if kind == b"tRNS" else alphas
        at += 12 + size
    channels = {0: 1, 2: 3, 3: 1, 6: 4}[colours]
    raw, rows, stride = zlib.decompress(packed), [], width * channels
    for row in range(height):
        method = raw[row * (stride + 1)]
        line = bytearray(raw[row * (stride + 1) + 1:(row + 1) * (stride + 1)])
        assert method in (0, 1)
        if method == 1:
            for i in range(channels, stride):
                line[i] = (line[i] + line[i - channels]) & 255
        rows.append(line)
    return width, height, channels, (palette, alphas), rows


def tile_of(lon, lat, z):
    n = 2 ** z
    x = (lon + 180) / 360 * n
    y = (1 - math.asinh(math.tan(math.radians(lat))) / math.pi) / 2 * n
    return int(x), int(y), int(x % 1 * 256), int(y % 1 * 256)


def pixel_place(x, y, z, column, row):
    n = 2 ** z
    lon = (x + (column + 0.5) / 256) / n * 360 - 180
    lat = math.degrees(math.atan(math.sinh(math.pi * (1 - 2 * (y + (row + 0.5) / 256) / n))))
    return lon, lat


class Tiles(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.server = serving.Server(PROGRAMS, ["plane.asc", "ridge.asc"], "--quiet", "--cache-folder", ".")

    @classmethod
    def tearDownClass(cls):
        cls.server.stop()

    def check_heights(self, kind, decode, error):
        x, y, column, row = tile_of(7.25, 46.25, 11)
        status, headers, data = self.server.ask("/tiles/%s/11/%d/%d.png" % (kind, x, y))
        self.assertEqual((status, headers["content-type"]), (200, "image/png"))
        width, height, channels, _, rows = read_png(data)
        self.assertEqual((width, height, channels), (256, 256, 3))
        for column, row in ((0, 0), (255, 0), (0, 255), (255, 255), (column, row)):
            pixel = rows[row][3 * column:3 * column + 3]
            self.assertAlmostEqual(decode(*pixel), plane(*pixel_place(x, y, 11, column, row)), delta=error)

    def test_terrain_rgb(self):
        self.check_heights("terrain-rgb", lambda r, g, b: (r * 65536 + g * 256 + b) / 10 - 10000, 0.0501)

    def test_terrarium(self):
        self.check_heights("terrarium", lambda r, g, b: r * 256 + g + b / 256 - 32768, 0.5 / 256 + 1e-3)

    def test_hillshade(self):
        x, y, _, _ = tile_of(7.25, 46.25, 11)
        data = self.server.ask("/tiles/hillshade/11/%d/%d.png" % (x, y))[2]
        width, height, _, (palette, _), rows = read_png(data)
        shades = set(palette[3 * value] for row in rows for value in row)
        self.assertTrue(len(shades) <= 3, shades)  # a plane is evenly lit
        metres = 111320 * math.cos(math.radians(46.25))
        dx, dy = 800 / metres, 400 / 111150
        light = (0.5 * dx - 0.5 * dy + math.sqrt(0.5)) / math.sqrt(1 + dx * dx + dy * dy)
        self.assertAlmostEqual(max(shades), 1 + light * 254, delta=2)

    def test_nothing_there(self):
        status, _, data = self.server.ask("/tiles/terrain-rgb/11/0/0.png")
        self.assertEqual((status, json.loads(data)["error"]["status"]), (404, 404))

    def test_conditional(self):
        target = "/tiles/terrarium/10/%d/%d.png" % tile_of(7.25, 46.25, 10)[:2]
        status, headers, data = self.server.ask(target)
        again = self.server.ask(target, headers={"If-None-Match": headers["etag"]})
        self.assertEqual((status, again[0], again[2]), (200, 304, b""))
        self.assertEqual(again[1]["etag"], headers["etag"])
        self.assertEqual(self.server.ask(target, headers={"If-None-Match": '"other"'})[2], data)
        self.assertIn("max-age", headers["cache-control"])
        self.assertGreaterEqual(self.server.metric("cache_hits_total"), 2)

    def test_folder(self):
        """A second server finds the tiles of the first in the folder, and a damaged one is made again."""
        target = "/tiles/terrain-rgb/9/%d/%d.png" % tile_of(7.25, 46.25, 9)[:2]
        data = self.server.ask(target)[2]
        names = [name for name in os.listdir(self.server.folder) if len(name) == 16]
        self.assertTrue(names)
        other = serving.Server(PROGRAMS, ["plane.asc", "ridge.asc"], "--quiet", "--cache-folder", ".", folder=self.server.folder)
        try:
            self.assertEqual(other.ask(target)[2], data)
            for name in names:
                with open(os.path.join(self.server.folder, name), "r+b") as file:
                    file.seek(-5, 2)
                    file.write(b"\0\0")
        finally:
            other.stop()
        other = serving.Server(PROGRAMS, ["plane.asc", "ridge.asc"], "--quiet", "--cache-folder", ".", folder=self.server.folder)
        try:
            self.assertEqual(other.ask(target)[2], data)
        finally:
            other.stop()

    def test_viewshed(self):
        """The ridge hides the ground behind it. Pixels are compared with lines of sight."""
        look = "at=9.0064,46.0545&eye=2&cc=0&range=2000&dataset=ridge"
        x, y, _, _ = tile_of(9.0124, 46.0545, 14)
        data = self.server.ask("/tiles/viewshed/14/%d/%d.png?%s" % (x, y, look))[2]
        _, _, _, (_, alphas), rows = read_png(data)
        seen = 0
        for column in range(8, 256, 31):
            for row in range(8, 256, 31):
                visible = rows[row][column] == 1
                seen += visible
        self.assertTrue(0 < seen < 64, seen)
        self.assertEqual(alphas[0], 0)

    def test_terrain(self):
        """Tiles as a folder on disk: landfall reads them, and finds the plane's heights."""
        folder = os.path.join(self.server.folder, "terrain")
        layer = json.loads(self.server.ask("/terrain/layer.json")[2])
        self.assertEqual((layer["format"], layer["scheme"]), ("quantized-mesh-1.0", "tms"))
        levels = 8
        self.assertGreaterEqual(len(layer["available"]), levels)
        layer["available"] = layer["available"][:levels]
        os.makedirs(folder, exist_ok=True)
        with open(folder + "/layer.json", "w") as file:
            json.dump(layer, file)
        for z in range(levels):
            size = 180 / 2 ** z
            wanted = {(int((7.25 + 180) / size), int((46.25 + 90) / size))} | ({(0, 0), (1, 0)} if z == 0 else set())
            for x, y in wanted:
                status, headers, data = self.server.ask("/terrain/%d/%d/%d.terrain" % (z, x, y), headers={"Accept-Encoding": "gzip"})
                self.assertEqual((status, headers["content-encoding"]), (200, "gzip"))
                plain = self.server.ask("/terrain/%d/%d/%d.terrain" % (z, x, y))
                self.assertEqual(plain[2], gzip.decompress(data))
                os.makedirs("%s/%d/%d" % (folder, z, x), exist_ok=True)
                with open("%s/%d/%d/%d.terrain" % (folder, z, x, y), "wb") as file:
                    file.write(data)
        for lon, lat in ((7.25, 46.25), (7.1, 46.3), (7.7, 46.1)):
            done = subprocess.run([PROGRAMS + "/landfall", "height", folder, "--at", "%r,%r" % (lon, lat), "--json"],
                                  stdout=subprocess.PIPE, check=True)
            height = json.loads(done.stdout)["point"][2]
            self.assertAlmostEqual(height, plane(lon, lat), delta=0.3)


if __name__ == "__main__":
    unittest.main()
