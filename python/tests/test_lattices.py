"""Viewsheds, horizons and sun on every kind of ground: each sample as a question of its own has it."""
import json

import numpy as np
import pytest

import landfall as lf
from conftest import TRANSFORM, make_terrain, same
from test_things import planet  # noqa: F401 (a fixture)

nan = float("nan")
LATTICES = [(5000.5, 8800.25, 11.0, 22, 19), ((6.0, 3.0, 5000.0, -2.0, -7.0, 8990.0), (15, 14)),
            ((0.0, 7.0, 5005.0, 9.0, 0.0, 8805.0), (19, 21)), ((-9.0, 0.0, 5230.0, 0.0, 8.0, 8801.0), (20, 22))]


def places(lattice):
    """x and y of the samples of a lattice, in its order."""
    if len(lattice) == 5:
        x, y, step, columns, rows = lattice
        return np.broadcast_arrays(x + step * np.arange(columns), y + step * np.arange(rows)[:, None])
    (a, b, c, d, e, f), (rows, columns) = lattice
    i, j = np.arange(columns) + 0.5, np.arange(rows)[:, None] + 0.5
    return a * i + b * j + c, d * i + e * j + f


def blocks(random):
    low = np.column_stack([random.uniform((5010, 8810), (5200, 8960), (5, 2)), np.full(5, -70.0)])
    return np.stack([low, low + np.column_stack([random.uniform(5, 30, (5, 2)), random.uniform(80, 150, 5)])], axis=1)


def roofs(random):
    """Sloping quadrangles with gaps between them."""
    x, y = (v.reshape(-1) for v in np.meshgrid(5010 + 40.0 * np.arange(5), 8810 + 40.0 * np.arange(4)))
    corners = np.array([[0, 0], [36, 0], [36, 36], [0, 36]])
    slopes, heights = random.uniform(-0.6, 0.6, (20, 2)), random.uniform(-10, 20, 20)
    vertices = np.array([[x[k] + i, y[k] + j, heights[k] + slopes[k] @ (i, j)] for k in range(20) for i, j in corners])
    return vertices, np.arange(80).reshape(20, 4)


def grounds(seed):
    """One of each kind, and the grid of those that have one."""
    random = np.random.default_rng(seed)
    grid = lf.Grid(make_terrain(20, 24, seed, holes=0.03 * (seed % 2)), TRANSFORM)
    boxes, mesh, model = blocks(random), lf.Mesh(*roofs(random)), lf.Model(*lf.cube(40.0))
    scene = lf.Scene()
    for low, high in boxes:
        scene.add(lf.Shape.box(*(high - low)), pose=(low + high) / 2)
    scene.add(lf.Shape.box(300, 300, 1), pose=(5120, 8900, -60))
    world = lf.World([*boxes, grid, (model, (5100, 8900, 30)), (mesh, (0, 0, 25))])
    inner = lf.World([lf.World([grid, boxes[0]]), (model, (5100, 8900, 30))])
    return [(grid, grid), (world, grid), (inner, None), (lf.World([*boxes, (model, (5120, 8900, 0))]), None), (mesh, None),
            (lf.Model(*roofs(random)), None), (scene.ground, None)]


def expected_codes(ground, a, x, y, target, stand=None, **rules):
    """Codes of a viewshed by a line of sight for each target."""
    b = (stand or ground).point_above(x, y, target)
    known = np.isfinite(b[..., 2])
    codes = np.full(x.shape, lf.Visibility.HOLE, np.uint8)
    seen, reasons = ground.visible(a, b[known], reason=True, **rules)
    codes[known] = np.where(seen, lf.Visibility.VISIBLE,
                            np.where(reasons == lf.Reason.HOLE, lf.Visibility.UNKNOWN, lf.Visibility.HIDDEN))
    return codes


def observers_on(ground, random):
    """Places with ground below them."""
    found = random.uniform((5020, 8820), (5210, 8980), (200, 2))
    found = found[np.isfinite(ground.point_above(found[:, 0], found[:, 1])[:, 2])]
    return found[:3]


