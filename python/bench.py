"""bench.py LIBRARY_FOLDER: the package against the C library, GDAL's Python bindings and NumPy, in one run on the same data.

Each pair takes turns, and the least time of each counts. Answers are compared before a figure is printed.
"""
import ctypes
import os
import resource
import subprocess
import sys
import time

import numpy as np

import landfall as lf

ROUNDS = int(os.environ.get("LANDFALL_BENCH_ROUNDS", "7"))
COUNT = 1_000_000


def terrain(side):
    """Mountains: sums of waves at many scales."""
    y, x = np.mgrid[0:side, 0:side].astype(np.float32)
    heights = np.zeros((side, side), np.float32)
    for k in range(9):
        heights += 0.55**k * np.sin(x * 1.9**k / 300 + 3 * k) * np.cos(y * 1.9**k / 270 + 5 * k)
    return (800 + 600 * heights).astype(np.float32)


worked = []  # the least processor time of each call of the last race


def race(*calls):
    """The least seconds of each call, taking turns."""
    best, work = [float("inf")] * len(calls), [float("inf")] * len(calls)
    for _ in range(ROUNDS):
        for k, call in enumerate(calls):
            began, busy = time.perf_counter(), time.process_time()
            call()
            best[k] = min(best[k], time.perf_counter() - began)
            work[k] = min(work[k], time.process_time() - busy)
    worked[:] = work
    return best


def bar(name, measured, wanted):
    print(f"bar {name} {measured:.3f} <={wanted} {'ok' if measured <= wanted else 'short'}")


def row(what, seconds, other, other_seconds, note=""):
    print(f"{what:<32} {seconds * 1e3:9.2f} ms   {other:<22} {other_seconds * 1e3:9.2f} ms   ratio {seconds / other_seconds:6.3f}  "
          f"{note}")


def work_note():
    """Processor time of both: what a busy machine changes least."""
    return f"(processor time {worked[0] / worked[-1]:.3f})"


class Library:
    """The C library, through tests/reference.c."""

    def __init__(self, folder, values, transform):
        self.c = ctypes.CDLL(os.path.join(folder, "libreference.so"))
        self.c.ref_bench_grid.restype = ctypes.c_void_p
        a, _, c, _, e, f = transform
        rows, columns = values.shape
        place = (ctypes.c_double * 6)(c + 0.5 * a, f + (rows - 0.5) * e, a, 0, 0, -e)
        self.grid = ctypes.c_void_p(self.c.ref_bench_grid(ctypes.c_void_p(values[-1:].ctypes.data), ctypes.c_int64(columns),
                                                          ctypes.c_int64(rows), place))

    def call(self, name, *arrays):
        status = getattr(self.c, name)(self.grid, *[ctypes.c_void_p(a.ctypes.data) if isinstance(a, np.ndarray) else a
                                                    for a in arrays])
        assert status == 0, (name, status)


