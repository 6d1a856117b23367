"""Arrays in and out: what is borrowed, what is copied, orientation, broadcasting, missing answers."""
import sys
import weakref

import numpy as np
import pytest
from hypothesis import given, strategies as st

import landfall as lf
from conftest import SURFACES, TRANSFORM, make_terrain, same


@pytest.mark.parametrize("dtype", ["float32", "float64", "int16", "uint16"])
@pytest.mark.parametrize("part", [np.s_[:, :], np.s_[::2, ::3], np.s_[::-1, :], np.s_[:, ::-1], np.s_[3:, 5:]])
def test_borrowed_without_copy(dtype, part):
    values = make_terrain(30, 40, dtype=dtype)[part]
    grid = lf.Grid(values, TRANSFORM)
    heights = grid.heights()
    assert same(heights, values.astype(np.float64))
    values[1, 1] += 1  # (not allowed, but it shows whose memory is read)
    assert grid.heights()[1, 1] == heights[1, 1] + 1
    copied = lf.Grid(values, TRANSFORM, copy=True)
    before = copied.heights()[1, 1]
    values[1, 1] += 1
    assert copied.heights()[1, 1] == before


def test_lifetime_of_borrowed_values():
    values = make_terrain(30, 40)
    alive = weakref.ref(values)
    grid = lf.Grid(values, TRANSFORM)
    height = grid.height(5100.0, 8900.0)
    del values
    assert alive() is not None and grid.height(5100.0, 8900.0) == height
    grid.close()
    assert alive() is None
    other = make_terrain(30, 40)
    count = sys.getrefcount(other)
    for _ in range(20):
        lf.Grid(other, TRANSFORM).height(5100.0, 8900.0)
    assert sys.getrefcount(other) == count


@pytest.mark.parametrize("surface", SURFACES)
@pytest.mark.parametrize("leaf", [1, 2, 16, 64])
def test_bounds_change_no_answer(surface, leaf):
    """Whatever squares have bounds of their heights."""
    values = make_terrain(70, 90)
    one, other = lf.Grid(values, TRANSFORM, surface=surface), lf.Grid(values, TRANSFORM, surface=surface, leaf=leaf)
    at = tuple(one.box[0][:2] + 0.4 * (one.box[1] - one.box[0])[:2])
    a, b = np.random.default_rng(1).uniform(*one.box + [[0, 0, 0], [0, 0, 50]], (2, 200, 3))
    assert same(one.viewshed(at, 3.0).values, other.viewshed(at, 3.0).values)
    assert same(one.viewshed(at, 3.0, mode="ground").values, other.viewshed(at, 3.0, mode="ground").values)
    assert same(one.ray_t(a, b - a), other.ray_t(a, b - a)) and same(one.visible(a, b), other.visible(a, b))
    with pytest.raises(lf.BadArgument):
        lf.Grid(values, leaf=3)


@pytest.mark.parametrize("dtype", ["int8", "uint8", "int32", "uint32", "int64", "uint64", "float16", ">f4", "<f4", ">i2"])
def test_converted_with_one_copy(dtype):
    values = np.round(make_terrain(12, 15) / 2 + 50).astype(dtype)
    assert same(lf.Grid(values).heights(), values.astype(np.float64))


@pytest.mark.parametrize("dtype", ["complex128", "bool", "object", "U3", "M8[s]"])
def test_other_types_are_refused(dtype):
    with pytest.raises(lf.BadArgument, match="values"):
        lf.Grid(np.zeros((3, 3), dtype))


def test_integers_beyond_doubles_are_refused():
    with pytest.raises(lf.BadArgument, match="2\\*\\*53"):
        lf.Grid(np.full((2, 2), 2**53 + 1, np.int64))


def test_readonly_and_unaligned_values():
    values = make_terrain(10, 12)
    values.flags.writeable = False
    assert same(lf.Grid(values).heights(), values.astype(float))
    buffer = np.zeros(10 * 12 * 4 + 1, np.uint8)
    shifted = buffer[1:].view(np.float32).reshape(10, 12)
    shifted[...] = values
    assert not shifted.flags.aligned
    assert same(lf.Grid(shifted).heights(), values.astype(float))
    assert same(lf.Grid(np.broadcast_to(values[:1], (5, 12))).heights(), np.repeat(values[:1], 5, 0).astype(float))


ORIENTATIONS = [(10, 0, 100, 0, -10, 900), (10, 0, 100, 0, 10, 900), (-10, 0, 100, 0, -10, 900), (-10, 0, 100, 0, 10, 900),
                (0, 10, 100, 10, 0, 900), (0, -10, 100, 10, 0, 900), (0, 10, 100, -10, 0, 900), (0, -10, 100, -10, 0, 900),
                (8, 6, 100, 6, -8, 900), (8, -6, 100, 6, 8, 900)]


