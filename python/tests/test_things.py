"""Models, pairs, culling, scenes, globes and cameras."""
import ctypes
import pickle
import threading

import numpy as np
import pytest
from hypothesis import given, strategies as st

import landfall as lf
from conftest import Reference, address, make_terrain, same

nan = float("nan")


def soup(random, count=12):
    return random.uniform(-1, 1, (3 * count, 3)), np.arange(3 * count).reshape(-1, 3)


def turn(random):
    matrix = np.eye(4)
    matrix[:3, :3] = np.linalg.qr(random.normal(size=(3, 3)))[0]
    if np.linalg.det(matrix[:3, :3]) < 0:
        matrix[0] *= -1
    matrix[:3, 3] = random.uniform(-2, 2, 3)
    return matrix


@given(st.integers(0, 2**32 - 1))
def test_models_against_the_library(seed):
    """Touching, pairs and distances as the C API has them, and as they must agree with each other."""
    random = np.random.default_rng(seed)
    reference = Reference()
    a, b = soup(random), soup(random)
    one, two = lf.Model(*a), lf.Model(*b)
    poses = np.array([turn(random) for _ in range(8)])
    touching = one.touches(two, poses)
    distances = one.distance(two, poses)
    for k, pose in enumerate(poses):
        answer = np.zeros(8)
        pairs = np.zeros((400, 2), np.int64)
        count = reference.models(a, b, pose, answer, pairs)
        assert touching[k] == (answer[0] != 0) and count == len(one.collide(two, pose))
        assert same(one.collide(two, pose), pairs[:count])
        assert same(np.array([distances[k].distance, *distances[k].point_a, *distances[k].point_b]), answer[1:])
        assert (distances[k].distance == 0) == touching[k] == one.touches(two, pose)
    assert len(one.collide(two, poses[0], limit=1)) <= 1


def test_models():
    cube = lf.Model(*lf.cube(2.0))
    assert cube.info()["closed"] and cube.info()["triangles"] == 12
    assert repr(cube) == "<landfall.Model 12 triangles, closed, radius 1.73205>"
    hits = cube.ray([[-5, 0.25, 0.25], [5, 5, 5]], [1, 0, 0])
    assert hits.t[0] == 4 and np.isnan(hits.t[1])
    assert cube.ray([-5, 0.25, 0.25], [1, 0, 0], pose=[1, 0, 0]).t == 5
    nearest = cube.nearest([[0.5, 0, 0], [4, 0, 0]])
    assert list(nearest.distance) == [0.5, 3] and list(nearest.point_b[1]) == [1, 0, 0]
    assert np.isnan(cube.contact_time(cube, [10, 0, 0], velocity=[1, 0, 0]))
    grid = lf.Grid(np.zeros((4, 4)), (10, 0, -20, 0, -10, 20))
    landing = cube.landing(grid, [[0, 0, 0.5], [0, 0, 3], [0, 0, 1]])
    assert list(landing.touching) == [True, False, True] and list(landing.depth) == [0.5, 0, 0]
    assert np.isnan(landing.deepest[1]).all()

    class Trimesh:
        vertices, faces = lf.cube(2.0)

    assert lf.Model(Trimesh()).info()["closed"] and lf.Mesh(Trimesh()).height(0.0, 0.0) == 1
    opened = lf.Model(lf.cube(2.0)[0], lf.cube(2.0)[1][:5])
    for call, text, index in [
            (lambda: opened.contains([0, 0, 0]), "open", None),
            (lambda: cube.touches(cube, [[0, 0, 0], [nan, 0, 0]]), "pose 1", 1),
            (lambda: cube.touches(cube, np.eye(4) * 2), "last row", 0),
            (lambda: cube.touches(cube, np.diag([2.0, 1, 1, 1])), "rigid", 0),
            (lambda: cube.touches(cube, [1, 2]), "(2,)", None),
            (lambda: cube.nearest([[0, 0, 0], [0, nan, 0]]), "point 1", 1),
            (lambda: cube.contains([[0, 0, nan]]), "point 0", 0),
            (lambda: cube.collide(cube, limit=-1), "-1", None),
            (lambda: cube.ray([0, 0, 0], [0, 0, 0]), "ray 0", 0),
            (lambda: cube.contact_time(cube, ahead=-1), "-1", None)]:
        with pytest.raises(lf.BadArgument) as error:
            call()
        assert text in str(error.value) and error.value.index == index, str(error.value)
    with pytest.raises(TypeError):
        cube.touches(grid)
    cube.close()
    for call in (lambda: cube.touches(opened), lambda: opened.touches(cube), lambda: cube.info(), lambda: cube.landing(grid),
                 lambda: cube.nearest([0, 0, 0]), lambda: cube.ray([0, 0, 0], [1, 0, 0])):
        with pytest.raises(lf.Closed):
            call()


