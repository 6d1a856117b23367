"""Answers equal those of the C API, bit for bit, on random input."""
import ctypes

import numpy as np
import pytest
from hypothesis import given, settings, strategies as st

import landfall as lf
from conftest import SURFACES, TRANSFORM, Reference, address, doubles, make_terrain, same

seeds = st.integers(0, 2**32 - 1)
CURVATURES = {"flat": 0.0, "light": 0.85714, "radio": 0.75}


@st.composite
def rasters(draw):
    dtype = draw(st.sampled_from(["float32", "float64", "int16", "uint16"]))
    values = make_terrain(draw(st.integers(2, 40)), draw(st.integers(2, 40)), draw(seeds), draw(st.sampled_from([0, 0.1])),
                          dtype)
    return values, draw(st.sampled_from(SURFACES))


def nodata_of(values):
    return 9999.0 if values.dtype.kind in "iu" else np.nan


def both(reference, raster):
    values, surface = raster
    grid = lf.Grid(values, TRANSFORM, surface=surface, nodata=nodata_of(values))
    return grid, *reference.grid(values, TRANSFORM, surface, nodata_of(values))


def places(grid, random, count):
    """Random places around a grid, many of them exactly on samples and on lines of samples."""
    x0, y0, x1, y1 = grid.bounds
    x = random.uniform(x0 - 5, x1 + 5, count)
    y = random.uniform(y0 - 5, y1 + 5, count)
    on = random.random(count) < 0.3
    x[on] = np.round((x[on] - 5005) / 10) * 10 + 5005
    on = random.random(count) < 0.3
    y[on] = np.round((y[on] - 8995) / 10) * 10 + 8995
    return x, y


def points_on(grid, random, count):
    x, y = places(grid, random, count)
    ground = np.nan_to_num(grid.height(x, y))
    return np.stack([x, y, ground + random.choice([0.0, 2.0, 30.0, -5.0], count)], axis=1)


def reference_heights(reference, ground, points, up=False):
    heights, reasons = np.empty(len(points)), np.empty(len(points), np.uint8)
    assert reference.c.ref_heights(ground, address(points), ctypes.c_int64(len(points)), int(up), address(heights),
                                   address(reasons)) == 0
    return heights, reasons


@given(rasters(), seeds)
def test_heights(raster, seed):
    reference = Reference()
    grid, _, ground = both(reference, raster)
    random = np.random.default_rng(seed)
    x, y = places(grid, random, 200)
    z = np.where(random.random(200) < 0.5, np.inf, random.uniform(-100, 250, 200))
    for up in (False, True):
        if up:
            z = np.where(np.isinf(z), -1000.0, z)
        points = np.ascontiguousarray(np.stack([x, y, z], axis=1))
        heights, reasons = reference_heights(reference, ground, points, up)
        assert same(grid.height(x, y, z, up=up), heights)
        assert same(grid.height(points, up=up), heights)
        assert same(grid.height(points[::2], up=up), heights[::2])
        ours, why = grid.height(x, y, z, up=up, reason=True)
        assert same(ours, heights) and same(why, reasons)
    singles = np.array([grid.height(float(a), float(b)) for a, b in zip(x, y)])
    top = reference_heights(reference, ground, np.ascontiguousarray(np.stack([x, y, np.full(200, np.inf)], axis=1)))[0]
    assert same(singles, top)
    reference.free()


@given(rasters(), seeds)
def test_rays(raster, seed):
    reference = Reference()
    grid, _, ground = both(reference, raster)
    random = np.random.default_rng(seed)
    origins, targets = points_on(grid, random, 150) + [0, 0, 20.0], points_on(grid, random, 150)
    rays = np.zeros((150, 8))
    rays[:, :3], rays[:, 3:6], rays[:, 7] = origins, targets - origins, random.choice([1.0, 0.5, np.inf], 150)
    rays[rays[:, 3:6].any(axis=1) == 0, 5] = -1
    expected = np.zeros(150, lf.HIT)
    assert reference.c.ref_rays(ground, address(rays), ctypes.c_int64(150), address(expected)) == 0
    hits = grid.ray(rays[:, :3], rays[:, 3:6], t_max=rays[:, 7])
    miss = expected["kind"] == 0
    assert same(hits["kind"], expected["kind"]) and same(hits["reason"], expected["reason"])
    for name in lf.HIT.names:
        assert same(hits[name][~miss], expected[name][~miss]), name
    assert np.isnan(hits.t[miss]).all() and np.isnan(hits.point[miss]).all()
    assert same(grid.ray_t(rays[:, :3], rays[:, 3:6], t_max=rays[:, 7]), hits.t)
    reference.free()


