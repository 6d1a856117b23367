"""Worlds: several grounds as one, made of parts or read from a file."""
import json
import pickle
import subprocess
import threading
from pathlib import Path

import numpy as np
import pytest

import landfall as lf
from conftest import TRANSFORM, make_terrain, same
from test_things import planet  # noqa: F401 (a fixture)

EXAMPLES = Path(__file__).resolve().parents[2] / "examples" / "worlds"


def town(folder, parts):
    path = folder / "town.world.json"
    path.write_text(json.dumps({"landfall_world": 1, "parts": parts}))
    return path


@pytest.fixture
def hills(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    path = tmp_path / "hills.tif"
    values = make_terrain(60, 80)
    with rasterio.open(path, "w", driver="GTiff", width=80, height=60, count=1, dtype="float32", crs="EPSG:32633",
                       transform=rasterio.Affine(*TRANSFORM)) as file:
        file.write(values, 1)
    return path, values


def test_file_equals_parts(tmp_path, hills):
    """A world of a file and one made of the same parts answer the same bits."""
    _, values = hills
    box = {"low": [5300, 8600, 0], "high": [5340, 8630, 200]}
    world = lf.World.open(town(tmp_path, [{"raster": "hills.tif"}, {"box": box, "place": "own"}]))
    parts = lf.World([lf.Grid(values, TRANSFORM), [box["low"], box["high"]]])
    random = np.random.default_rng(3)
    a = random.uniform((5010, 8410, 20), (5790, 8990, 250), (3000, 3))
    b = random.uniform((5010, 8410, 20), (5790, 8990, 250), (3000, 3))
    assert same(world.height(a), parts.height(a)) and same(world.height(a[:, 0], a[:, 1]), parts.height(a[:, 0], a[:, 1]))
    assert set(world.hit(a[:, 0], a[:, 1]).part.tolist()) == {0, 1}
    assert same(world.ray(a, b - a), parts.ray(a, b - a))
    assert same(world.visible(a, b), parts.visible(a, b))
    assert same(world.sight(a[:200], b[:200], curvature="light"), parts.sight(a[:200], b[:200], curvature="light"))
    assert world.height(5320.0, 8615.0) == 200 and len(world) == 2 and world.box.shape == (2, 3)
    assert "UTM zone 33N" in world.crs and "2 parts" in repr(world) and "UTM" in repr(world)
    assert world.info()["buildings"] == 0 and world.info()["parts"] == 2 and parts.info() == {"parts": 2}
    again = pickle.loads(pickle.dumps(world))
    assert again.path == world.path and same(again.height(a), world.height(a))
    assert same(lf.open(world.path).height(a), world.height(a))
    outer = lf.World([world, (lf.Model(*lf.cube(2.0)), (5400, 8700, 500))])
    assert outer.height(5400.0, 8700.0) == 501 and same(outer.ray_t(a, b - a, t_max=1.0), world.ray_t(a, b - a, t_max=1.0))
    world.close()  # the outer one keeps it
    assert outer.height(5320.0, 8615.0) == 200
    with pytest.raises(lf.Closed):
        world.height(5320.0, 8615.0)
    assert repr(world) == "<landfall.World, closed>"


def test_example_equals_the_command():
    """The town of the examples, with buildings and models, as `landfall height` has it."""
    command = Path(lf.__file__).parents[2] / "cli" / "landfall"
    world = lf.open(EXAMPLES / "town.world.json")
    assert world.info()["buildings"] > 0 and len(world) == 5
    random = np.random.default_rng(5)
    (x0, y0, _), (x1, y1, _) = world.box
    places = np.round(random.uniform((x0, y0), (x1, y1), (300, 2)), 3)
    heights = world.height(places[:, 0], places[:, 1])
    assert len(set(world.hit(places[:, 0], places[:, 1]).part.tolist())) > 1
    if not command.exists():
        pytest.skip("the command is not built")
    told = subprocess.run([command, "height", EXAMPLES / "town.world.json", "-"], text=True, check=True,
                          input="".join(f"{x},{y}\n" for x, y in places.tolist()), stdout=subprocess.PIPE).stdout
    found = [line.split()[2] for line in told.splitlines()]
    assert same(heights, np.array([float("nan" if text == "-" else text) for text in found]))


def test_world_file_errors(tmp_path):
    for parts, kind, text in (([{"raster": "none.tif"}], lf.IOFailed, "none.tif"),
                              ([{"box": {"size": [1, 1, -1]}, "place": {"x": 0, "y": 0, "z": 0}}], lf.BadFormat, "parts\\[0\\].box"),
                              ([{"nonsense": 1}], lf.BadFormat, "nonsense"), ([], lf.BadFormat, "parts")):
        with pytest.raises(kind, match=text):
            lf.World.open(town(tmp_path, parts))
    with pytest.raises(lf.IOFailed, match="none.world.json"):
        lf.World.open(tmp_path / "none.world.json")
    with pytest.raises(lf.BadArgument, match="surface"):
        lf.open(tmp_path / "town.world.json", surface="posts")
    world = lf.World.open(town(tmp_path, [{"box": {"low": [0, 0, 0], "high": [1, 1, 1]}, "place": "own"}]))
    for call in (lambda: world.move(0, (1, 0, 0)), lambda: world.pose(0), world.update):
        with pytest.raises(lf.Unsupported, match="stay where"):
            call()
    for call in (lambda: world.pose(7), lambda: world.to_xyz(0, 0), lambda: world.to_lon_lat((0, 0, 0)),
                 lambda: world.height(float("nan"), 0.0)):
        with pytest.raises(lf.BadArgument):
            call()
    with pytest.raises(lf.Cancelled):
        lf.World.open(EXAMPLES / "town.world.json", progress=lambda *_: False)


def test_globe_of_worlds_scenes_and_threads(planet, tmp_path):  # noqa: F811
    """What asks one globe from several threads takes turns, and nothing waits for ever."""
    path, _ = planet
    globe = lf.Globe.open(path, cells=16, budget=1 << 20)
    lon, lat = np.random.default_rng(1).uniform((-170, -80), (170, 80), (400, 2)).T
    expected = globe.height(lon, lat)
    above = globe.to_xyz(lon, lat, 20000.0)
    down = -above / np.linalg.norm(above, axis=1)[:, None]
    world = lf.World([globe])
    hits = world.ray(above, down)["t"]
    assert same(world.to_xyz(1.0, 2.0, 3.0), globe.to_xyz(1.0, 2.0, 3.0)) and "earth-centred" in repr(world)
    scene = lf.Scene()
    ball = scene.add(lf.Shape.sphere(100.0), pose=above[0])
    scene.watch(ball, globe)
    scene.watch(ball, world)
    wrong = []

    def ask(call):
        for _ in range(6):
            if not call():
                wrong.append(call)

    calls = [lambda: same(globe.height(lon, lat), expected), lambda: np.allclose(world.ray(above, down)["t"], hits, atol=1e-6),
             lambda: len(scene.step(0.1)) >= 0] * 2
    threads = [threading.Thread(target=ask, args=(call,), daemon=True) for call in calls]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert not any(thread.is_alive() for thread in threads) and not wrong
    globe.close()  # the world keeps it
    assert np.allclose(world.ray(above, down)["t"], hits, atol=1e-6)
