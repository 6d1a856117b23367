"""bench.py: a viewshed of 4097 x 4097 samples in QGIS, from file to file, beside the command's, in turns. ./run bench qgis runs it."""
import os
import subprocess
import tempfile
import time

import numpy as np
from osgeo import gdal
from qgis.core import QgsApplication

ROUNDS = int(os.environ.get("LANDFALL_BENCH_ROUNDS", "9"))
COMMAND = os.environ["LANDFALL_COMMAND"]
SIZE = 4097
BAR = 1.2  # times as long as the command


def start():
    """QGIS without a window, with the plugin's algorithms."""
    application = QgsApplication([], False)
    application.initQgis()
    from processing.core.Processing import Processing
    Processing.initialize()
    from landfall_terrain.provider import LandfallProvider
    provider = LandfallProvider()
    QgsApplication.processingRegistry().addProvider(provider)
    return application, provider


def seconds(call):
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def race(folder, name, dem):
    import processing
    ours, theirs = os.path.join(folder, "ours.tif"), os.path.join(folder, "theirs.tif")
    words = [COMMAND, "viewshed", dem, "--at", "15000,15000", "--eye", "30", "-o", theirs, "-q"]
    options = dict(INPUT=dem, OBSERVER="15000,15000", HEIGHT=30, OUTPUT=ours)
    pairs = [(seconds(lambda: processing.run("landfall:viewshed", options)),
              seconds(lambda: subprocess.run(words, check=True, stdout=subprocess.DEVNULL))) for _ in range(ROUNDS)]
    if not np.array_equal(gdal.Open(ours).ReadAsArray(), gdal.Open(theirs).ReadAsArray()):
        raise RuntimeError(f"{name}: QGIS and the command have different answers")
    ratio = sorted(a / b for a, b in pairs)[ROUNDS // 2]
    print(f"viewshed {SIZE} x {SIZE}, {name}: QGIS {1e3 * min(a for a, _ in pairs):.0f} ms, "
          f"the command {1e3 * min(b for _, b in pairs):.0f} ms")
    return f"bar qgis-viewshed-{name} {ratio:.3f} {BAR} {'ok' if ratio <= BAR else 'short'}"


def main():
    application, _provider = start()
    with tempfile.TemporaryDirectory(prefix="landfall-bench-") as folder:
        made, tiled, deflated = (os.path.join(folder, name + ".tif") for name in ("made", "tiled", "deflated"))
        subprocess.run([COMMAND, "make", "mountains", "--size", str(SIZE), "-o", made, "-q"], check=True)
        gdal.Translate(tiled, made, creationOptions=["TILED=YES"])
        gdal.Translate(deflated, made, creationOptions=["TILED=YES", "COMPRESS=DEFLATE", "PREDICTOR=3"])
        bars = [race(folder, "tiled", tiled), race(folder, "deflate", deflated)]
    print("\n" + "\n".join(bars))
    application.exitQgis()


main()
