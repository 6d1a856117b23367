#!/usr/bin/python3
"""bench_server: landfall serve beside nginx (static files) and a Python server on GDAL, in turns, on this machine's loopback.

--large: memory over ten minutes instead of twenty seconds."""
import http.client
import json
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
import threading
import time

HERE = os.path.dirname(os.path.abspath(__file__))
PROGRAMS = os.path.join(HERE, "..", "cli")
LARGE = "--large" in sys.argv
VIEW = "/v1/viewshed?at=7.15,46.15&eye=10&range=20000"
VRT = """<VRTDataset rasterXSize="%d" rasterYSize="%d"><SRS>EPSG:4326</SRS>
<GeoTransform>7, %r, 0, 46.3, 0, %r</GeoTransform><VRTRasterBand dataType="Float32" band="1"><SimpleSource>
<SourceFilename relativeToVRT="1">%s</SourceFilename></SimpleSource></VRTRasterBand></VRTDataset>
"""
bars = []


def bar(name, measured, wanted, fine):
    bars.append("bar %s %s %s %s" % (name, measured, wanted, "ok" if fine else "short"))


def run(*words, **more):
    return subprocess.run(words, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True, **more).stdout


def make_ground(folder, name, size):
    """Mountains of a third of a degree, as a .lf file and as a raster for GDAL."""
    command = os.path.join(PROGRAMS, "landfall")
    run(command, "make", "mountains", "--size", str(size), "-o", "%s/%s_local.tif" % (folder, name), "-q")
    with open("%s/%s.vrt" % (folder, name), "w") as file:
        file.write(VRT % (size, size, 0.3 / size, -0.3 / size, name + "_local.tif"))
    run(command, "build", "%s/%s.vrt" % (folder, name), "-o", "%s/%s.lf" % (folder, name), "-q")


def start(command, folder, pattern):
    process = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    return process, int(re.search(pattern, process.stdout.readline()).group(1))


def serve(folder, *words):
    return start([PROGRAMS + "/landfall-serve", "--listen", "127.0.0.1:0", "--quiet", *words], folder, r":(\d+)\s*$")


def start_nginx(folder):
    port = random.randrange(20000, 30000)
    with open(folder + "/nginx.conf", "w") as file:
        file.write("worker_processes %d; daemon off; pid %s/nginx.pid; error_log %s/nginx.err;\n"
                   "events { worker_connections 4096; }\n"
                   "http { access_log off; keepalive_requests 100000000; client_body_temp_path %s; proxy_temp_path %s; fastcgi_temp_path %s;\n"
                   "uwsgi_temp_path %s; scgi_temp_path %s; open_file_cache max=100;\n"
                   "server { listen 127.0.0.1:%d; root %s; } }\n" % (os.cpu_count(), folder, folder, *[folder] * 5, port, folder))
    if os.getuid() == 0:
        with open(folder + "/nginx.conf", "a") as file:
            file.write("user root;\n")
    process = subprocess.Popen(["/usr/sbin/nginx", "-c", folder + "/nginx.conf"], stderr=subprocess.DEVNULL)
    time.sleep(0.5)
    return process, port


def wrk(port, target, connections=32, seconds=3):
    """Requests per second and the 99th percentile in milliseconds."""
    text = run("wrk", "-t1", "-c%d" % connections, "-d%ds" % seconds, "--latency", "http://127.0.0.1:%d%s" % (port, target))
    rate = float(re.search(r"Requests/sec:\s+([\d.]+)", text).group(1))
    value, unit = re.search(r"99%\s+([\d.]+)(us|ms|s)", text).groups()
    if "Non-2xx" in text:
        raise RuntimeError(text)
    return rate, float(value) * {"us": 1e-3, "ms": 1, "s": 1e3}[unit]


def seconds_of(port, target, body=None, turns=15):
    """The least time of a request on a connection that stays, and its reply."""
    connection = http.client.HTTPConnection("127.0.0.1", port, timeout=120)
    least, data = 1e9, b""
    for _ in range(turns):
        began = time.perf_counter()
        connection.request("POST" if body else "GET", target, body, {"Content-Type": "application/json"} if body else {})
        reply = connection.getresponse()
        data = reply.read()
        least = min(least, time.perf_counter() - began)
        if reply.status != 200:
            raise RuntimeError(data)
    connection.close()
    return least, data