@pytest.mark.parametrize("seed", range(4))
def test_viewsheds_equal_lines(seed):
    """Bit for bit one line of sight for each target, on every ground."""
    random = np.random.default_rng(seed)
    kinds = set()
    for ground, grid in grounds(seed):
        observers = observers_on(ground, random)
        heights, rules = random.uniform(2, 40, 3), {"curvature": 0.85 if seed == 3 else 0.0}
        asked = [(lattice, *places(lattice)) for lattice in LATTICES]
        if grid is not None:
            x, y = places((TRANSFORM, grid.shape))
            asked += [(None, x, y), (grid, x, y), ((TRANSFORM, grid.shape), x, y)]
        for lattice, x, y in asked:
            a = ground.point_above(observers[:, 0], observers[:, 1], heights)
            each = [expected_codes(ground, a[k], x, y, 0.5, **rules) for k in range(3)]
            for k in range(3):
                seen = ground.viewshed(observers[k], heights[k], target=0.5, lattice=lattice, **rules)
                assert same(seen.values, each[k]), (ground, lattice)
                assert seen.ground is ground and (seen.grid is ground) == (ground is grid and (lattice is None or lattice is grid))
            kinds.update(each[0].reshape(-1).tolist())
            counts = ground.viewshed_count(observers, heights, target=0.5, lattice=lattice, **rules).values
            total = np.sum([codes == lf.Visibility.VISIBLE for codes in each], axis=0).astype("f4")
            assert same(counts, np.where(each[0] == lf.Visibility.HOLE, np.float32(nan), total))
            part = (slice(3, 11), slice(2, None))
            who = ground.viewshed_who(observers, heights, target=0.5, lattice=lattice, window=part, **rules)
            assert same(np.unpackbits(who, axis=0, count=3, bitorder="little"),
                        np.array([codes[part] == lf.Visibility.VISIBLE for codes in each]).astype(np.uint8))
            seen = ground.viewshed(observers[0], heights[0], target=0.5, lattice=lattice, window=part, **rules)
            assert same(seen.values, each[0][part])
            far = ground.viewshed(observers[0], heights[0], mode="distance", target=0.5, lattice=lattice, **rules)
            assert same(np.isfinite(far.values), each[0] == lf.Visibility.VISIBLE)
            clear = np.isfinite(far.values)
            away = np.hypot(x - observers[0, 0], y - observers[0, 1])
            assert np.allclose(far.values[clear], away[clear], rtol=1e-6)
            assert (far.reason[clear] == lf.Reason.ANSWERED).all() and (far.reason[~clear] != lf.Reason.ANSWERED).all()
    assert kinds >= {lf.Visibility.HIDDEN, lf.Visibility.VISIBLE, lf.Visibility.HOLE}


def test_targets_on_the_terrain():
    """Below roofs, which hide them; on a world without a grid they stay on top."""
    (_, _), (world, grid), *_, (scene, _) = grounds(2)
    observer = observers_on(world, np.random.default_rng(2))[0]
    a = world.point_above(*observer, 60.0)
    for lattice in (None, *LATTICES):
        x, y = places(lattice or (TRANSFORM, grid.shape))
        on = world.viewshed(observer, 60, target=0.5, lattice=lattice, target_on="ground").values
        assert same(on, expected_codes(world, a, x, y, 0.5, grid))
        top = world.viewshed(observer, 60, target=0.5, lattice=lattice).values
        assert same(world.viewshed(observer, 60, target=0.5, lattice=lattice, target_on="top").values, top)
        assert (on != top).any()
    for call in (lambda on: scene.viewshed((5120, 8900), lattice=LATTICES[0], target_on=on).values,
                 lambda on: scene.sky_view(8, lattice=LATTICES[0], target_on=on).values):
        assert same(call("top"), call("ground"))


