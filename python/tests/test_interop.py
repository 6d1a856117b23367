"""Other packages' rasters, points and meshes, each with the real package; files; pictures; types; documents."""
import doctest
import importlib
import os
import pickle
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest

import landfall as lf
from conftest import TRANSFORM, make_terrain, same

HERE = Path(__file__).resolve().parent
PACKAGE = Path(lf.__file__).resolve().parent


@pytest.fixture
def file(tmp_path):
    """A GeoTIFF in SWEREF 99 TM, with voids."""
    rasterio = pytest.importorskip("rasterio")
    values = make_terrain(40, 50, holes=0.05)
    path = tmp_path / "dem.tif"
    with rasterio.open(path, "w", driver="GTiff", width=50, height=40, count=1, dtype="float32", crs="EPSG:3006",
                       transform=rasterio.Affine(10, 0, 500000, 0, -10, 6500000), nodata=-9999) as out:
        out.write(np.nan_to_num(values, nan=-9999), 1)
    return path, values


def test_open_equals_arrays(file):
    """A file, its array with its transform, and the dataset give the same ground, bit for bit."""
    import rasterio

    path, values = file
    opened = lf.open(path)
    with rasterio.open(path) as dataset:
        grids = [lf.Grid(dataset.read(1), dataset.transform, crs=dataset.crs, nodata=dataset.nodata),
                 lf.Grid.from_rasterio(dataset), lf.open(str(path), surface="falling")]
    x, y = np.random.default_rng(1).uniform((500000, 6499600), (500500, 6500000), (500, 2)).T
    spot = (500255, 6499795)
    for grid in grids:
        assert grid.shape == opened.shape and grid.transform == opened.transform and not grid.degrees
        assert same(grid.height(x, y), opened.height(x, y)) and same(grid.heights(), opened.heights())
        assert same(grid.viewshed(spot, mode="ground").values, opened.viewshed(spot, mode="ground").values)
        assert "SWEREF99 TM" in repr(grid)
    assert same(opened.heights(), values.astype(float))
    again = pickle.loads(pickle.dumps(opened))
    assert same(again.heights(), opened.heights()) and again.path == str(path)
    part = lf.open(path, window=(slice(10, 30), slice(5, 45)))
    assert same(part.heights(), opened.heights()[10:30, 5:45]) and part.transform[2] == 500050
    opened.save(path.with_suffix(".lf"))
    stored = lf.open(path.with_suffix(".lf"))
    assert same(stored.heights(), opened.heights()) and stored.transform == opened.transform and stored.crs == opened.crs
    assert same(stored.viewshed(spot).values, opened.viewshed(spot).values)


def test_open_refuses(tmp_path, file):
    path, _ = file
    (tmp_path / "text.tif").write_text("no raster")
    for call, kind in [(lambda: lf.open(tmp_path / "none.tif"), lf.IOFailed), (lambda: lf.open(tmp_path / "text.tif"), lf.Error),
                       (lambda: lf.open(path, band=3), lf.BadArgument), (lambda: lf.open(path, crs="EPSG:0"), lf.BadArgument),
                       (lambda: lf.open(path, surface="smooth"), lf.BadArgument),
                       (lambda: lf.open(path, window=(slice(0, 90), slice(0, 10))), lf.BadArgument),
                       (lambda: lf.Grid(np.zeros((3, 3)), crs="EPSG:nonsense"), lf.BadArgument),
                       (lambda: lf.Grid(np.zeros((3, 3)), crs="EPSG:2225"), lf.BadArgument),
                       (lambda: lf.Grid(np.zeros((3, 3)), crs="EPSG:3006", degrees=True), lf.BadArgument)]:
        with pytest.raises(kind):
            call()
    assert lf.Grid(np.zeros((3, 3)), crs="EPSG:4326").degrees and lf.Grid(np.zeros((3, 3)), crs=4326).degrees


def test_polygon_files(tmp_path):
    vertices, faces = lf.cube(2.0)
    lines = [f"v {x} {y} {z}" for x, y, z in vertices] + ["f " + " ".join(str(c + 1) for c in face) for face in faces]
    (tmp_path / "cube.obj").write_text("\n".join(lines))
    mesh = lf.open(tmp_path / "cube.obj")
    assert mesh.height(0.0, 0.0) == 1 and mesh.info()["polygons"] == 6
    mesh.save(tmp_path / "cube.lf")
    assert lf.open(tmp_path / "cube.lf").height(0.0, 0.0) == 1
    assert pickle.loads(pickle.dumps(mesh)).height(0.0, 0.0) == 1
    (tmp_path / "bad.obj").write_text("v 1 2\nf 1 2 3")
    with pytest.raises(lf.Error) as error:
        lf.open(tmp_path / "bad.obj")
    assert "bad.obj" in str(error.value)