def median(values):
    return sorted(values)[len(values) // 2]


def race_nginx(folder, port, nginx_port):
    with open(folder + "/hundred.txt", "w") as file:
        file.write("x" * 99 + "\n")
    ours, theirs = [], []
    for _ in range(5):
        theirs.append(wrk(nginx_port, "/hundred.txt"))
        ours.append(wrk(port, "/v1/height?at=7.15,46.15"))
    rate = median([a[0] / b[0] for a, b in zip(ours, theirs)])
    slow = median([a[1] / b[1] for a, b in zip(ours, theirs)])
    print("one height, 32 connections: landfall %.0f requests/s, p99 %.2f ms; nginx, 100 bytes: %.0f requests/s, p99 %.2f ms"
          % (median([a[0] for a in ours]), median([a[1] for a in ours]), median([a[0] for a in theirs]), median([a[1] for a in theirs])))
    bar("height-rate-to-nginx", "%.2f" % rate, "0.5", rate >= 0.5)
    bar("height-p99-to-nginx", "%.2f" % slow, "<=3", slow <= 3)


def race_points(folder, port):
    numbers = random.Random(1)
    points = [[7.001 + 0.298 * numbers.random(), 46.001 + 0.298 * numbers.random()] for _ in range(10000)]
    body = json.dumps({"points": points})
    with open(folder + "/points.json", "w") as file:
        file.write(body)
    inside = dict(line.split() for line in run(HERE + "/server-inside", folder + "/small.lf", folder + "/points.json", VIEW).splitlines())
    inside = {name: float(value) for name, value in inside.items()}
    ours, data = seconds_of(port, "/v1/height", body)
    python, python_port = start(["/usr/bin/python3", HERE + "/server_gdal.py", "small.vrt"], folder, r"(\d+)")
    try:
        theirs, their_data = seconds_of(python_port, "/", body, 3)
    finally:
        python.terminate()
        python.wait()
    mine = [one["height"] for one in json.loads(data)["results"]]
    other = [one["height"] for one in json.loads(their_data)["results"]]
    near = sum(abs(a - b) < 60 for a, b in zip(mine, other)) / len(mine)  # theirs is the nearest pixel, of 30 m on slopes
    print("10,000 points: landfall %.2f ms; inside without sockets %.2f ms (parse %.2f, batch of heights %.2f, rest: conversion and printing %.2f);"
          " Python and GDAL %.1f ms; %.1f %% of the heights within 60 m"
          % (ours * 1e3, inside["request"] * 1e3, inside["parse"] * 1e3, inside["batch"] * 1e3,
             (inside["request"] - inside["parse"] - inside["batch"]) * 1e3, theirs * 1e3, near * 100))
    bar("points-to-inside", "%.2f" % (ours / inside["request"]), "<=2.5", ours / inside["request"] <= 2.5)
    bar("points-to-python-gdal", "%.1f" % (theirs / ours), "20", theirs / ours >= 20)
    return inside


def race_viewshed(port, inside):
    one, _ = seconds_of(port, VIEW, turns=5)

    def ask():
        seconds_of(port, VIEW, turns=4)
    began = time.perf_counter()
    ask()
    single = time.perf_counter() - began
    threads = [threading.Thread(target=ask) for _ in range(2)]
    began = time.perf_counter()
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    double = time.perf_counter() - began
    print("viewshed 1025 x 1025, 20 km, PNG: %.1f ms; computing and encoding alone %.1f ms; two at once: %.2f times the work of one in the same time"
          % (one * 1e3, inside["viewshed"] * 1e3, 2 * single / double))
    bar("viewshed-to-inside", "%.2f" % (one / inside["viewshed"]), "<=1.3", one / inside["viewshed"] <= 1.3)
    bar("viewshed-two-at-once", "%.2f" % (2 * single / double), "1.8", 2 * single / double >= 1.8)


def race_tiles(folder, port, nginx_port):
    times, names = [], ["/tiles/terrain-rgb/14/%d/%d.png" % (8511 + i % 8, 5812 + i // 8) for i in range(24)]
    for name in names:
        times.append(seconds_of(port, name, turns=1)[0])
    kept, data = seconds_of(port, names[0])
    with open(folder + "/tile.png", "wb") as file:
        file.write(data)
    ours, theirs = wrk(port, names[0]), wrk(nginx_port, "/tile.png")
    print("Terrain-RGB tile: made in %.2f ms (median), kept: %.2f ms; %.0f requests/s, nginx with the same file %.0f"
          % (median(times) * 1e3, kept * 1e3, ours[0], theirs[0]))


def watch_memory(folder):
    """A mapped file of 8193 x 8193 samples under 64 clients."""
    make_ground(folder, "large", 8193)
    process, port = serve(folder, "large.lf")
    try:
        def resident():
            connection = http.client.HTTPConnection("127.0.0.1", port)
            connection.request("GET", "/metrics")
            text = connection.getresponse().read().decode()
            connection.close()
            return float(re.search(r"^landfall_resident_bytes (\S+)", text, re.M).group(1))
        seconds = 600 if LARGE else 20
        script = folder + "/points.lua"
        with open(script, "w") as file:
            file.write('request = function() return wrk.format("GET", string.format("/v1/height?at=%f,%f", 7.001 + 0.298 * math.random(),'
                       ' 46.001 + 0.298 * math.random())) end\n')
        words = ["wrk", "-t1", "-c64", "-s", script]
        run(*words, "-d%ds" % max(10, seconds // 10), "http://127.0.0.1:%d" % port)  # every page of the file has been touched
        before = resident()
        run(*words, "-d%ds" % seconds, "http://127.0.0.1:%d" % port)
        after = resident()
        print("memory, 8193 x 8193 mapped, 64 clients, %d s: %.0f MiB, then %.0f MiB" % (seconds, before / 2 ** 20, after / 2 ** 20))
        grown = (after - before) / before * 100
        bar("memory-growth-percent", "%.2f" % grown, "<=5", grown < 5)
    finally:
        process.terminate()
        process.wait()


def main():
    folder = tempfile.mkdtemp(prefix="landfall-bench-")
    make_ground(folder, "small", 1025)
    process, port = serve(folder, "small.lf")
    nginx, nginx_port = start_nginx(folder)
    try:
        race_nginx(folder, port, nginx_port)
        inside = race_points(folder, port)
        race_viewshed(port, inside)
        race_tiles(folder, port, nginx_port)
    finally:
        process.terminate()
        nginx.terminate()
        process.wait()
        nginx.wait()
    watch_memory(folder)
    shutil.rmtree(folder, ignore_errors=True)
    print("\n" + "\n".join(bars))


main()