@pytest.mark.parametrize("seed", range(3))
def test_horizons_and_sun(seed):
    """Maps as the horizon of each point has them."""
    for ground, grid in grounds(seed):
        for lattice in LATTICES[:2] + ([None] if grid is not None else []):
            x, y = places(lattice or (TRANSFORM, grid.shape))
            points = ground.point_above(x, y)
            known = np.isfinite(points[..., 2])
            if lattice is None:  # the height of a sample is exact, not rounded up
                points[..., 2] = np.where(ground.height(x, y) == grid.heights(), grid.heights(), points[..., 2])
            points[..., 2] += 1.5
            suns = np.array([[200.0, 30.0, 1.5], [95.0, 8.0, 0.25], [310.0, 12.0, 2.0]])
            azimuths = np.concatenate([suns[:, 0], np.arange(8) * 45.0])
            horizons = np.full(x.shape + (11,), nan)
            horizons[known] = [ground.horizon(point, azimuths).elevation_deg for point in points[known]]
            horizons[known] = np.where(np.isnan(horizons[known]), -90.0, horizons[known])
            options = {"height": 1.5, "lattice": lattice}
            for k in range(3):
                assert same(ground.horizon_map(suns[k, 0], **options).values, horizons[..., k].astype("f4")), (ground, lattice)
            sky = np.mean(np.cos(np.radians(np.maximum(horizons[..., 3:], 0))) ** 2, axis=-1)
            assert np.allclose(ground.sky_view(8, **options).values, sky, atol=1e-6, equal_nan=True)
            lit = [ground.sun_shade(*sun[:2], voids="pass", **options) for sun in suns]
            for k in range(3):
                azimuth, altitude = np.radians(suns[k, :2])
                way = (np.sin(azimuth) * np.cos(altitude), np.cos(azimuth) * np.cos(altitude), np.sin(altitude))
                free = ground.visible(points[known], points[known] + 1000 * np.array(way), voids="pass")
                assert same(lit[k].visible[known], free), (ground, lattice)
                assert free[horizons[known][:, k] < suns[k, 1] - 1e-9].all()  # there is light below roofs too
                assert same(lit[k].values == lf.Visibility.HOLE, ~known)
            hours = np.sum([np.where(code.visible, sun[2], 0.0) for code, sun in zip(lit, suns)], axis=0)
            hours = np.where(known, hours, nan).astype("f4")
            assert same(ground.sun_hours(suns, voids="pass", **options).values, hours)


def test_globe(planet):  # noqa: F811
    """Longitudes and latitudes; a world with the globe and a mast answers the same where the mast is not."""
    globe = lf.Globe.open(planet[0], cells=16)
    lattice, observer = (10.25, 44.5, 0.0625, 12, 9), (10.6, 44.7)
    x, y = places(lattice)
    seen = globe.viewshed(observer, 30, target=40, lattice=lattice, range=60000)
    ends = np.stack([x, y, globe.height(x, y) + 40], axis=-1)
    a = [*observer, globe.height(*observer) + 30]
    within = np.isin(seen.values, (lf.Visibility.VISIBLE, lf.Visibility.HIDDEN))
    assert within.sum() > 50 and set(seen.values[within].tolist()) == {0, 1}
    assert same(globe.visible(a, ends)[within], seen.visible[within])
    world = lf.World([globe])
    assert same(world.viewshed(observer, 30, target=40, lattice=lattice, range=60000).values, seen.values)
    assert np.allclose(world.viewshed(observer, lattice=lattice).grid.heights(), globe.height(x, y), atol=30)
    level = globe.horizon([*observer, a[2]], [0.0, 120.0])
    assert level.elevation_deg.shape == (2,) and (level.elevation_deg < 5).all()
    assert globe.sky_view(4, lattice=(10.25, 44.5, 0.25, 2, 2)).values.shape == (2, 2)
    assert len(seen._repr_png_()) > 100 and seen.to_xarray().x.values.tolist() == x[0].tolist()
    with pytest.raises(lf.BadArgument, match="Globe has no samples"):
        globe.viewshed(observer)


