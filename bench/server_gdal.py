#!/usr/bin/python3
"""server_gdal.py RASTER: a Python server that reads heights by GDAL, one pixel at a time: the usual small elevation service."""
import json
import sys
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer

from osgeo import gdal

gdal.UseExceptions()
local = threading.local()
path = sys.argv[1]


class Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"

    def do_POST(self):
        if not hasattr(local, "band"):
            local.raster = gdal.Open(path)
            local.band = local.raster.GetRasterBand(1)
            local.place = local.raster.GetGeoTransform()
        points = json.loads(self.rfile.read(int(self.headers["Content-Length"])))["points"]
        west, width, _, north, _, height = local.place
        results = []
        for lon, lat in points:
            column, row = int((lon - west) / width), int((lat - north) / height)
            value = local.band.ReadAsArray(column, row, 1, 1)[0][0]
            results.append({"at": [lon, lat], "height": float(value)})
        body = json.dumps({"results": results}).encode()
        self.send_response(200)
        self.send_header("Content-Type", "application/json")
        self.send_header("Content-Length", str(len(body)))
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *words):
        pass


server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
print(server.server_port, flush=True)
server.serve_forever()
