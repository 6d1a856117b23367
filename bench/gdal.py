#!/usr/bin/python3
"""bench_gdal: a whole grid read through GDAL from a .lf file, beside the same grid as a GeoTIFF compressed by DEFLATE, in turns."""
import os
import shutil
import subprocess
import sys
import tempfile
import time

HERE = os.path.dirname(os.path.abspath(__file__))
os.environ["GDAL_DRIVER_PATH"] = os.path.join(HERE, "..", "gdal")
os.environ["GDAL_PAM_ENABLED"] = "NO"
from osgeo import gdal  # noqa: E402

gdal.UseExceptions()
SIZE = 4097


def seconds(path):
    """The time to open a file and read all of it, and what was read."""
    began = time.perf_counter()
    raster = gdal.Open(path)
    heights = raster.ReadAsArray()
    return time.perf_counter() - began, heights


def race(folder, name, deflated, *options):
    program = os.path.join(HERE, "..", "cli", "landfall")
    deflated = folder + "/" + deflated
    subprocess.run([program, "build", deflated, "-o", folder + "/grid.lf", "-q", *options], check=True, stdout=subprocess.DEVNULL)
    ours, theirs = [], []
    for _ in range(5):
        took, mine = seconds(folder + "/grid.lf")
        ours.append(took)
        took, other = seconds(deflated)
        theirs.append(took)
        if not (abs(mine - other) <= 0.0501).all():
            raise RuntimeError("other heights")
    ratio = sorted(b / a for a, b in zip(ours, theirs))[2]
    print("%d x %d, %s: %.0f ms, %.1f MB; GeoTIFF with DEFLATE: %.0f ms, %.1f MB"
          % (SIZE, SIZE, name, min(ours) * 1e3, os.path.getsize(folder + "/grid.lf") / 1e6, min(theirs) * 1e3,
             os.path.getsize(deflated) / 1e6))
    return "bar gdal-read-%s %.2f 1 %s" % (name, ratio, "ok" if ratio >= 1 else "short")


def main():
    folder = tempfile.mkdtemp(prefix="landfall-bench-")
    try:
        subprocess.run([os.path.join(HERE, "..", "cli", "landfall"), "make", "mountains", "--size", str(SIZE), "-o", folder + "/plain.tif", "-q"], check=True)
        how = ["COMPRESS=DEFLATE", "TILED=YES"]
        gdal.Translate(folder + "/floats.tif", folder + "/plain.tif", creationOptions=how + ["PREDICTOR=3"])
        gdal.Translate(folder + "/whole.tif", folder + "/plain.tif", creationOptions=how + ["PREDICTOR=2"], outputType=gdal.GDT_Int16)
        bars = [race(folder, "raw", "floats.tif"), race(folder, "pack", "floats.tif", "--max-error", "0.05"),
                race(folder, "whole", "whole.tif")]
        print("\n" + "\n".join(bars))
    finally:
        shutil.rmtree(folder)


main()