def test_xarray(file):
    xarray = pytest.importorskip("xarray")
    import landfall.xarray  # noqa: F401

    values = make_terrain(30, 40)
    da = xarray.DataArray(values, {"lat_like": np.arange(30) * -10.0 + 500, "x": np.arange(40) * 10.0}, ("lat_like", "x"),
                          attrs={"crs": "EPSG:3006"})
    grid = lf.Grid.from_xarray(da)
    assert grid.heights().base is not None and same(grid.heights(), values.astype(float))
    assert grid.height(200.0, 400.0) == values[10, 20]
    seen = da.landfall.viewshed((200, 400), mode="ground")
    assert seen.dims == da.dims and same(seen.values, grid.viewshed((200, 400), mode="ground").values)
    assert (seen["x"] == da["x"]).all() and "SWEREF" in seen.coords["spatial_ref"].attrs["crs_wkt"]
    assert da.landfall.height(200.0, 400.0) == values[10, 20] and da.landfall.grid is da.landfall.grid
    for name, arguments in (("viewshed_count", ([(200, 400)],)), ("horizon_map", (90,)), ("sky_view", (4,)),
                            ("sun_shade", (90, 30)), ("sun_hours", ([(90, 30, 1)],))):
        assert same(getattr(da.landfall, name)(*arguments).values, getattr(grid, name)(*arguments).values)
    back = lf.Grid.from_xarray(grid.to_xarray())
    assert same(back.heights(), grid.heights()) and back.crs == grid.crs
    uneven = da.assign_coords(x=np.arange(40.0) ** 2)
    for bad in (uneven, da.isel(x=0), da.T.rename({"x": "lon"}).transpose("lon", "lat_like"), da.drop_vars("x")):
        with pytest.raises(lf.BadArgument):
            lf.Grid.from_xarray(bad)
    with pytest.raises(lf.BadArgument):
        lf.Grid(da)


def test_shapely_and_geopandas(grid):
    geometry = pytest.importorskip("shapely.geometry")
    places = [(5400.0, 8700.0), (5500.0, 8800.0)]
    points = [geometry.Point(*place) for place in places]
    assert same(grid.viewshed(points[0]).values, grid.viewshed(places[0]).values)
    expected = grid.viewshed_count(places).values
    assert same(grid.viewshed_count(points).values, expected)
    assert same(grid.viewshed_count(geometry.MultiPoint(places)).values, expected)
    assert grid.visible(geometry.Point(5400, 8700, 90), geometry.Point(5500, 8800, 90)) in (True, False)
    with pytest.raises(lf.BadArgument) as error:
        grid.viewshed_count([points[0], geometry.LineString(places)])
    assert error.value.index == 1 and "LineString" in str(error.value)
    geopandas = pytest.importorskip("geopandas")
    frame = geopandas.GeoDataFrame({"name": ["a", "b"]}, geometry=points)
    assert same(grid.viewshed_count(frame).values, expected) and same(grid.viewshed_count(frame.geometry).values, expected)


def test_points_and_projections(tmp_path):
    (tmp_path / "observers.csv").write_text("x,y,height,name\n18.0,59.3,5,tower\n17.9,59.2,,hill\n")
    places, heights, names = lf.read_points(tmp_path / "observers.csv")
    assert places.tolist() == [[18.0, 59.3], [17.9, 59.2]] and heights[0] == 5 and np.isnan(heights[1])
    assert names == ["tower", "hill"]
    there = lf.transform_points(places, "EPSG:4326", "EPSG:3006")
    assert abs(there[0, 0] - 670800) < 3000 and abs(there[0, 1] - 6577000) < 3000
    assert np.allclose(lf.transform_points(there, "EPSG:3006"), places, atol=1e-7)
    with pytest.raises(lf.Error):
        lf.transform_points(places, "EPSG:none")
    with pytest.raises(lf.Error):
        lf.read_points(tmp_path / "none.csv")
    with pytest.raises(lf.Error):
        lf.sun_at(0, 99, "2026-01-01")
    with pytest.raises(lf.Error):
        lf.sun_day(0, 0, "2026-13-01")


