#!/usr/bin/python3
"""bench_tiles [--quick]: jobs in a tenth of the memory against the same in one piece; landfall-mpi on two ranks against one."""
import os
import re
import shutil
import subprocess
import sys
import tempfile
import time

BIN = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "cli")
QUICK = "--quick" in sys.argv
SIZE = 600 if QUICK else 2400
JOBS = (  # copies of the raster along a side: enough for ten times the memory in one piece
    ("shadow", 2 if QUICK else 6, ["--sun", "120,20", "--range", "3000"]),
    ("total", 1 if QUICK else 3, ["--range", "1000", "--azimuths", "12", "--check", "0"]),
)
MPI = dict(os.environ, OMPI_ALLOW_RUN_AS_ROOT="1", OMPI_ALLOW_RUN_AS_ROOT_CONFIRM="1", OMPI_MCA_rmaps_base_oversubscribe="1",
           OMPI_MCA_hwloc_base_binding_policy="none")


TIMES = re.compile(r"([0-9.]+) s for the tiles, ([0-9.]+) s of these for the manifest")


worst_manifest = 0


def seconds(*words, env=None):
    """Elapsed time of a command; what the manifest takes of it is noted."""
    global worst_manifest
    began = time.perf_counter()
    done = subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=dict(env or os.environ, LANDFALL_TIMES="1"))
    took = time.perf_counter() - began
    for whole, manifest in TIMES.findall(done.stderr):
        worst_manifest = max(worst_manifest, float(manifest) / float(whole))
    return took


def bar(name, value, target):
    print(f"bar {name} {value:.6f} {target:g} {'ok' if value >= target else 'short'}", flush=True)


def write_mosaic(path, copies):
    """A VRT of files side by side. Of one file many times GDAL would decode each block once, and keep it for all places."""
    side = SIZE * copies
    for k in range(copies * copies):
        shutil.copyfile("part.tif", f"part{k}.tif")
    sources = "".join(
        f'<SimpleSource><SourceFilename relativeToVRT="1">part{j * copies + i}.tif</SourceFilename><SourceBand>1</SourceBand>'
        f'<SrcRect xOff="0" yOff="0" xSize="{SIZE}" ySize="{SIZE}"/>'
        f'<DstRect xOff="{i * SIZE}" yOff="{j * SIZE}" xSize="{SIZE}" ySize="{SIZE}"/></SimpleSource>'
        for j in range(copies) for i in range(copies))
    with open(path, "w", encoding="utf-8") as file:
        file.write(f'<VRTDataset rasterXSize="{side}" rasterYSize="{side}"><GeoTransform>0,30,0,0,0,-30</GeoTransform>'
                   f'<VRTRasterBand dataType="Float32" band="1">{sources}</VRTRasterBand></VRTDataset>')


def in_tiles():
    for name, copies, words in JOBS:
        write_mosaic("mosaic.vrt", copies)
        words = [BIN + "/landfall", name, "mosaic.vrt", *words, "-q"]
        tiled = seconds(*words, "--memory", "130M", "-o", "tiles.tif")
        whole = seconds(*words, "-o", "whole.tif")
        side = SIZE * copies
        print(f"{name}, {side} x {side} samples in {copies * copies} files: {tiled:.2f} s in 130 MB, {whole:.2f} s in one piece: "
              f"{tiled / whole:.2f}", flush=True)
        bar(f"tiles-{name}", 1.3 / (tiled / whole), 1)


def in_one_file():
    """The cheapest job, on one compressed file: decoding it twice would show."""
    side = SIZE * (2 if QUICK else 15) // 4
    subprocess.run([BIN + "/landfall", "make", "mountains", "-o", "large.tif", "--size", str(side), "-q"], check=True)
    words = [BIN + "/landfall", "shadow", "large.tif", *JOBS[0][2], "-q"]
    tiled = seconds(*words, "--memory", "130M", "-o", "tiles.tif")
    whole = seconds(*words, "-o", "whole.tif")
    print(f"shadow, {side} x {side} samples in a compressed file: {tiled:.2f} s in 130 MB, {whole:.2f} s in one piece: "
          f"{tiled / whole:.2f}", flush=True)
    bar("tiles-compressed", 1.3 / (tiled / whole), 1)


def on_ranks():
    if not shutil.which("mpirun") or not os.path.exists(BIN + "/landfall-mpi"):
        print("Open MPI is missing: two ranks are not measured")
        return
    words = [BIN + "/landfall-mpi", "total", "part.tif", "--range", "3000", "--azimuths", "90", "--check", "0", "-j", "1", "-q"]
    took = [seconds("mpirun", "-n", str(ranks), *words, "-o", f"ranks{ranks}.vrt", env=MPI) for ranks in (1, 2)]
    print(f"total, {SIZE} x {SIZE} samples: {took[0]:.2f} s on one rank, {took[1]:.2f} s on two: {took[0] / took[1]:.2f}")
    bar("mpi-two-ranks", took[0] / took[1], 1.8)
    many = seconds("mpirun", "-n", "2", *words, "--tile", "128,128", "-o", "many.vrt", env=MPI)
    print(f"the same in tiles of 128 x 128 samples on two ranks: {many:.2f} s")


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([BIN + "/landfall", "make", "mountains", "-o", "part.tif", "--size", str(SIZE), "-q"], check=True)
        print("elapsed time", flush=True)
        in_tiles()
        in_one_file()
        on_ranks()
        print(f"manifests took at most {100 * worst_manifest:.3f} % of the time of any of these jobs")
        bar("tiles-manifest", 0.02 / worst_manifest, 1)
        os.chdir("/")


main()