@given(rasters(), seeds, st.sampled_from(sorted(CURVATURES)), st.sampled_from(["unknown", "pass", "stop"]))
def test_sight(raster, seed, curvature, voids):
    reference = Reference()
    grid, _, ground = both(reference, raster)
    random = np.random.default_rng(seed)
    a, b = points_on(grid, random, 100), points_on(grid, random, 100)
    rules = doubles(CURVATURES[curvature], 0, ["unknown", "pass", "stop"].index(voids), 900.0)
    expected, verdicts = np.zeros(100, lf.SIGHT), np.zeros(100, np.uint8)
    assert reference.c.ref_sights(ground, rules, address(a), address(b), ctypes.c_int64(100), address(expected),
                                  address(verdicts)) == 0
    sights = grid.sight(a, b, curvature=curvature, voids=voids, frequency_mhz=900)
    for name in lf.SIGHT.names:
        assert same(sights[name], expected[name]), name
    visible, reasons = grid.visible(a, b, curvature=curvature, voids=voids, reason=True)
    assert same(visible, verdicts == lf.Verdict.CLEAR)
    assert same(reasons == lf.Reason.HOLE, verdicts == lf.Verdict.UNKNOWN)
    one = grid.visible(a[0], b, curvature=curvature, voids=voids)
    assert same(one, grid.visible(np.repeat(a[:1], 100, axis=0), b, curvature=curvature, voids=voids))
    for steps in (0, 7):
        points = np.zeros(4096, lf.PROFILE)
        count = reference.c.ref_profile(ground, rules, address(np.stack([a[0], b[0]])), ctypes.c_int64(steps),
                                        address(points), ctypes.c_int64(4096))
        ours = grid.profile(a[0], b[0], steps=steps, curvature=curvature, voids=voids)
        for name in ("t", "distance", "ground", "line"):
            assert same(getattr(ours, name), points[name][:count])
    reference.free()