def overlap(boxes):
    low, high = boxes[:, None, 0], boxes[None, :, 1]
    return ((low <= high) & (boxes[None, :, 0] <= boxes[:, None, 1])).all(axis=-1)


@given(st.integers(0, 2**32 - 1))
def test_pairs_against_brute_force(seed):
    random = np.random.default_rng(seed)
    pairs = lf.Pairs()

    def boxes(count):
        low = np.round(random.uniform(0, 10, (count, 3)), random.integers(0, 3))
        return np.stack([low, low + np.round(random.uniform(0, 2, (count, 3)), 1)], axis=1)

    count = int(random.integers(1, 60))
    now = boxes(count)
    ids = pairs.add(now)
    seen = set()
    for _ in range(4):
        expected = {(i, j) for i, j in zip(*np.nonzero(overlap(now))) if i < j}
        order = {int(number): k for k, number in enumerate(ids)}
        found = {(order[int(a)], order[int(b)]) for a, b in pairs.find()}
        assert {tuple(sorted(p)) for p in found} == expected
        begun, ended = pairs.changes()
        seen |= {tuple(sorted((order[int(a)], order[int(b)]))) for a, b in begun}
        seen -= {tuple(sorted((order[int(a)], order[int(b)]))) for a, b in ended}
        assert seen == expected
        some = random.random(count) < 0.5
        now[some] = boxes(count)[some]
        pairs.move(ids[some], now[some])
        box = boxes(1)
        hits = {order[int(i)] for i in pairs.overlaps(box[0])}
        assert hits == set(np.flatnonzero(overlap(np.concatenate([now, box]))[-1][:-1]))
    pairs.remove(ids[0])
    assert len(pairs) == count - 1


def test_pairs_errors():
    pairs = lf.Pairs()
    ids = pairs.add([[0, 0, 0, 1, 1, 1]] * 3)
    for call, index in [(lambda: pairs.add([[0, 0, 0, 1, 1, 1], [0, 0, 0, nan, 1, 1]]), 1),
                        (lambda: pairs.add([[0, 0, 0, -1, 1, 1]]), 0), (lambda: pairs.add([1, 2, 3]), None),
                        (lambda: pairs.move(ids, [[0, 0, 0, 1, 1, 1]]), None), (lambda: pairs.move([7], [[0, 0, 0, 1, 1, 1]]), 0),
                        (lambda: pairs.remove([ids[0], 7]), 1), (lambda: pairs.overlaps([0, 0, 0, nan, 1, 1]), 0),
                        (lambda: pairs.move("a", [[0, 0, 0, 1, 1, 1]]), None)]:
        with pytest.raises(lf.BadArgument) as error:
            call()
        assert error.value.index == index
    assert len(pairs) == 2 and repr(pairs) == "<landfall.Pairs 2 boxes>"


def test_culling():
    random = np.random.default_rng(3)
    low = random.uniform(-100, 100, (2000, 3))
    boxes = np.stack([low, low + random.uniform(0.1, 5, (2000, 3))], axis=1)
    eye = lf.Eye(at=(0, 0, 0), forward=(1, 0.2, 0), across=1.0, upright=0.8, nearest=1, farthest=80)
    seen = lf.cull(boxes, eye, exact=True)
    inside = []
    for k, box in enumerate(boxes):  # a box with a corner well inside must be seen
        corners = np.array([[box[i, 0], box[j, 1], box[l, 2]] for i in (0, 1) for j in (0, 1) for l in (0, 1)])
        forward = np.array([1, 0.2, 0]) / np.hypot(1, 0.2)
        left = np.cross([0, 0, 1], forward)
        depth = corners @ forward
        good = (depth > 1.01) & (depth < 79.9) & (np.abs(corners @ left) < 0.99 * depth * np.tan(0.5)) & (
            np.abs(corners[:, 2]) < 0.99 * depth * np.tan(0.4))
        if good.any():
            inside.append(k)
    assert set(inside) <= set(seen) and len(seen) < len(boxes) / 4 and (np.diff(seen) > 0).all()
    culler = lf.Culler(boxes)
    assert len(culler) == 2000 and same(culler.look(eye, exact=True), seen)
    culler.move(int(seen[0]), [[-50, 0, 0], [-49, 1, 1]])
    assert seen[0] not in culler.look(eye)
    wall = lf.Grid(np.where(abs(np.arange(50)[None, :] - 25) < 3, 500.0, 0.0) * np.ones((50, 1)), (10, 0, 0, 0, -10, 250))
    hidden = lf.cull([[[400, -5, 1], [410, 5, 5]]], lf.Eye(at=(52, 1, 2), forward=(1, 0, 0)), ground=wall)
    assert len(hidden) == 0
    for call in (lambda: lf.cull(boxes, lf.Eye(forward=(0, 0, 0))), lambda: lf.cull(boxes, lf.Eye(across=9)),
                 lambda: culler.move(5000, boxes[0]), lambda: lf.cull([[1, 2, 3]], eye)):
        with pytest.raises(lf.BadArgument):
            call()