def test_import_without_the_io_part(tmp_path):
    """Arrays work where landfall._io cannot be loaded; open() says what is missing."""
    code = """
import sys
class Missing:
    def find_spec(self, name, path=None, target=None):
        if name == "landfall._io":
            raise ImportError("libsomething.so: cannot open shared object file")
sys.meta_path.insert(0, Missing())
import numpy as np
import landfall as lf
assert lf.Grid(np.zeros((3, 3))).height(1.0, 1.0) == 0
try:
    lf.open("dem.tif")
except lf.Unsupported as error:
    print(error)
"""
    run = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True)
    assert "dem.tif: needs landfall's io part" in run.stdout, run.stderr


def test_pictures(grid, tmp_path):
    matplotlib = pytest.importorskip("matplotlib")
    import matplotlib.pyplot as plt

    def is_png(data):
        return data.startswith(b"\x89PNG") and data.endswith(b"IEND\xaeB`\x82")

    spot = (5400, 8700)
    rasters = [grid.viewshed(spot), grid.viewshed(spot, mode="ground"), grid.viewshed_count([spot]), grid.sky_view(4),
               grid.viewshed(spot, window=(slice(0, 20), slice(0, 20)))]
    assert is_png(grid._repr_png_()) and all(is_png(raster._repr_png_()) for raster in rasters)
    assert is_png(lf.Mesh(*lf.cube(2.0))._repr_png_())
    for thing in [grid, lf.Mesh(*lf.cube(2.0)), *rasters, grid.profile([5100, 8700, 99], [5700, 8700, 99], frequency_mhz=900)]:
        figure, ax = plt.subplots()
        assert thing.plot(ax) is ax
        figure.savefig(tmp_path / "a.png", dpi=30)
        plt.close(figure)
    picture = plt.imread(str(_written(tmp_path / "b.png", rasters[0]._repr_png_())))
    seen = rasters[0].values == 1
    times = picture.shape[0] // 60
    inside = picture[times // 2::times, times // 2::times]
    assert inside[seen][:, 0].mean() > inside[seen][:, 2].mean() + 0.2  # visible is yellow


def _written(path, data):
    path.write_bytes(data)
    return path


def test_doctests():
    for name in ("landfall", "landfall._core", "landfall._errors", "landfall._raster", "landfall._open", "landfall._io",
                 "landfall._shapes", "landfall.xarray"):
        if name == "landfall.xarray":
            pytest.importorskip("xarray")
        result = doctest.testmod(importlib.import_module(name))
        assert result.failed == 0 and result.attempted > 0, name


def test_documents(tmp_path, monkeypatch):
    pytest.importorskip("xarray"), pytest.importorskip("rasterio")
    monkeypatch.chdir(tmp_path)
    result = doctest.testfile(str(HERE.parent.parent / "docs" / "python.md"), module_relative=False)
    assert result.failed == 0 and result.attempted > 20


def test_everything_public_is_documented_and_typed():
    stubs = (PACKAGE / "_core.pyi").read_text()
    for name in lf.__all__:
        thing = getattr(lf, name)
        if isinstance(thing, np.dtype):
            assert f"{name}: np.dtype" in stubs
            continue
        assert thing.__doc__, name
        if getattr(thing, "__module__", "") == "landfall._core" and isinstance(thing, type):
            for method in (m for m in dir(thing) if not m.startswith("_")):
                owners = [k.__name__ for k in thing.__mro__]
                assert f"def {method}(" in stubs or f" {method}: " in stubs, (name, method, owners)
                assert not callable(getattr(thing, method)) or getattr(thing, method).__doc__, (name, method)


@pytest.mark.long
def test_types():
    """mypy, strict, on the package with its stubs and on a program that uses it."""
    if subprocess.run([sys.executable, "-c", "import mypy"], capture_output=True).returncode:
        pytest.skip("mypy is not installed")
    files = [str(path) for path in sorted(PACKAGE.glob("*.py")) + sorted(PACKAGE.glob("*.pyi"))] + [str(HERE / "usage.py")]
    run = subprocess.run([sys.executable, "-m", "mypy", "--strict", "--ignore-missing-imports", "--no-incremental",
                          "--cache-dir", os.devnull, "--follow-imports=normal", "--allow-subclassing-any", *files],
                         capture_output=True, text=True, env={**os.environ, "MYPYPATH": str(PACKAGE.parent)})
    assert run.returncode == 0, run.stdout


def test_usage():
    import usage

    usage.use()