@settings(max_examples=25)
@given(rasters(), seeds, st.sampled_from(sorted(CURVATURES)), st.sampled_from([np.inf, 150.0]))
def test_viewsheds(raster, seed, curvature, far):
    reference = Reference()
    grid, c_grid, _ = both(reference, raster)
    random = np.random.default_rng(seed)
    x, y = places(grid, random, 60)
    known = np.flatnonzero(np.isfinite(grid.height(x, y)))[:9]
    if not len(known):
        return
    observers = np.stack([x[known], y[known], random.uniform(0, 20, len(known))], axis=1)
    rules = doubles(CURVATURES[curvature], 0, 0, 0)
    limits = doubles(1.5, 0, far)
    options = dict(target=1.5, range=far, curvature=curvature)
    rows, columns = grid.shape
    for mode, code, dtype in [("visible", -1, np.uint8), ("ground", 0, "f4"), ("dem", 1, "f4"), ("angle", 2, "f4"),
                              ("distance", 3, "f4"), ("count", 4, np.uint32)]:
        expected = np.zeros((rows, columns), dtype)
        assert reference.c.ref_viewshed(c_grid, rules, limits, address(observers), ctypes.c_int64(len(observers)), code,
                                        address(expected)) == 0
        expected = expected[::-1]
        if mode == "count":
            counts = grid.viewshed_count(observers[:, :2], observers[:, 2], **options).values
            assert same(np.where(np.isnan(counts), 2**32 - 1, counts).astype(np.uint32), expected)
            who = grid.viewshed_who(observers[:, :2], observers[:, 2], **options)
            assert who.shape == ((len(observers) + 7) // 8, rows, columns) and who.dtype == np.uint8
            bits = np.unpackbits(who, axis=0, bitorder="little")
            assert not bits[len(observers):].any()
            for k, observer in enumerate(observers):  # a viewshed of each, which is compared with C above
                alone = grid.viewshed(observer[:2], observer[2], **options).values
                assert same(bits[k], (alone == lf.Visibility.VISIBLE).astype(np.uint8)), k
        else:
            values = grid.viewshed(observers[0, :2], observers[0, 2], mode=mode, **options)
            assert same(values.values, expected)
            part = grid.viewshed(observers[0, :2], observers[0, 2], mode=mode,
                                 window=(slice(rows // 2, None), slice(0, columns // 2 + 1)), **options)
            assert same(part.values, expected[rows // 2:, :columns // 2 + 1])
    reference.free()


@settings(max_examples=25)
@given(rasters(), seeds, st.sampled_from([50.0, 1000.0]), st.integers(1, 3), st.booleans())
def test_sites(raster, seed, far, overlap, weighted):
    """A greedy choice by the viewsheds of all candidates, one after the other."""
    values, surface = raster
    grid = lf.Grid(values, TRANSFORM, surface=surface, nodata=nodata_of(values))
    random = np.random.default_rng(seed)
    x, y = places(grid, random, 60)
    known = np.flatnonzero(np.isfinite(grid.height(x, y)))[:9]
    if not len(known):
        return
    candidates = np.stack([x[known], y[known]], axis=1)
    seen = np.stack([grid.viewshed(place, range=far).visible for place in candidates])
    weights = random.integers(0, 9, grid.shape).astype(float)
    each = weights if weighted else np.ones(grid.shape)
    sites = grid.site(candidates, choose=len(candidates), range=far, overlap=overlap, weights=weights if weighted else None)
    times, covered, off = np.zeros(grid.shape, int), 0.0, 1e-9 * each.sum()
    left = np.full(len(candidates), True)
    for chosen, gain, so_far in zip(sites.candidate, sites.gain, sites.covered):
        gains = np.where(seen & (times < overlap), each / overlap, 0).sum(axis=(1, 2))
        assert abs(gains[chosen] - gain) <= off and gains[left].max() <= gain + off
        left[chosen] = False
        times += seen[chosen]
        covered += gain
        assert abs(covered - so_far) <= off
    assert covered <= sites.limit + off and sites.limit <= sites.total + off
    assert len(set(sites.candidate)) == len(sites.candidate) and sites.viewsheds >= len(candidates)


@settings(max_examples=25)
@given(rasters(), seeds)
def test_sky_and_sun(raster, seed):
    reference = Reference()
    grid, c_grid, _ = both(reference, raster)
    random = np.random.default_rng(seed)
    suns = np.stack([random.uniform(0, 360, 4), random.uniform(1, 80, 4), random.uniform(0, 2, 4)], axis=1)
    rules = doubles(0.0, 0, 0, 0)
    calls = [lambda: grid.horizon_map(suns[0, 0], height=1.5), lambda: grid.sky_view(8, height=1.5),
             lambda: grid.sun_shade(suns[0, 0], suns[0, 1], height=1.5), lambda: grid.sun_hours(suns, height=1.5)]
    for kind, call in enumerate(calls):
        expected = np.zeros(grid.shape, np.uint8 if kind == 2 else "f4")
        given_suns = np.array([[8.0, 0, 0]]) if kind == 1 else suns
        assert reference.c.ref_sky(c_grid, rules, ctypes.c_double(1.5), address(given_suns),
                                   ctypes.c_int64(len(given_suns)), kind, address(expected)) == 0
        assert same(call().values, expected[::-1])
    reference.free()


@settings(max_examples=25)
@given(rasters())
def test_total_viewshed(raster):
    reference = Reference()
    grid, c_grid, _ = both(reference, raster)
    expected = np.zeros((2,) + grid.shape, "f4")
    range_m = 3 * abs(grid.transform[0])
    assert reference.c.ref_total(c_grid, ctypes.c_double(2.5), ctypes.c_double(range_m), 12, address(expected[0]),
                                 address(expected[1])) == 0
    area, mean = grid.total_viewshed(2.5, values=("area", "mean"), range=range_m, azimuths=12)
    assert same(area.values, expected[0][::-1]) and same(mean.values, expected[1][::-1])
    assert same(grid.total_viewshed(2.5, range=range_m, azimuths=12).values, area.values)
    reference.free()


@given(rasters(), seeds)
def test_walks_and_stances(raster, seed):
    reference = Reference()
    grid, _, ground = both(reference, raster)
    random = np.random.default_rng(seed)
    ends = np.stack([points_on(grid, random, 30) + [0, 0, 2.0], points_on(grid, random, 30)], axis=1)
    walks = grid.walk(ends[:, 0], ends[:, 1], step=3.0, drop=5.0, crack=1.0)
    stances = grid.place(ends[:, 0], ends[:, 1] - ends[:, 0] + [1e-3, 0, 0], base=4, track=2)
    for k in range(30):
        answer, stance = doubles(*[0.0] * 6), np.zeros((), lf.STANCE)
        pair = np.ascontiguousarray(ends[k])
        assert reference.c.ref_walk(ground, doubles(3, 5, 1), address(pair), answer) == 0
        assert walks[k].end == answer[0] and walks[k].t == answer[1] and walks[k].step == answer[5]
        if walks[k].element >= 0:
            assert list(walks[k].position) == list(answer[2:5])
        pair[1] = pair[1] - pair[0] + [1e-3, 0, 0]
        assert reference.c.ref_stand(ground, ctypes.c_double(4), ctypes.c_double(2), address(pair), address(stance)) == 0
        assert stances[k].stands == stance["stands"] and stances[k].grounded == stance["grounded"]
        if stance["stands"]:
            for name in ("position", "normal", "forward", "pitch", "roll"):
                assert same(stances[k][name], stance[name]), name
        else:
            assert np.isnan(stances[k].position).all()
    reference.free()


@given(seeds)
def test_meshes(seed):
    reference = Reference()
    random = np.random.default_rng(seed)
    vertices = np.ascontiguousarray(random.uniform(0, 100, (60, 3)))
    faces = np.ascontiguousarray(random.integers(0, 60, (80, 3)))
    faces = np.ascontiguousarray(faces[(faces[:, 0] != faces[:, 1]) & (faces[:, 1] != faces[:, 2]) &
                                       (faces[:, 0] != faces[:, 2])])
    _, ground = reference.mesh(vertices, faces)
    mesh = lf.Mesh(vertices, faces)
    points = np.ascontiguousarray(np.where(random.random((200, 3)) < 0.1, np.inf, random.uniform(0, 100, (200, 3))))
    points[:, :2] = random.uniform(0, 100, (200, 2))
    heights, reasons = reference_heights(reference, ground, points)
    assert same(mesh.height(points), heights)
    assert same(mesh.height(points, reason=True)[1], reasons)
    rays = np.concatenate([random.uniform(0, 100, (200, 3)), random.normal(0, 1, (200, 3)), np.zeros((200, 1)),
                           np.full((200, 1), np.inf)], axis=1)
    expected = np.zeros(200, lf.HIT)
    assert reference.c.ref_rays(ground, address(rays), ctypes.c_int64(200), address(expected)) == 0
    assert same(mesh.ray(rays[:, :3], rays[:, 3:6])["element"], expected["element"])
    reference.free()


def test_enumerations_are_those_of_the_library():
    reference = Reference()
    for call, values in ((reference.shared.lf_reason_name, lf.Reason), (reference.c.ref_verdict_name, lf.Verdict),
                         (reference.c.ref_visibility_name, lf.Visibility)):
        call.restype = ctypes.c_char_p
        for value in values:
            assert call(int(value)).decode() == value.name.lower()
        assert call(len(values)).decode() == "?"
