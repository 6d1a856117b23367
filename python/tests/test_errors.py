"""Bad input raises an exception with the offending value and index; nothing crashes."""
import pickle

import numpy as np
import pytest
from hypothesis import given, strategies as st

import landfall as lf
from conftest import TRANSFORM, make_terrain

nan, inf = float("nan"), float("inf")


def refused(kind, call, text, index=...):
    with pytest.raises(kind) as caught:
        call()
    assert text in str(caught.value), str(caught.value)
    assert isinstance(caught.value, lf.Error) and caught.value.status.startswith("LF_")
    if index is not ...:
        assert caught.value.index == index
    again = pickle.loads(pickle.dumps(caught.value))
    assert (type(again), str(again), again.index) == (type(caught.value), str(caught.value), caught.value.index)


def test_points(grid):
    refused(lf.BadArgument, lambda: grid.height(nan, 0.0), "nan")
    refused(lf.BadArgument, lambda: grid.height([0, 1, nan], [0, 0, 0]), "point 2: (nan, 0.0", 2)
    many = np.zeros((100000, 3))
    many[77777, 1] = nan
    refused(lf.BadArgument, lambda: grid.height(many), "point 77777", 77777)
    refused(lf.BadArgument, lambda: grid.height(many[:, 0], many[:, 1]), "point 77777", 77777)
    refused(lf.BadArgument, lambda: grid.height(many, reason=True), "point 77777", 77777)
    refused(lf.BadArgument, lambda: grid.hit(many), "point 77777", 77777)
    refused(lf.BadArgument, lambda: grid.height(np.zeros((4, 2))), "(4, 2)")
    refused(lf.BadArgument, lambda: grid.height([1, 2, 3], [1, 2]), "do not broadcast")
    refused(lf.BadArgument, lambda: grid.height("north", 2), "north")
    refused(lf.BadArgument, lambda: grid.height([[1, 2], [3]], 2), "x:")
    refused(lf.BadArgument, lambda: grid.height(np.ma.array([1.0, 2.0], mask=[0, 1]), 2), "masked")
    refused(lf.BadArgument, lambda: grid.height(1.0, 2.0, up=True), "z: must be given")
    refused(lf.BadArgument, lambda: grid.height(np.zeros((2, 3)), z=3), "z:")
    refused(lf.BadArgument, lambda: grid.point_above([0, inf], 0), "place 1", 1)


def test_rays(grid):
    refused(lf.BadArgument, lambda: grid.ray([0, 0, 0], [0, 0, 0]), "ray 0", 0)
    refused(lf.BadArgument, lambda: grid.ray(np.zeros((5, 3)), [[0, 0, 1]] * 4 + [[nan, 0, 0]]), "ray 4", 4)
    refused(lf.BadArgument, lambda: grid.ray_t([0, 0, 0], [0, 0, 1], t_min=2, t_max=1), "t from 2.0 to 1.0", 0)
    refused(lf.BadArgument, lambda: grid.ray_t([0, 0, 0], [0, 0, 1], t_min=-1), "t from -1.0", 0)
    refused(lf.BadArgument, lambda: grid.ray([0, 0], [0, 0, 1]), "origins")
    refused(lf.BadArgument, lambda: grid.ray_all([0, 0, 0], [0, 0, 0]), "ray 0", 0)


def test_sight(grid):
    refused(lf.BadArgument, lambda: grid.visible([0, 0, 0], [[1, 1, 1], [nan, 1, 1]]), "line 1", 1)
    refused(lf.BadArgument, lambda: grid.sight([0, 0, inf], [1, 1, 1]), "line 0", 0)
    refused(lf.BadArgument, lambda: grid.visible([0, 0, 0], [1, 1, 1], curvature="round"), "round")
    refused(lf.BadArgument, lambda: grid.visible([0, 0, 0], [1, 1, 1], curvature=nan), "nan")
    refused(lf.BadArgument, lambda: grid.visible([0, 0, 0], [1, 1, 1], radius=0), "radius 0")
    refused(lf.BadArgument, lambda: grid.visible([0, 0, 0], [1, 1, 1], voids="maybe"), "maybe")
    refused(lf.BadArgument, lambda: grid.sight([0, 0, 0], [1, 1, 1], frequency_mhz=-1), "-1")
    refused(lf.BadArgument, lambda: grid.profile([0, 0, 0], [1, 1, 1], steps=-1), "steps -1")
    mesh = lf.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])
    refused(lf.BadArgument, lambda: mesh.profile([0, 0, 0], [1, 1, 1]), "steps 0")


