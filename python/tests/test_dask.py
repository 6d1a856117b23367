"""Chunked arrays: equal to the in-memory call bit for bit, on threads, on two worker processes, and when one is killed."""
import os
import signal
import time

import numpy as np
import pytest

import landfall as lf
from conftest import make_terrain, same

dask = pytest.importorskip("dask")
xarray = pytest.importorskip("xarray")
import landfall.dask  # noqa: E402


def chunked(rows=90, columns=110, holes=0.02, size=(40, 33)):
    values = make_terrain(rows, columns, holes=holes)
    da = xarray.DataArray(values, {"y": np.arange(rows) * -10.3 + 4000, "x": np.arange(columns) * 9.7 + 333.3}, ("y", "x"))
    return da, da.chunk({"y": size[0], "x": size[1]})


def observers_on(grid, count=5):
    random = np.random.default_rng(4)
    x0, y0, x1, y1 = grid.bounds
    places = random.uniform((x0, y0), (x1, y1), (10 * count, 2))
    return places[np.isfinite(grid.height(places[:, 0], places[:, 1]))][:count]


def expected_and_lazy(da, chunks, **options):
    grid = lf.Grid.from_xarray(da)
    places = observers_on(grid)
    return [(grid.viewshed_count(places, **options).values, landfall.dask.viewshed_count(chunks, places, **options)),
            (grid.sky_view(6).values, landfall.dask.sky_view(chunks, 6)),
            (grid.horizon_map(33.0).values, landfall.dask.horizon_map(chunks, 33.0))]


@pytest.mark.parametrize("options", [{}, {"range": 300, "curvature": "light", "target": 1.5}])
def test_equal_to_memory(options):
    da, chunks = chunked()
    for expected, lazy in expected_and_lazy(da, chunks, **options):
        assert lazy.chunks == chunks.chunks and lazy.dims == chunks.dims
        assert same(lazy.compute(scheduler="threads").values, expected)
    part = landfall.dask.sky_view(chunks, 6)[10:20, 5:50].compute(scheduler="synchronous")
    assert same(part.values, expected_and_lazy(da, chunks)[1][0][10:20, 5:50])


def test_refused():
    da, chunks = chunked(20, 20)
    for bad in (da, chunks.astype("i4"), chunks.isel(x=0)):
        with pytest.raises(lf.BadArgument):
            landfall.dask.sky_view(bad)
    with pytest.raises(lf.BadArgument):
        landfall.dask.viewshed_count(chunks, [(0, 0)]).compute(scheduler="synchronous")


@pytest.mark.long
def test_cluster_and_killed_worker(tmp_path):
    """Two worker processes; one of them is killed while they work: the result is still right."""
    distributed = pytest.importorskip("distributed")
    da, chunks = chunked(400, 500, size=(100, 100))
    grid = lf.Grid.from_xarray(da)
    expected = grid.sky_view(24).values
    with distributed.LocalCluster(n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None,
                                  local_directory=str(tmp_path)) as cluster, distributed.Client(cluster) as client:
        assert same(landfall.dask.sky_view(chunks, 24).compute().values, expected)
        future = client.compute(landfall.dask.sky_view(chunks, 24).data)
        time.sleep(1.0)
        pids = client.run(os.getpid)
        os.kill(next(iter(pids.values())), signal.SIGKILL)
        assert same(np.asarray(future.result(timeout=200)), expected)


@pytest.mark.long
def test_memory_is_bounded_by_chunks(tmp_path):
    """A worker's own memory does not grow with the raster: 16 times the samples, the same memory."""
    import subprocess
    import sys

    code = """
import sys, numpy as np, dask, dask.array, xarray, landfall.dask
side = int(sys.argv[1])
def block(rows, columns):
    return (100 * np.sin(rows / 31) * np.cos(columns / 17)).astype("f4")
data = dask.array.fromfunction(block, shape=(side, side), chunks=(256, 256), dtype="f4")
da = xarray.DataArray(data, {"y": np.arange(side) * 1.0, "x": np.arange(side) * 1.0}, ("y", "x"))
lazy = landfall.dask.viewshed_count(da, [(side / 2, side / 2)], range=200, folder=sys.argv[2]).data
before = own = 0
def anonymous():
    for line in open("/proc/self/status"):
        if line.startswith("RssAnon"):
            return int(line.split()[1]) * 1024
import threading, time
most, stop = [0], threading.Event()
def look():
    while not stop.is_set():
        most[0] = max(most[0], anonymous())
        time.sleep(0.002)
start = anonymous()
thread = threading.Thread(target=look); thread.start()
total = float(lazy.sum().compute(scheduler="synchronous"))
stop.set(); thread.join()
print(most[0] - start, total)
"""
    used = []
    for side in (1024, 4096):
        run = subprocess.run([sys.executable, "-c", code, str(side), str(tmp_path)], capture_output=True, text=True,
                             env={**os.environ, "OMP_NUM_THREADS": "1"})
        assert run.returncode == 0, run.stderr
        used.append(int(run.stdout.split()[0]))
    assert used[1] < 4096 * 4096 * 4 / 2, used  # the heights alone are 64 MiB; bounds take less than a byte per sample