@pytest.mark.parametrize("transform", ORIENTATIONS)
@pytest.mark.parametrize("surface", SURFACES)
def test_orientation(transform, surface):
    """Samples are at the centres of pixels, whichever way rows and columns run; results lie as the values do."""
    values = make_terrain(14, 19, dtype="float64")
    a, b, c, d, e, f = transform
    grid = lf.Grid(values, transform, surface=surface)
    row, column = np.mgrid[0:14, 0:19]
    x = c + a * (column + 0.5) + b * (row + 0.5)
    y = f + d * (column + 0.5) + e * (row + 0.5)
    inner = np.s_[1:-1, 1:-1]
    assert np.allclose(grid.height(x, y)[inner], values[inner], atol=1e-6)
    assert same(grid.heights(), values)
    seen = grid.viewshed((x[5, 7], y[5, 7]), 2.0, mode="distance")
    distance = np.hypot(x - x[5, 7], y - y[5, 7]).astype(np.float32)
    known = np.isfinite(seen.values)
    assert known.sum() > 5 and np.allclose(seen.values[known], distance[known], rtol=1e-5, atol=1e-3)
    window = (slice(2, 9), slice(3, 19))
    assert same(grid.viewshed((x[5, 7], y[5, 7]), 2.0, mode="distance", window=window).values, seen.values[window])
    assert same(grid.heights(window), values[window])
    broken = values.copy()
    broken[4, 6] = 1e31
    with pytest.raises(lf.BadArgument) as error:
        lf.Grid(broken, transform, surface=surface)
    assert error.value.index == 4 * 19 + 6


def test_results_are_contiguous_where_they_can_be(grid):
    seen = grid.viewshed((5400, 8700))
    assert seen.values.flags.c_contiguous and np.asarray(seen) is seen.values
    assert same(seen + 0, seen.values + 0) and same(seen[3], seen.values[3]) and len(seen) == 60


def test_broadcasting(grid):
    x, y = np.linspace(5100, 5700, 9), np.linspace(8450, 8950, 7)
    full = grid.height(x[None, :], y[:, None])
    assert full.shape == (7, 9)
    assert same(full, np.array([[grid.height(float(a), float(b)) for a in x] for b in y]))
    assert same(grid.height(x, 8700), grid.height(x, np.full(9, 8700.0)))
    assert same(grid.height(x[::-2], 8700), grid.height(x, 8700)[::-2])
    assert same(grid.height(x.astype("f4"), 8700), grid.height(x.astype("f4").astype(float), 8700))
    assert same(grid.height(list(x), 8700), grid.height(x, 8700))
    assert grid.height([], []).shape == (0,) and grid.height(np.zeros((0, 3))).shape == (0,)
    assert isinstance(grid.height(5100, 8700), float) and isinstance(grid.height(np.float32(5100), 8700.0), float)
    a = np.stack([x, np.full(9, 8500.0), np.full(9, 200.0)], axis=1)
    b = a[:4] + [10, 300, 0]
    assert grid.visible(a[:, None], b[None, :]).shape == (9, 4)
    assert same(grid.visible(a[:, None], b[None, :])[:, 2], grid.visible(a, b[2]))
    assert grid.visible(a[0], b[0]) in (True, False) and isinstance(grid.visible(a[0], b[0]), bool)
    wide = np.zeros((9, 5))
    wide[:, 1:4] = a
    assert same(grid.visible(wide[:, 1:4], b[0]), grid.visible(a, b[0]))
    assert grid.ray(a[:, None], [[0, 0, -1], [0, 0, 1.0]]).shape == (9, 2)
    assert np.isnan(grid.ray(a, [0, 0, 1.0]).t).all()


def test_answers_into_own_arrays(grid):
    points = np.random.default_rng(2).uniform((5010, 8410, 60), (5790, 8990, 90), (2000, 3))
    heights, hits, seen = np.zeros(2000), np.zeros(2000, lf.HIT), np.zeros(grid.shape, np.uint8)
    assert grid.height(points, out=heights) is heights or np.shares_memory(grid.height(points, out=heights), heights)
    assert same(heights, grid.height(points)) and same(grid.height(points[:, 0], points[:, 1], out=heights), heights)
    assert np.shares_memory(grid.ray(points, [1, 0, -0.1], out=hits), hits) and same(hits, grid.ray(points, [1, 0, -0.1]))
    assert np.shares_memory(grid.viewshed((5400, 8700), out=seen).values, seen)
    assert same(seen, grid.viewshed((5400, 8700)).values)
    locked = np.zeros(2000)
    locked.flags.writeable = False
    for bad in (np.zeros(1999), np.zeros(2000, "f4"), np.zeros(4000)[::2], locked, [0.0] * 2000):
        with pytest.raises(lf.BadArgument, match="out"):
            grid.height(points, out=bad)
    with pytest.raises(lf.BadArgument, match="out"):
        grid.ray(points, [1, 0, 0], out=heights)
    with pytest.raises(lf.BadArgument, match="out"):
        grid.viewshed((5400, 8700), mode="ground", out=seen)