def test_world_files(tmp_path):
    """The first raster in its place has the samples of a world, its first row in the north."""
    rasterio = pytest.importorskip("rasterio")
    values = make_terrain(30, 40)
    with rasterio.open(tmp_path / "hills.tif", "w", driver="GTiff", width=40, height=30, count=1, dtype="float32",
                       crs="EPSG:32633", transform=rasterio.Affine(*TRANSFORM)) as file:
        file.write(values, 1)
    path = tmp_path / "town.world.json"
    path.write_text(json.dumps({"landfall_world": 1, "parts": [
        {"box": {"low": [5100, 8800, 0], "high": [5140, 8830, 90]}, "place": "own"}, {"raster": "hills.tif"}]}))
    file, grid = lf.open(path), lf.Grid(values, TRANSFORM)
    world = lf.World([[[5100, 8800, 0], [5140, 8830, 90]], grid])
    seen, expected = file.viewshed((5200, 8900), 20), world.viewshed((5200, 8900), 20)
    assert same(seen.values, expected.values) and not same(seen.values, grid.viewshed((5200, 8900), 20).values)
    assert seen.grid.transform == expected.grid.transform == TRANSFORM and seen.grid.shape == (30, 40)
    assert seen.stats["walked"] < 600  # most are swept
    assert seen.to_xarray().y.values[0] == 8995 and seen.grid.crs == file.crs and len(seen._repr_png_()) > 100
    assert same(file.viewshed((5200, 8900), 20, lattice=grid).values, seen.values)
    assert same(world.viewshed((5200, 8900), 20, lattice=seen.grid).values, seen.values)
    moved = lf.World([(grid, (10, 0, 0))])
    with pytest.raises(lf.BadArgument, match="World has no samples"):
        moved.viewshed((5200, 8900))
    xarray = pytest.importorskip("xarray")
    import landfall.xarray  # noqa: F401
    heights = xarray.DataArray(values, {"y": 8995 - 10.0 * np.arange(30), "x": 5005 + 10.0 * np.arange(40)}, ("y", "x"))
    part = heights.landfall.viewshed((5200, 8900), lattice=(5100, 8800, 5, 7, 6))
    assert part.shape == (6, 7) and part.x.values.tolist() == [5100, 5105, 5110, 5115, 5120, 5125, 5130]


def test_another_crs(planet):  # noqa: F811
    """Samples in another CRS: each as one line of sight to its position on the ground."""
    shifted = (TRANSFORM[0], TRANSFORM[1], TRANSFORM[2] + 495000, TRANSFORM[3], TRANSFORM[4], TRANSFORM[5] + 5e6)
    grid = lf.Grid(make_terrain(30, 40), shifted, crs="EPSG:32633")
    world = lf.World([grid, [[500100, 5008800, 0], [500140, 5008830, 90]]])
    corner = lf.transform_points([500020.0, 5008760.0], "EPSG:32633", "EPSG:4326")
    for lattice in ((*corner, 0.0002, 20, 15, "EPSG:4326"),
                    ((0.0002, 0.0, corner[0], 0.0, -0.0002, corner[1] + 0.003), (15, 20), "EPSG:4326")):
        for ground in (grid, world):
            if ground is world and world.crs is None:
                with pytest.raises(lf.BadArgument, match="the World has no CRS itself"):
                    ground.viewshed((500200, 5008900), lattice=lattice)
                continue
            seen = ground.viewshed((500200, 5008900), 20, target=0.5, lattice=lattice)
            x, y = seen.grid.xy()
            on = lf.transform_points(np.stack([x, y], axis=-1), "EPSG:4326", "EPSG:32633")
            a = ground.point_above(500200.0, 5008900.0, 20.0)
            assert same(seen.values, expected_codes(ground, a, on[..., 0], on[..., 1], 0.5))
            assert set(seen.values.reshape(-1).tolist()) >= {0, 1} and seen.shape == (15, 20)
            assert "WGS 84" in seen.grid.crs and seen.grid.degrees and not grid.degrees
            assert same(seen.grid.heights(), ground.height(on[..., 0], on[..., 1]))
            assert same(ground.viewshed((500200, 5008900), 20, target=0.5, lattice=seen.grid).values, seen.values)
            sky = ground.sky_view(8, lattice=lattice, height=1.0).values
            assert np.isfinite(sky).any() and len(seen._repr_png_()) > 100
            assert seen.to_xarray().spatial_ref.attrs["crs_wkt"] == seen.grid.crs
    globe, lattice = lf.Globe.open(planet[0], cells=16), (650000, 4930000, 5000, 9, 8, "EPSG:32632")
    seen = globe.viewshed((11.0, 44.7), 300, target=40, lattice=lattice)
    on = lf.transform_points(np.stack(seen.grid.xy(), axis=-1), "EPSG:32632", "OGC:CRS84")
    ends = np.stack([on[..., 0], on[..., 1], globe.height(on[..., 0], on[..., 1]) + 40], axis=-1)
    assert same(globe.visible([11.0, 44.7, globe.height(11.0, 44.7) + 300], ends), seen.visible)
    with pytest.raises(lf.BadArgument, match="lattice: crs EPSG:nonsense"):
        grid.viewshed((500200, 5008900), lattice=(1, 2, 1, 3, 4, "EPSG:nonsense"))