def batches(grid, library, random):
    x0, y0, x1, y1 = grid.bounds
    points = np.empty((COUNT, 3))
    points[:, 0], points[:, 1], points[:, 2] = random.uniform(x0, x1, COUNT), random.uniform(y0, y1, COUNT), np.inf
    n = ctypes.c_int64(COUNT)
    out, own = np.empty(COUNT), np.zeros(COUNT)  # both write to arrays that exist
    ours, theirs = race(lambda: grid.height(points, out=own), lambda: library.call("ref_bench_heights", points, n, out))
    assert np.array_equal(grid.height(points), out, equal_nan=True)
    row("10^6 heights, points (n, 3)", ours, "C", theirs, work_note())
    bar("python-heights", ours / theirs, 1.05)
    x, y = points[:, 0].copy(), points[:, 1].copy()
    apart, theirs = race(lambda: grid.height(x, y), lambda: library.call("ref_bench_heights", points, n, out))
    row("10^6 heights, x and y apart", apart, "C", theirs, work_note())

    ground = np.nan_to_num(grid.height(points))
    a = points.copy()
    a[:, 2] = ground + 10
    b = a[random.permutation(COUNT)]
    near = a[:, :2] + random.uniform(-3000, 3000, (COUNT, 2))
    b[:, :2] = np.clip(near, (x0, y0), (x1, y1))
    b[:, 2] = grid.height(b[:, 0], b[:, 1]) + 10
    rays = np.concatenate([a, b - a, np.zeros((COUNT, 1)), np.full((COUNT, 1), np.inf)], axis=1)
    directions = np.ascontiguousarray(b - a)
    hits, own_hits = np.zeros(COUNT, lf.HIT), np.zeros(COUNT, lf.HIT)
    ours, fresh, theirs = race(lambda: grid.ray(a, directions, out=own_hits), lambda: grid.ray(a, directions),
                               lambda: library.call("ref_bench_rays", rays, n, hits))
    found = grid.ray(a, directions)
    assert np.array_equal(found["t"][hits["kind"] != 0], hits["t"][hits["kind"] != 0])
    row("10^6 rays", ours, "C", theirs, work_note())
    row("10^6 rays, into a new array", fresh, "C", theirs)
    bar("python-rays", ours / theirs, 1.05)
    verdicts = np.empty(COUNT, np.uint8)
    ours, theirs = race(lambda: grid.visible(a, b), lambda: library.call("ref_bench_verdicts", a, b, n, verdicts))
    assert np.array_equal(grid.visible(a, b), verdicts == 0)
    row("10^6 visible pairs", ours, "C", theirs, work_note())
    bar("python-visible", ours / theirs, 1.05)

    # One by one: a loop in Python against a loop in C.
    px, py = [float(v) for v in x[:100000]], [float(v) for v in y[:100000]]
    height = grid.height

    def loop():
        for u, v in zip(px, py):
            height(u, v)

    def empty():
        for u, v in zip(px, py):
            pass

    singles, nothing, theirs = race(loop, empty, lambda: library.call("ref_bench_singles", points, ctypes.c_int64(100000), out))
    above = (singles - nothing - theirs) / 1e5
    print(f"{'one height':<44} {(singles - nothing) / 1e5 * 1e9:10.0f} ns   {'C':<26} {theirs / 1e5 * 1e9:10.0f} ns   above {above * 1e9:6.0f} ns")
    bar("python-single-us", above * 1e6, 1.0)
    return points


def viewsheds(values, transform, library, grid, spot):
    out = np.empty(values.shape, np.uint8)
    at = (ctypes.c_double * 3)(*spot, 10.0)
    own = np.zeros(values.shape, np.uint8)
    ours, fresh, theirs = race(lambda: grid.viewshed(spot, 10.0, out=own), lambda: grid.viewshed(spot, 10.0),
                               lambda: library.call("ref_bench_viewshed", at, out))
    assert np.array_equal(grid.viewshed(spot, 10.0).values, out)
    row(f"viewshed {values.shape[0]} x {values.shape[1]}", ours, "C", theirs, work_note())
    row("the same, into a new array", fresh, "C", theirs)
    bar("python-viewshed", ours / theirs, 1.03)
    return ours


def against_gdal(values, transform, grid, spot, ours):
    try:
        from osgeo import gdal
    except ImportError:
        print("skipped: GDAL's Python bindings are not installed")
        return
    gdal.UseExceptions()
    a, _, c, _, e, f = transform
    dataset = gdal.GetDriverByName("MEM").Create("", values.shape[1], values.shape[0], 1, gdal.GDT_Float32)
    dataset.SetGeoTransform((c, a, 0, f, 0, e))
    dataset.GetRasterBand(1).WriteArray(values)
    began = time.perf_counter()
    made = gdal.ViewshedGenerate(dataset.GetRasterBand(1), "MEM", "", [], spot[0], spot[1], 10.0, 0.0, 255, 0, 0, -1, 0.0,
                                 gdal.GVM_Edge, 0)
    theirs = time.perf_counter() - began
    seen = made.ReadAsArray()
    exact = grid.viewshed(spot, 10.0).values == 1
    different = int(((seen == 255) != exact).sum()) if seen.shape == exact.shape else -1
    row("viewshed", ours, "gdal.ViewshedGenerate", theirs, f"{different} samples differ ({100 * different / exact.size:.2f} %)")