def test_missing_answers():
    values = make_terrain(20, 20, holes=0.1)
    grid = lf.Grid(values, surface="bilinear")
    x, y = np.meshgrid(np.arange(-2, 22), np.arange(-2, 22))
    heights, reasons = grid.height(x, y, reason=True)
    outside = (x < 0) | (x > 19) | (y < 0) | (y > 19)
    assert np.isnan(heights[outside]).all() and (reasons[outside] == lf.Reason.OUTSIDE).all()
    assert same(np.isnan(heights), reasons != 0)
    assert (reasons[~outside][np.isnan(heights[~outside])] == lf.Reason.HOLE).all()
    height, reason = grid.height(-5.0, 0.0, reason=True)
    assert np.isnan(height) and reason is lf.Reason.OUTSIDE
    points, why = grid.point_above([0.0, -5.0], 0.0, 2, reason=True)
    assert np.isnan(points[1, 2]) and why[1] == lf.Reason.OUTSIDE
    spot = tuple(np.argwhere(np.isfinite(grid.height(np.arange(20)[None], np.arange(20)[:, None])))[0][::-1])
    for mode in ("ground", "dem", "angle", "distance"):
        seen = grid.viewshed(spot, mode=mode, range=8)
        assert same(np.isnan(seen.values), seen.reason != lf.Reason.ANSWERED)
        assert (seen.reason[np.hypot(x - spot[0], y - spot[1])[2:22, 2:22] > 8.01] != lf.Reason.ANSWERED).all()
    counts = grid.viewshed_count([spot])
    assert same(np.isnan(counts.values), counts.reason == lf.Reason.HOLE)
    assert not (grid.viewshed(spot).values == 255).any()


def test_masks_and_nodata():
    values = make_terrain(9, 9)
    voids = np.zeros((9, 9), bool)
    voids[2, 3] = voids[4, 4] = True
    expected = np.where(voids, np.nan, values.astype(float))
    assert same(lf.Grid(values, TRANSFORM, mask=~voids).heights(), expected)
    assert same(lf.Grid(np.ma.array(values, mask=voids), TRANSFORM).heights(), expected)
    marked = np.where(voids, np.float32(-9999), values)
    assert same(lf.Grid(marked, TRANSFORM, nodata=-9999).heights(), expected)
    scaled = lf.Grid(np.arange(9, dtype=np.int16).reshape(3, 3), scale=0.5, offset=10, nodata=4)
    assert np.isnan(scaled.heights()[1, 1]) and scaled.heights()[2, 2] == 14


def test_wrapping_longitudes():
    values = make_terrain(18, 36)
    grid = lf.Grid(values, (10, 0, -180, 0, -10, 90), degrees=True)
    assert grid.height(179.0, 0.0) == grid.height(-181.0, 0.0) == grid.height(539.0, 0.0)
    assert np.isfinite(grid.height(180.0, 3.0))


@pytest.mark.parametrize("codec", ["pack", "maxplus", "haar", "d4"])
def test_compressed(codec):
    values = make_terrain(70, 70)
    grid = lf.Grid(values, TRANSFORM, codec=codec, max_error=0.1)
    assert grid.info()["codec"] == codec and np.abs(grid.heights() - values).max() <= 0.1


def test_description(grid):
    text = repr(grid)
    for part in ("60 x 80", "float32", "falling", "x 5005 .. 5795", "y 8405 .. 8995", "no CRS"):
        assert part in text
    assert grid.shape == (60, 80) and grid.bounds == (5005, 8405, 5795, 8995) and grid.path is None
    assert repr(lf.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 0]], [[0, 1, 2]])) == (
        "<landfall.Mesh 1 polygons, x 0 .. 1, y 0 .. 1, z 0 .. 0>")
    with grid:
        pass
    assert repr(grid) == "<landfall.Grid, closed>" and grid.is_closed


@given(st.integers(2, 12), st.integers(2, 12), st.integers(0, 3), st.integers(0, 3))
def test_windows(rows, columns, top, left):
    values = make_terrain(rows, columns, dtype="float64")
    grid = lf.Grid(values, TRANSFORM)
    window = (slice(min(top, rows - 1), None), slice(min(left, columns - 1), None))
    assert same(grid.heights(window), values[window])