def test_scene():
    scene = lf.Scene()
    grid = lf.Grid(make_terrain(40, 40) * 0 + 1, (5, 0, -100, 0, -5, 100))
    car = scene.add([lf.Shape.box(4, 2, 1).tagged("body"), lf.Shape.sphere(0.3).moved(0, 0, 1).coloured(1, 0, 0)],
                    pose=(-20, 0, 5), name="car", user=7)
    tree = scene.add(lf.Shape.cylinder(0.5, 6), pose=(20, 0, 3))
    cube = lf.Model(*lf.cube(2.0))
    block = scene.add(cube, pose=(0, 30, 5), velocity=(0, -10, 0), spin=(0, 0, 1))
    assert len(scene) == 3 and car.name == "car" and car.user == 7 and scene[car.id] == car
    car.follow(grid, base=3, track=1.5, lift=0.5, reach=10)
    assert car.position[2] == 1.5 and car.stance.stands
    watch = scene.watch(car, tree, ahead=1.0, level="model")
    ground = scene.watch("body", grid)
    kinds = []
    for _ in range(12):
        car.move((5, 0, 0))
        events = scene.step(0.5)
        kinds += [lf.EventKind(e.kind).name for e in events if e.watch == watch]
        for event in events[events.watch == watch]:
            assert {int(event.a), int(event.b)} == {car.id, tree.id} and np.isnan(event.ground).all()
    assert kinds == ["PREDICTED", "BEGIN", "END"]
    assert scene.time == 6 and np.allclose(block.position, (0, -30, 5)) and np.allclose(car.velocity, (10, 0, 0))
    assert scene.poses().shape == (3, 4, 4) and scene.boxes([tree.id]).shape == (1, 2, 3)
    hits = scene.ray([[20, -50, 3], [0, 0, 900]], [0, 1, 0])
    assert hits.instance[0] == tree.id and hits.instance[1] == 0 and np.isnan(hits.t[1])
    assert tree.id in scene.cull(lf.Eye(at=(20, -50, 3), forward=(0, 1, 0)))
    assert len(scene.cull(lf.Eye(at=(20, -50, 3), forward=(0, -1, 0)))) == 0
    grid.close()  # the scene keeps it alive
    cube.close()
    scene.step(0.5)
    scene.unwatch(ground)
    for call in (lambda: scene.step(0), lambda: scene.step(nan), lambda: scene.add(lf.Shape.box(0, 1, 1)),
                 lambda: scene.add(lf.Shape.sphere(1), pose=(nan, 0, 0)), lambda: scene.watch(3), lambda: scene.unwatch(99),
                 lambda: scene.watch(car, tree, level="sharp"), lambda: scene.watch(car, tree, ahead=-1), lambda: scene[12345],
                 lambda: scene.ray([0, 0, 0], [0, 0, 0]), lambda: scene.add([3]), lambda: car.turn((0, 0, 0), 1),
                 lambda: tree.follow(lf.Grid(np.zeros((2, 2))), base=0)):
        with pytest.raises(lf.BadArgument):
            call()
    tree.remove()
    with pytest.raises(lf.BadArgument, match="removed"):
        tree.pose
    assert "2 instances" in repr(scene)
    scene.close()
    with pytest.raises(lf.Closed):
        scene.step(1)


