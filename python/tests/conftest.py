"""What the tests share: terrain, and the C API as an independent caller sees it."""
import ctypes
import os
from pathlib import Path

import hypothesis
import numpy as np
import pytest

import landfall as lf

LONG = os.environ.get("LANDFALL_LONG") == "1"
hypothesis.settings.register_profile("short", max_examples=40, deadline=None, derandomize=True,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.register_profile("long", max_examples=1500, deadline=None,
                                     suppress_health_check=list(hypothesis.HealthCheck))
hypothesis.settings.load_profile("long" if LONG else "short")

SURFACES = ["falling", "rising", "alternating", "bilinear", "posts"]
TYPES = {"float32": 0, "float64": 1, "int16": 2, "uint16": 3}


def pytest_configure(config):
    config.addinivalue_line("markers", "long: only with LANDFALL_LONG=1")


def pytest_report_teststatus(report, config):
    """Skipped tests in the form that ./run test lists."""
    return None


def pytest_terminal_summary(terminalreporter):
    for report in terminalreporter.getreports("skipped"):
        reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else str(report.longrepr)
        terminalreporter.write_line(f"skipped: {report.nodeid}: {reason}")


def address(array):
    return array.ctypes.data_as(ctypes.c_void_p)


def doubles(*numbers):
    return (ctypes.c_double * len(numbers))(*numbers)


class Reference:
    """reference.c over the shared library."""

    def __init__(self):
        folder = Path(os.environ["LANDFALL_LIBRARIES"])
        self.c = ctypes.CDLL(str(folder.parent / "python" / "libreference.so"))
        self.shared = ctypes.CDLL(str(folder / "liblandfall.so"))
        pointer = ctypes.c_void_p
        self.c.ref_grid.restype = self.c.ref_mesh.restype = pointer
        self.c.ref_profile.restype = ctypes.c_int64
        self.c.ref_grid_destroy.argtypes = self.c.ref_mesh_destroy.argtypes = [pointer]
        for name in ("lf_grid_ground", "lf_mesh_ground"):
            call = getattr(self.shared, name)
            call.restype, call.argtypes = pointer, [pointer]
        self.kept = []

    def grid(self, values, transform, surface="falling", nodata=np.nan, turn=0.0):
        """A C grid of a north-up raster: row 0 of it is the last of values."""
        a, _, c, _, e, f = transform
        rows, columns = values.shape
        assert e < 0 < a and values.flags.c_contiguous
        first = values[-1:].ctypes.data
        place = doubles(c + 0.5 * a, f + (rows - 0.5) * e, a, 0.0, 0.0, -e)
        grid = self.c.ref_grid(TYPES[str(values.dtype)], ctypes.c_void_p(first), (ctypes.c_int64 * 2)(columns, rows),
                               (ctypes.c_int64 * 2)(values.itemsize, -values.itemsize * columns), place,
                               doubles(nodata, turn), SURFACES.index(surface))
        assert grid
        self.kept.append((self.c.ref_grid_destroy, grid))
        return ctypes.c_void_p(grid), ctypes.c_void_p(self.shared.lf_grid_ground(grid))

    def mesh(self, vertices, faces):
        mesh = self.c.ref_mesh(address(vertices), ctypes.c_int64(len(vertices)), address(faces), ctypes.c_int64(len(faces)))
        assert mesh
        self.kept.append((self.c.ref_mesh_destroy, mesh))
        return ctypes.c_void_p(mesh), ctypes.c_void_p(self.shared.lf_mesh_ground(mesh))

    def models(self, a, b, pose, answer, pairs):
        class Polygons(ctypes.Structure):
            _fields_ = [("vertices", ctypes.c_void_p), ("vertex_count", ctypes.c_int64), ("starts", ctypes.c_void_p),
                        ("corners", ctypes.c_void_p), ("polygon_count", ctypes.c_int64), ("users", ctypes.c_void_p),
                        ("layers", ctypes.c_void_p), ("sides", ctypes.c_void_p)]

        made = [Polygons(address(vertices), len(vertices), None, address(faces), len(faces)) for vertices, faces in (a, b)]
        rows = np.ascontiguousarray(np.concatenate([pose[:3, :3].reshape(-1), pose[:3, 3]]))
        self.c.ref_models.restype = ctypes.c_int64
        return self.c.ref_models(ctypes.byref(made[0]), ctypes.byref(made[1]), address(rows), address(answer), address(pairs),
                                 ctypes.c_int64(len(pairs)))

    def free(self):
        while self.kept:
            destroy, thing = self.kept.pop()
            destroy(thing)


@pytest.fixture
def reference():
    made = Reference()
    yield made
    made.free()


def make_terrain(rows, columns, seed=1, holes=0.0, dtype="float32"):
    """Rough hills, with voids."""
    random = np.random.default_rng(seed)
    y, x = np.mgrid[0:rows, 0:columns]
    heights = 40 * np.sin(x / 7.3) * np.cos(y / 5.1) + 15 * np.sin(x / 2.1 + y / 3.3) + random.normal(0, 2, (rows, columns))
    if np.dtype(dtype).kind in "iu":
        heights = np.round(heights + 100)
        voids = random.random((rows, columns)) < holes
        return np.where(voids, 9999, heights).astype(dtype)
    heights[random.random((rows, columns)) < holes] = np.nan
    return heights.astype(dtype)


TRANSFORM = (10.0, 0.0, 5000.0, 0.0, -10.0, 9000.0)


@pytest.fixture
def grid():
    return lf.Grid(make_terrain(60, 80), TRANSFORM)


def same(a, b):
    """Equal bit for bit, NaN included; of records every field, not what lies between them."""
    if getattr(a, "dtype", None) is not None and a.dtype.names:
        return a.dtype == b.dtype and all(same(a[name], b[name]) for name in a.dtype.names)
    a, b = np.ascontiguousarray(a), np.ascontiguousarray(b)
    return a.shape == b.shape and a.dtype == b.dtype and a.tobytes() == b.tobytes()