def against_numpy(values, grid, points):
    """Bilinear sampling, as it is written with NumPy."""
    bilinear = lf.Grid(values, grid.transform, surface="bilinear")
    a, _, c, _, e, f = grid.transform

    def sample():
        column, row_ = (points[:, 0] - c) / a - 0.5, (points[:, 1] - f) / e - 0.5
        i, j = np.clip(column.astype(int), 0, values.shape[1] - 2), np.clip(row_.astype(int), 0, values.shape[0] - 2)
        u, v = column - i, row_ - j
        return ((values[j, i] * (1 - u) + values[j, i + 1] * u) * (1 - v) +
                (values[j + 1, i] * (1 - u) + values[j + 1, i + 1] * u) * v)

    ours, theirs = race(lambda: bilinear.height(points), sample)
    off = np.nanmax(np.abs(bilinear.height(points) - sample()))
    row("10^6 bilinear heights", ours, "NumPy", theirs, f"largest difference {off:.2g} m")


QUESTIONS = {  # inputs (their names), and the question
    "heights": ("points", "grid.height(points)"),
    "rays": ("points, down", "grid.ray(points, down)"),
    "visible": ("points, other", "grid.visible(points, other)"),
    "viewshed": ("values", "grid.viewshed((side / 2, side / 2), 10.0).values"),
}


def memory(side):
    """Peak memory of processes that make a grid and ask one question, less what they had before it."""
    code = ("import resource, sys, numpy as np, landfall as lf\nside = int(sys.argv[1])\n"
            "def peak(): return 1024 * resource.getrusage(resource.RUSAGE_SELF).ru_maxrss\n"
            "values = np.zeros((side, side), np.float32)\nvalues += np.arange(side, dtype=np.float32)\n"
            "points = np.full((10**6, 3), 5.0)\npoints[:, 2] = 1e5\nother, down = points + 9, np.tile([0.0, 0.0, -1.0], (10**6, 1))\n"
            "base = peak()\ngrid = lf.Grid(values)\nmade = peak() - base\n"
            "grid.height(points[:100000]), grid.visible(points[:9], other[:9])\n"  # the threads have started
            "here = peak()\nout = %s\nprint(peak() - here, sum(a.nbytes for a in [%s]), out.nbytes, made, grid.info()['bytes'])")
    shares = []
    for name, (inputs, question) in QUESTIONS.items():
        run = subprocess.run([sys.executable, "-c", code % (question, inputs), str(side)], check=True, text=True, stdout=subprocess.PIPE)
        grown, given, outputs, made, told = map(int, run.stdout.split())
        shares.append((given + grown) / (given + outputs))
        print(f"peak memory of {name}: inputs {given / 1e6:.1f} MB, outputs {outputs / 1e6:.1f} MB, grown by {grown / 1e6:.1f} MB: {shares[-1]:.3f}")
    print(f"a grid of {side} x {side} float32 that borrows its values: {made / 1e6:.1f} MB more (the library says {told / 1e6:.1f} MB)")
    bar("python-memory", max(shares), 1.05)


def main():
    folder = sys.argv[1]
    side = 4097
    values = terrain(side)
    transform = (30.0, 0.0, 400000.0, 0.0, -30.0, 6600000.0)
    grid = lf.Grid(values, transform)
    library = Library(folder, values, transform)
    random = np.random.default_rng(1)
    print(f"landfall {lf.__version__} ({lf.instruction_set()}), NumPy {np.__version__}, {side} x {side}, best of {ROUNDS}")
    points = batches(grid, library, random)
    spot = (400000.0 + 30 * 2000.5, 6600000.0 - 30 * 1700.5)
    ours = viewsheds(values, transform, library, grid, spot)
    against_gdal(values, transform, grid, spot, ours)
    against_numpy(values, grid, points)
    memory(side)


if __name__ == "__main__":
    main()