def test_viewsheds(grid):
    refused(lf.BadArgument, lambda: grid.viewshed((nan, 0)), "nan", 0)
    refused(lf.BadArgument, lambda: grid.viewshed((0, 0)), "0", 0)
    refused(lf.BadArgument, lambda: grid.viewshed_count([(5400, 8700), (0, 0)]), "0", 1)
    refused(lf.BadArgument, lambda: grid.viewshed_count([(5400, 8700), (5400, inf)]), "inf", 1)
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), range=-1), "range")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), range=(5, 2)), "range 5.0, 2.0")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), azimuth=(0, nan)), "azimuth")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), pitch=(0, 100)), "pitch 0.0, 100.0")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), target=nan), "target nan")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), nan), "nan", 0)
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), mode="who"), "who")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700, 3)), "(3,)")
    refused(lf.BadArgument, lambda: grid.viewshed_count([(1, 2, 3)]), "(1, 3)")
    refused(lf.BadArgument, lambda: grid.viewshed_who([(5400, 8700), (0, 0)]), "0", 1)
    refused(lf.BadArgument, lambda: grid.viewshed_who([(5400, nan), (5400, 8700)]), "nan", 0)
    refused(lf.BadArgument, lambda: grid.viewshed_who([(5400, 8700)], range=-1), "range")
    refused(lf.BadArgument, lambda: grid.site([(5400, 8700), (0, 0)], choose=1), "0", 1)
    refused(lf.BadArgument, lambda: grid.site([(5400, 8700)], choose=2), "choose 2: must be 1 to 1")
    refused(lf.BadArgument, lambda: grid.site([(5400, 8700)], choose=1, weights=[[1.0]]), "weights")
    refused(lf.BadArgument, lambda: grid.site([(5400, 8700)], choose=1, overlap=0), "overlap")
    refused(lf.BadArgument, lambda: grid.viewshed_count([(5400, 8700)], [1, 2]), "height")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), window=(slice(0, 0), slice(None))), "window")
    refused(lf.BadArgument, lambda: grid.viewshed((5400, 8700), window=3), "window")
    refused(lf.BadArgument, lambda: grid.horizon_map(nan), "nan")
    refused(lf.BadArgument, lambda: grid.sky_view(0), "0")
    refused(lf.BadArgument, lambda: grid.total_viewshed(values="areas"), "areas")
    refused(lf.BadArgument, lambda: grid.total_viewshed(values=()), "()")
    refused(lf.BadArgument, lambda: grid.total_viewshed(range=inf), "range")
    refused(lf.BadArgument, lambda: grid.total_viewshed(azimuths=3), "3")
    refused(lf.BadArgument, lambda: grid.sun_shade(0, 100), "100")
    refused(lf.BadArgument, lambda: grid.sun_hours([(0, 10, 1), (0, 10, -1)]), "-1", 1)
    refused(lf.BadArgument, lambda: grid.sun_hours([(0, 10)]), "(1, 2)")
    refused(lf.BadArgument, lambda: grid.horizon([5400, 8700, 0], [0, nan]), "nan", 1)
    refused(lf.BadArgument, lambda: grid.horizon([5400, 8700, 0], [0], range=-1), "-1")
    with pytest.raises(TypeError):
        grid.viewshed((5400, 8700), progress=3)


