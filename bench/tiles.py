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


def seconds(*words, env=None):
    """Elapsed time of a command."""
    began = time.perf_counter()
    subprocess.run(words, check=True, stdout=subprocess.DEVNULL, env=env)
    return time.perf_counter() - began


def manifest_share(*words, env=None):
    """What the manifest takes of the time of a job in tiles."""
    done = subprocess.run(words, check=True, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE, text=True,
                          env=dict(env or os.environ, LANDFALL_TIMES="1"))
    whole, manifest = TIMES.search(done.stderr).groups()
    return float(manifest) / float(whole)


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


def manifests(*words, env=None):
    """With fewer and with many more tiles than the jobs have."""
    worst = 0
    for side in (512, 128):
        share = manifest_share(*words, "--tile", f"{side},{side}", "-o", f"manifest{side}.vrt", env=env)
        print(f"manifest, tiles of {side} x {side} samples: {100 * share:.3f} % of the time", flush=True)
        worst = max(worst, share)
    return worst


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


def on_one():
    share = manifests(BIN + "/landfall", "shadow", "part.tif", "--sun", "120,20", "--range", "3000", "-q")
    bar("tiles-manifest", 0.02 / share, 1)


def on_ranks():
    if not shutil.which("mpirun") or not os.path.exists(BIN + "/landfall-mpi"):
        print("Open MPI is missing: two ranks are not measured")
        return
    words = [BIN + "/landfall-mpi", "total", "part.tif", "--range", "3000", "--azimuths", "90", "--check", "0", "-j", "1", "-q"]
    took = [seconds("mpirun", "-n", str(ranks), *words, "-o", f"ranks{ranks}.vrt", env=MPI) for ranks in (1, 2)]
    print(f"total, {SIZE} x {SIZE} samples: {took[0]:.2f} s on one rank, {took[1]:.2f} s on two: {took[0] / took[1]:.2f}")
    bar("mpi-two-ranks", took[0] / took[1], 1.8)
    bar("mpi-manifest", 0.02 / manifests("mpirun", "-n", "2", *words, env=MPI), 1)


def main():
    with tempfile.TemporaryDirectory() as folder:
        os.chdir(folder)
        subprocess.run([BIN + "/landfall", "make", "mountains", "-o", "part.tif", "--size", str(SIZE), "-q"], check=True)
        print("elapsed time", flush=True)
        in_tiles()
        on_one()
        on_ranks()
        os.chdir("/")


main()
