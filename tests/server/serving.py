"""What the tests of the server share: ground with known heights, a running server, a client on a plain socket."""
import http.client
import json
import os
import shutil
import signal
import socket
import subprocess
import tempfile
import time
import urllib.parse

WGS84 = ('GEOGCS["WGS 84",DATUM["WGS_1984",SPHEROID["WGS 84",6378137,298.257223563]],PRIMEM["Greenwich",0],'
         'UNIT["degree",0.0174532925199433]]')
UTM32 = ('PROJCS["WGS 84 / UTM zone 32N",' + WGS84 + ',PROJECTION["Transverse_Mercator"],'
         'PARAMETER["latitude_of_origin",0],PARAMETER["central_meridian",9],PARAMETER["scale_factor",0.9996],'
         'PARAMETER["false_easting",500000],PARAMETER["false_northing",0],UNIT["metre",1]]')
LONG = os.environ.get("LANDFALL_LONG") == "1"
SLOW = float(os.environ.get("LANDFALL_SLOW", "1"))  # under sanitizers everything takes longer


def write_asc(path, west, south, step, rows, crs=WGS84, nodata=-9999):
    """A raster of heights. rows: from the south; pixels are centred on west + i * step, south + j * step."""
    with open(path, "w") as file:
        file.write("ncols %d\nnrows %d\nxllcenter %r\nyllcenter %r\ncellsize %r\nNODATA_value %d\n"
                   % (len(rows[0]), len(rows), west, south, step, nodata))
        for row in reversed(rows):
            file.write(" ".join(repr(float(v)) for v in row) + "\n")
    if crs:
        with open(path[:-4] + ".prj", "w") as file:
            file.write(crs)


def patches(path, west, south, step, size, points, sea=0.0):
    """A raster that is level around each (lat, lon, height), so that every interpolation gives that height."""
    columns, rows = size
    heights = [[sea] * columns for _ in range(rows)]
    for lat, lon, height in points:
        i, j = int((lon - west) // step), int((lat - south) // step)
        for row in range(max(0, j - 1), min(rows, j + 3)):
            for column in range(max(0, i - 1), min(columns, i + 3)):
                heights[row][column] = height
    write_asc(path, west, south, step, heights)


def make_grounds(folder):
    """The grounds of the documented examples of other services, and small ones with slopes and voids."""
    patches(folder + "/srtm90m.asc", -180, -60, 1.0, (361, 141),
            [(-43.5, 172.5, 45.0), (27.6, 1.98, 402.0), (39.7391536, -104.9847034, 1608.637939453125),
             (10, 10, 515.0), (20, 20, 545.0), (41.161758, -8.583933, 117.0)])
    patches(folder + "/pottsville.asc", -77.1, 40.6, 0.0078125, (96, 64),
            [(40.712431, -76.504916, 307.0), (40.712275, -76.605259, 272.0), (40.712122, -76.805694, 204.0),
             (40.722431, -76.884916, 204.0), (40.812275, -76.905259, 180.0), (40.912122, -76.965694, 198.0)])
    # A plane: height = 1000 + 800 (lon - 7) + 400 (lat - 46), with a void at (7.5, 46.5), where bilinear is exact.
    step = 0.03125
    plane = [[1000 + 800 * i * step + 400 * j * step for i in range(33)] for j in range(33)]
    plane[16][16] = -9999
    write_asc(folder + "/plane.asc", 7, 46, step, plane)
    # A ridge from south to north in the middle, 100 m over level ground.
    ridge = [[100.0 if i == 32 else 0.0 for i in range(65)] for j in range(65)]
    write_asc(folder + "/ridge.asc", 500000, 5100000, 30.0, ridge, UTM32)
    write_asc(folder + "/local.asc", 0, 0, 10.0, [[i * 10.0 for i in range(9)] for j in range(9)], None)


class Server:
    """landfall-serve on a port of the loopback interface."""

    def __init__(self, folder_of_programs, grounds, *options, folder=None):
        self.program = os.path.abspath(os.path.join(folder_of_programs, "landfall-serve"))
        self.own = folder is None
        self.folder = folder or tempfile.mkdtemp(prefix="landfall-serve-")
        if self.own:
            make_grounds(self.folder)
        self.log = open(os.path.join(self.folder, "server.err"), "a+")
        command = [self.program, "--listen", "127.0.0.1:0", *grounds, *options]
        known = "suppressions=" + os.path.join(os.path.dirname(os.path.abspath(__file__)), "tsan.txt")
        self.process = subprocess.Popen(command, cwd=self.folder, stdout=subprocess.PIPE, stderr=self.log, text=True,
                                        env={**os.environ, "TSAN_OPTIONS": known + ":" + os.environ.get("TSAN_OPTIONS", "")})
        line = self.process.stdout.readline()
        if "listening on " not in line:
            self.process.wait(10)
            self.log.seek(0)
            raise RuntimeError("server did not start: " + line + self.log.read())
        self.url = line.split("listening on ")[1].strip()
        parts = urllib.parse.urlsplit(self.url)
        self.host, self.port = parts.hostname, parts.port

    def connect(self, timeout=20):
        return socket.create_connection((self.host, self.port), timeout=timeout * SLOW)

    def ask(self, target, body=None, headers=None, method=None):
        """(status, headers, body) of a request on a connection of its own."""
        connection = http.client.HTTPConnection(self.host, self.port, timeout=60 * SLOW)
        try:
            connection.request(method or ("POST" if body is not None else "GET"), target, body, headers or {})
            reply = connection.getresponse()
            return reply.status, dict((k.lower(), v) for k, v in reply.getheaders()), reply.read()
        finally:
            connection.close()

    def json(self, target, value=None):
        body = None if value is None else json.dumps(value)
        status, _, data = self.ask(target, body, {"Content-Type": "application/json"})
        return status, json.loads(data)

    def metric(self, name):
        for line in self.ask("/metrics")[2].decode().splitlines():
            if line.startswith("landfall_" + name + " "):
                return float(line.split()[1])
        raise KeyError(name)

    def wait_for(self, condition, seconds=10):
        end = time.monotonic() + seconds * SLOW
        while not condition():
            if time.monotonic() > end:
                return False
            time.sleep(0.02)
        return True

    def signal(self, number):
        self.process.send_signal(number)

    def alive(self):
        return self.process.poll() is None

    def stop(self):
        """End it; raises where it did not end cleanly, as after a finding of a sanitizer."""
        if self.alive():
            self.signal(signal.SIGTERM)
        try:
            status = self.process.wait(60 * SLOW)
        except subprocess.TimeoutExpired:
            self.process.kill()
            self.process.wait()
            status = "killed: it did not end"
        self.process.stdout.close()
        self.log.seek(0)
        said = self.log.read()
        self.log.close()
        if self.own:
            shutil.rmtree(self.folder, ignore_errors=True)
        if status != 0 or "Sanitizer" in said or "runtime error" in said:
            raise RuntimeError("server ended with %s\n%s" % (status, said))