def test_making():
    refused(lf.BadArgument, lambda: lf.Grid([1, 2, 3]), "(3,)")
    refused(lf.BadArgument, lambda: lf.Grid([[1.0, 2.0]]), "(1, 2)")
    refused(lf.BadArgument, lambda: lf.Grid([[1.0, 2.0], [3.0, 1e31]]), "1e+31", 3)
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), (1, 0, 0)), "transform")
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), (1, 0, 0, 0, 0, 0)), "same line")
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), (1, 0, nan, 0, 1, 0)), "finite")
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), surface="smooth"), "smooth")
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), codec="zip"), "zip")
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), mask=[1, 2]), "mask")
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), scale=0.0), "scale")
    refused(lf.BadArgument, lambda: lf.Grid(np.zeros((2, 2)), crs=3.5), "3.5")
    corners = [[0, 0, 0], [1, 0, 0], [0, 1, 0]]
    refused(lf.BadArgument, lambda: lf.Mesh(corners, [[0, 1, 3]]), "3", 0)
    refused(lf.BadArgument, lambda: lf.Mesh(corners, [[0.5, 1, 2]]), "faces")
    refused(lf.BadArgument, lambda: lf.Mesh(corners, [0, 1, 2]), "faces")
    refused(lf.BadGeometry, lambda: lf.Mesh([[0, 0, nan], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]]), "", 0)
    refused(lf.BadGeometry, lambda: lf.Mesh(corners, np.zeros((0, 3), int)), "")
    refused(lf.BadArgument, lambda: lf.Mesh(corners, [[0, 1, 2]], users=[1, 2]), "users")
    refused(lf.BadArgument, lambda: lf.Mesh(corners, [[0, 1, 2]], gravity=(0, 0, 0)), "gravity")
    refused(lf.BadArgument, lambda: lf.Mesh(corners), "faces")
    refused(lf.BadGeometry, lambda: lf.Mesh([[0, 0, 0], [1, 0, 0], [1, 1, 9], [0, 1, 0]], [[0, 1, 2, 3]]), "", 0)


def test_walks(grid):
    refused(lf.BadArgument, lambda: grid.walk([5400, 8700, 0], [nan, 0, 0]), "nan", 0)
    refused(lf.BadArgument, lambda: grid.walk([5400, 8700, 0], [5500, 8700, 0], step=-1), "step -1")
    refused(lf.BadArgument, lambda: grid.walk([[5400, 8700, 0]], [5500, 8700, 0], path=True), "path")
    refused(lf.BadArgument, lambda: grid.place([5400, 8700, 0], [0, 0, 0], base=2, track=1), "point 0", 0)
    refused(lf.BadArgument, lambda: grid.place([5400, 8700, 0], [1, 0, 0]), "point 0", 0)
    refused(lf.BadArgument, lambda: grid.place([5400, 8700, 0], [1, 0, 0], contacts=[(0, 0)]), "contacts")
    refused(lf.BadArgument, lambda: grid.place([5400, 8700, 0], [1, 0, 0], base=2, track=1, rule="float"), "float")


CALLS = [lambda g: g.height(0.0, 0.0), lambda g: g.height([0.0], [0.0]), lambda g: g.hit(0.0, 0.0), lambda g: g.box,
         lambda g: g.ray([0, 0, 9], [0, 0, -1]), lambda g: g.ray_t([0, 0, 9], [0, 0, -1]), lambda g: g.heights(),
         lambda g: g.ray_all([0, 0, 9], [0, 0, -1]), lambda g: g.visible([0, 0, 9], [1, 1, 9]), lambda g: g.info(),
         lambda g: g.sight([0, 0, 9], [1, 1, 9]), lambda g: g.profile([0, 0, 9], [1, 1, 9]), lambda g: g.point_above(0, 0),
         lambda g: g.walk([0, 0, 9], [1, 1, 9]), lambda g: g.place([0, 0, 9], [1, 0, 0], base=1, track=1),
         lambda g: g.viewshed((0, 0)), lambda g: g.viewshed_count([(0, 0)]), lambda g: g.viewshed_who([(0, 0)]),
         lambda g: g.horizon([0, 0, 0], [0]), lambda g: g.horizon_map(0), lambda g: g.sky_view(), lambda g: g.sun_shade(0, 9), lambda g: g.sun_hours([(0, 9, 1)]), lambda g: g.total_viewshed(),
         lambda g: g.save("never.lf"), lambda g: g.to_xarray(), lambda g: g.plot(), lambda g: np.asarray(g)]


@pytest.mark.parametrize("call", CALLS)
def test_closed(call):
    grid = lf.Grid(np.zeros((3, 3)))
    grid.close()
    grid.close()
    refused(lf.Closed, lambda: call(grid), "closed")