def test_scene_of_many_threads():
    scene = lf.Scene()
    things = [scene.add(lf.Shape.sphere(1.0), pose=(3 * k, 0, 0)) for k in range(20)]
    scene.watch()

    def work(k):
        for _ in range(50):
            things[k].move((0.1, 0, 0))
            scene.ray([0, 0, 9], [0, 0, -1])
            if k == 0:
                scene.step(0.1)

    threads = [threading.Thread(target=work, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert np.allclose([things[k].position[0] for k in range(8)], [3 * k + 5 for k in range(8)])


@pytest.fixture
def planet(tmp_path):
    rasterio = pytest.importorskip("rasterio")
    values = (1000 + 500 * make_terrain(90, 180) / 60).astype("float32")
    path = tmp_path / "planet.tif"
    with rasterio.open(path, "w", driver="GTiff", width=180, height=90, count=1, dtype="float32", crs="EPSG:4326",
                       transform=rasterio.Affine(2, 0, -180, 0, -2, 90)) as file:
        file.write(values, 1)
    return path, values


def test_globe(planet):
    path, values = planet
    globe = lf.Globe.open(path, cells=16)
    row, column = 30, 77
    lon, lat = -180 + 2 * (column + 0.5), 90 - 2 * (row + 0.5)
    assert abs(globe.height(lon, lat) - values[row, column]) < 1e-3
    assert globe.height([[lon, lon + 360]], lat).shape == (1, 2)
    heights, reasons = globe.height([0.0, 10.0], [0.0, 95.0 - 90], reason=True)
    assert (reasons == 0).all() and np.isfinite(heights).all()
    xyz = globe.to_xyz(lon, lat, 5000.0)
    assert np.allclose(globe.to_lon_lat(xyz), (lon, lat, 5000))
    hit = globe.ray(xyz, -xyz / np.linalg.norm(xyz))
    assert abs(hit.t - (5000 - values[row, column])) < 60
    assert globe.visible((lon, lat, 9000), (lon + 0.1, lat, 9000)) is True
    assert globe.visible((lon, lat, 9000), (lon + 90, lat, 9000)) is False
    assert globe.sight((lon, lat, 9000), [(lon + 90, lat, 9000), (lon, lat + 0.1, 9000)]).clear.tolist() == [False, True]
    again = pickle.loads(pickle.dumps(globe))
    assert again.height(lon, lat) == globe.height(lon, lat) and "levels" in repr(globe)
    for call in (lambda: globe.height(0, 91), lambda: globe.height(nan, 0), lambda: globe.height(np.zeros((2, 3))),
                 lambda: globe.sight((0, 95, 0), (0, 0, 0)), lambda: lf.Globe.open(), lambda: globe.to_xyz(0, 100)):
        with pytest.raises(lf.BadArgument):
            call()
    with pytest.raises(lf.Error):
        lf.Globe.open("none.tif")
    results = []
    threads = [threading.Thread(target=lambda: results.append(globe.height(lon, lat))) for _ in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert results == [globe.height(lon, lat)] * 8
    globe.close()
    with pytest.raises(lf.Closed):
        globe.height(0, 0)


def test_camera(planet):
    path, _ = planet
    globe = lf.Globe.open(path, cells=16)
    camera = lf.Camera(globe, 10.0, 20.0, globe.height(10.0, 20.0) + 500)
    camera.aim(10.0, 20.0, globe.height(10.0, 20.0) - 800, 10.0)
    did = set()
    for _ in range(30):
        result = camera.step(0.5)
        did |= set(lf.camera_acts(result.did))
        lon, lat, height = camera.position
        assert height > globe.height(lon, lat)
    assert did
    with pytest.raises(lf.BadArgument):
        camera.step(0)
    with pytest.raises(lf.BadArgument):
        camera.aim(0, 0, 0, 0)
    assert "Camera at" in repr(camera)


def test_camera_over_any_ground():
    """It keeps its clearance from the ground and from walls, for any velocity."""
    plain = lf.Grid(make_terrain(60, 80), (10.0, 0.0, 5000.0, 0.0, -10.0, 9000.0))
    town = lf.World([plain, [[5300, 8600, -50], [5340, 8640, 200]]])
    random = np.random.default_rng(2)
    for ground in (plain, town):
        for _ in range(20):
            x, y = random.uniform((5050, 8450), (5250, 8950))
            camera = lf.Camera(ground, x, y, ground.height(x, y) + 40, clearance=3.0, raise_limit=np.inf)
            camera.velocity = random.uniform((-60, -60, -60), (300, 60, 20))
            for _ in range(10):
                step = camera.step(0.25)
                at = camera.position
                height = ground.height(*at)
                assert np.isnan(height) or at[2] - height > 2.99
                if step.met:
                    assert abs(np.linalg.norm(step.normal) - 1) < 1e-9 and np.isfinite(step.position).all()
    camera = lf.Camera(town, 5250, 8620, 150)
    camera.aim(5400, 8620, 150, 5.0)
    sides = [camera.step(0.5) for _ in range(10)]
    assert camera.position[2] > 200 or any(step.met and step.part == 1 for step in sides)
    assert "Camera at" in repr(camera) and camera.ground is town
    town.close()
    with pytest.raises(lf.Closed):
        camera.step(0.5)
    with pytest.raises(TypeError):
        lf.Camera(None, 0, 0, 0)
    with pytest.raises(lf.BadArgument):
        lf.Camera(plain, 5050, 8450, nan).step(1.0)