def test_errors():
    mesh = lf.Mesh([[0, 0, 0], [9, 0, 0], [9, 9, 0], [0, 9, 0]], [[0, 1, 2, 3]])
    six = (1, 0, 0, 0, 1, 0)
    cases = [(None, "lattice: a Mesh has no samples of its own: expected"), (mesh, "a Mesh has no samples"), (3, "got 3"),
             ((1, 2, 3), "got \\(1, 2, 3\\)"), ((1, 2, 0, 3, 4), "the step above 0"), ((1, nan, 1, 3, 4), "must be finite"),
             ((1, 2, 1, 0, 4), "0 columns and 4 rows"), ((1, 2, 1, 2.5, 4), "2.5 columns"), ((1, 2, 1, 10**9, 4), "1 to 1000000"),
             (("a", 2, 1, 3, 4), "lattice: expected a number, got 'a'"), ((six, (3,)), "lattice: expected"),
             ((six, "ab"), "lattice: expected"), ((six, (0, 3)), "3 columns and 0 rows"), (((1, 0, 0, 2, 0, 0), (3, 3)), "lattice: transform .*same line"),
             ((7, (3, 3)), "lattice: transform: expected")]
    calls = [lambda **o: mesh.viewshed((1, 1), **o), lambda **o: mesh.viewshed_count([(1, 1)], **o),
             lambda **o: mesh.horizon_map(9, **o), lambda **o: mesh.sky_view(**o), lambda **o: mesh.sun_shade(9, 9, **o), lambda **o: mesh.sun_hours([(9, 9, 1)], **o)]
    for call in calls:
        for lattice, text in cases:
            with pytest.raises(lf.BadArgument, match=text):
                call(lattice=lattice)
        with pytest.raises(lf.BadArgument, match="target_on: expected one of ground, top, got 'roof'"):
            call(lattice=(1, 1, 1, 2, 2), target_on="roof")
        assert call(lattice=(1, 1, 1, 3, 2)).shape == (2, 3)
    with pytest.raises(lf.BadArgument) as caught:
        mesh.viewshed_count([(1, 1), (70, 1)], lattice=(1, 1, 1, 2, 2))
    assert caught.value.index == 1
    side = lf.Mesh([[0, 0, 0], [9, 0, 0], [9, 9, 0]], [[0, 1, 2]], gravity=(1, 0, 0))
    with pytest.raises(lf.BadArgument, match="down must be -z"):
        side.viewshed((1, 1), datum=True, lattice=(1, 1, 1, 2, 2))
    mesh.close()
    for call in calls:
        with pytest.raises(lf.Closed):
            call(lattice=(1, 1, 1, 2, 2))


def test_ground_of_a_scene():
    """It follows the scene, and nothing changes the scene while it is asked."""
    scene = lf.Scene()
    scene.add(lf.Shape.box(20, 20, 2))
    wall = scene.add(lf.Shape.box(1, 20, 8))
    ground = scene.ground
    before = ground.viewshed((-5, 0), 1, lattice=(-6, 0, 3, 5, 1))
    assert before.values.tolist() == [[1, 1, 0, 0, 0]] and ground.height(0.0, 0.0) == 4
    wall.move((20, 0, 0))
    assert ground.height(0.0, 0.0) == 1 and ground.viewshed((-5, 0), 1, lattice=before.grid).visible.all()
    refused = []

    def change(*_):
        for call in (lambda: wall.move((1, 0, 0)), scene.close, lambda: scene.step(0.1), lambda: scene.add(lf.Shape.sphere(1))):
            try:
                call()
            except lf.BadArgument as error:
                refused.append("being asked" in str(error))
        return len(scene) == 2

    ground.sky_view(lattice=(-6, 0, 0.1, 60, 2), progress=change)
    assert refused and all(refused) and len(refused) % 4 == 0
    for call in (lambda: lf.World([ground]), lambda: scene.watch(wall, ground), lambda: wall.follow(ground, base=1, track=1)):
        with pytest.raises(lf.BadArgument, match="ground of a scene"):
            call()
    wall.move((1, 0, 0))
    scene.close()
    with pytest.raises(lf.Closed):
        ground.height(0.0, 0.0)