def test_files(tmp_path):
    refused(lf.IOFailed, lambda: lf.open(tmp_path / "none.lf"), "none.lf")
    (tmp_path / "bad.lf").write_bytes(b"no ground at all" * 100)
    refused(lf.BadFormat, lambda: lf.open(tmp_path / "bad.lf"), "bad.lf")
    refused(lf.IOFailed, lambda: lf.Grid(np.zeros((3, 3))).save(tmp_path / "none" / "a.lf"), "a.lf")
    refused(lf.BadArgument, lambda: lf.open(tmp_path / "bad.lf", surface="posts"), "surface")
    assert issubclass(lf.IOFailed, OSError) and issubclass(lf.NoMemory, MemoryError)


def test_pickle_needs_a_path(grid, tmp_path):
    with pytest.raises(TypeError, match="save"):
        pickle.dumps(grid)
    grid.save(tmp_path / "a.lf")
    again = pickle.loads(pickle.dumps(lf.open(tmp_path / "a.lf")))
    assert again.height(5400.0, 8700.0) == grid.height(5400.0, 8700.0) and again.transform == grid.transform


anything = st.one_of(st.none(), st.booleans(), st.integers(), st.floats(), st.text(max_size=3), st.binary(max_size=3),
                     st.lists(st.floats(), max_size=4), st.lists(st.lists(st.floats(), max_size=4), max_size=4),
                     st.lists(st.one_of(st.text(max_size=2), st.none(), st.floats()), max_size=3),
                     st.dictionaries(st.text(max_size=2), st.floats(), max_size=2), st.complex_numbers())
NAMES = ["height", "hit", "ray", "ray_t", "ray_all", "visible", "sight", "profile", "point_above", "walk", "place", "viewshed",
         "viewshed_count", "viewshed_who", "horizon", "horizon_map", "sky_view", "sun_shade", "sun_hours", "heights",
         "total_viewshed", "site"]
OPTIONS = ["z", "up", "reason", "t_min", "t_max", "curvature", "radius", "voids", "frequency_mhz", "detail", "steps", "step",
           "drop", "crack", "path", "base", "track", "contacts", "rule", "reach", "passes", "mode", "target", "range",
           "azimuth", "pitch", "datum", "window", "progress", "height"]


@given(st.sampled_from(NAMES), st.lists(anything, max_size=3), st.dictionaries(st.sampled_from(OPTIONS), anything, max_size=2))
def test_any_arguments(name, arguments, options):
    """Any arguments are answered or refused by an exception; the ground is whole afterwards."""
    grid = lf.Grid(make_terrain(8, 9))
    try:
        getattr(grid, name)(*arguments, **options)
    except (lf.Error, TypeError, OverflowError, ValueError, MemoryError) as error:
        assert not isinstance(error, MemoryError) or isinstance(error, (lf.Error, MemoryError))
    assert np.isfinite(grid.height(3.0, 3.0))


@given(anything, anything, st.dictionaries(st.sampled_from(["crs", "nodata", "surface", "scale", "mask", "degrees", "codec",
                                                            "max_error", "extend", "leaf"]), anything, max_size=2))
def test_any_grid(values, transform, options):
    try:
        lf.Grid(values, transform, **options)
    except (lf.Error, TypeError, OverflowError, ValueError):
        pass


@given(st.integers(0, 2**32 - 1))
def test_any_numbers(seed):
    """Arrays of nasty numbers: answered, or refused with the index of an offending one."""
    random = np.random.default_rng(seed)
    grid = lf.Grid(make_terrain(8, 9), surface="bilinear")
    nasty = np.array([0, -0.0, 1, 3.5, nan, inf, -inf, 1e308, -1e308, 5e-324, 1e30, 1.0000001e30, 8, 7.999999999999999])
    points = random.choice(nasty, (random.integers(1, 6), 3))
    for call in (grid.height, grid.hit, lambda p: grid.ray(p, p[::-1]), lambda p: grid.visible(p, p[::-1]),
                 lambda p: grid.sight(p, p[::-1]), lambda p: grid.walk(p, p[::-1]), lambda p: grid.place(p, p[::-1], base=1, track=1),
                 lambda p: grid.viewshed_count(p[:, :2])):
        try:
            call(points)
        except lf.Error as error:
            assert error.index is None or 0 <= error.index < len(points)
