"""Threads, interrupts, progress, lifetimes and leaks."""
import gc
import os
import resource
import signal
import subprocess
import sys
import threading
import time

import numpy as np
import pytest

import landfall as lf
from conftest import LONG, TRANSFORM, make_terrain, same


def test_eight_threads():
    values = make_terrain(150, 150)
    grid = lf.Grid(values, TRANSFORM)
    random = np.random.default_rng(5)
    a = np.stack([random.uniform(5100, 6400, 2000), random.uniform(7600, 8900, 2000), np.full(2000, 60.0)], axis=1)
    expected = (grid.height(a), grid.visible(a, a[::-1]), grid.ray(a, [1, 1, -0.1]), grid.viewshed(a[0, :2]).values)
    wrong = []

    def ask(number):
        for _ in range(3):
            answers = (grid.height(a), grid.visible(a, a[::-1]), grid.ray(a, [1, 1, -0.1]), grid.viewshed(a[0, :2]).values)
            if not all(same(one, other) for one, other in zip(answers, expected)):
                wrong.append(number)

    threads = [threading.Thread(target=ask, args=(k,)) for k in range(8)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong


def test_same_bits_for_any_number_of_threads(grid):
    random = np.random.default_rng(6)
    points = np.stack([random.uniform(5005, 5795, 30000), random.uniform(8405, 8995, 30000), np.full(30000, np.inf)], axis=1)
    answers = []
    before = lf.set_threads(1)
    for count in (1, 2, 5):
        lf.set_threads(count)
        answers.append((grid.height(points), grid.viewshed((5400, 8700), mode="ground").values))
    lf.set_threads(before)
    for heights, seen in answers[1:]:
        assert same(heights, answers[0][0]) and same(seen, answers[0][1])
    with pytest.raises(lf.BadArgument):
        lf.set_threads(-1)


def test_other_threads_run_meanwhile():
    """The GIL is released: another thread counts on while a long call runs."""
    grid = lf.Grid(make_terrain(150, 150), TRANSFORM)
    beats, stop = [], threading.Event()

    def beat():
        while not stop.is_set():
            beats.append(time.monotonic())
            time.sleep(0.001)

    thread = threading.Thread(target=beat)
    thread.start()
    began = time.monotonic()
    while time.monotonic() - began < 0.5:
        first = time.monotonic()
        grid.sky_view(16)
        last = time.monotonic()
    stop.set()
    thread.join()
    during = [b for b in beats if first < b < last]
    assert len(during) > 10 * (last - first)


def test_close_while_asked():
    """A ground that is closed while another thread asks is freed after the answer."""
    for _ in range(5):
        grid = lf.Grid(make_terrain(50, 50), TRANSFORM)
        expected = grid.sky_view(16).values
        results = []
        thread = threading.Thread(target=lambda: results.append(grid.sky_view(16).values))
        thread.start()
        time.sleep(0.002)
        grid.close()
        with pytest.raises(lf.Closed):
            grid.height(5400.0, 8700.0)
        thread.join()
        assert not results or same(results[0], expected)


INTERRUPTED = """
import os, signal, sys, threading, time
import numpy as np
import landfall as lf
y, x = np.mgrid[0:1000, 0:1000]
grid = lf.Grid((300 * np.sin(x / 37) * np.cos(y / 53)).astype("f4"))
random = np.random.default_rng(1)
points = np.stack([random.uniform(0, 999, 1000000), random.uniform(0, 999, 1000000), np.full(1000000, 5.0)], axis=1)
calls = {
    "viewshed_count": lambda: grid.viewshed_count(points[:200, :2]),
    "sky_view": lambda: grid.sky_view(360),
    "sun_hours": lambda: grid.sun_hours([(k, 5, 1) for k in range(300)]),
    "visible": lambda: [grid.visible(points, points[::-1]) for _ in range(30)],
    "sight": lambda: grid.sight(points[:300000], points[-300000:]),
    "ray": lambda: [grid.ray_t(points, [1, 1, -0.01]) for _ in range(30)],
    "height": lambda: [grid.height(points) for _ in range(300)],
    "grid": lambda: [lf.Grid(np.zeros((3000, 3000), "f4")) for _ in range(100)],
}
for name in sys.argv[1:]:
    sent = []
    def interrupt():
        sent.extend([time.monotonic(), time.process_time()])
        os.kill(os.getpid(), signal.SIGINT)
    timer = threading.Timer(0.1, interrupt)
    timer.start()
    try:
        calls[name]()
        print(name, "was not interrupted")
    except KeyboardInterrupt:
        # On a busy machine the time that the process got counts, shared by its threads.
        took = min(time.monotonic() - sent[0], (time.process_time() - sent[1]) / os.cpu_count())
        print(name, "ok" if took < 0.2 else "took %.3f s" % took)
    timer.join()
print(grid.height(5.0, 5.0) == grid.height([5.0], [5.0])[0])
"""


def test_interrupts():
    """Ctrl-C ends long calls within 0.2 s."""
    names = ["viewshed_count", "sky_view", "sun_hours", "visible", "sight", "ray", "height", "grid"]
    output = subprocess.run([sys.executable, "-c", INTERRUPTED, *names], capture_output=True, text=True, timeout=200)
    assert output.stdout == "".join(f"{name} ok\n" for name in names) + "True\n", output.stderr


def test_progress(grid, capsys):
    big = lf.Grid(make_terrain(500, 500), TRANSFORM)
    told = []
    seen = big.viewshed((7000, 6500), progress=lambda stage, done, total: told.append((stage, done, total)))
    assert told and all(isinstance(stage, str) and 0 <= done <= total for stage, done, total in told)
    assert same(seen.values, big.viewshed((7000, 6500)).values)
    with pytest.raises(lf.Cancelled):
        big.viewshed((7000, 6500), progress=lambda *_: False)
    with pytest.raises(ZeroDivisionError):
        big.sky_view(1, progress=lambda *_: 1 / 0)
    with pytest.raises(lf.Cancelled):
        lf.Grid(make_terrain(900, 900), progress=lambda *_: False)
    capsys.readouterr()
    big.sun_shade(90, 30, progress=True)
    shown = capsys.readouterr().err
    assert "#" in shown and "%" in shown and shown.endswith("\r")


def test_after_fork():
    """In a forked child, where OpenMP's threads are gone, calls run on one thread."""
    grid = lf.Grid(make_terrain(100, 100), TRANSFORM)
    points = np.random.default_rng(1).uniform(5100, 8900, (50000, 3))
    expected = grid.height(points), grid.sky_view(8).values
    child = os.fork()
    if child == 0:
        right = same(grid.height(points), expected[0]) and same(grid.sky_view(8).values, expected[1])
        os._exit(0 if right else 1)
    for _ in range(600):
        done, status = os.waitpid(child, os.WNOHANG)
        if done:
            break
        time.sleep(0.1)
    else:
        os.kill(child, signal.SIGKILL)
        pytest.fail("the child hangs")
    assert status == 0


def resident():
    with open("/proc/self/statm") as file:
        return int(file.read().split()[1]) * resource.getpagesize()


def test_no_leaks():
    """Making, asking, failing and freeing again and again takes no more memory."""
    values = make_terrain(60, 60)
    points = np.random.default_rng(1).uniform(5100, 5500, (1000, 3)) + [0, 3400, 0]
    bad = points.copy()
    bad[-1] = np.nan
    vertices, faces = np.random.default_rng(2).uniform(0, 9, (500, 3)), np.arange(498).reshape(-1, 3)

    def once():
        grid = lf.Grid(values, TRANSFORM)
        grid.height(points), grid.ray(points, [0, 0, -1]), grid.visible(points, points[::-1]), grid.viewshed((5400, 8700))
        grid.viewshed_count([(5400, 8700)] * 3), grid.sky_view(4), grid.sight(points[:50], points[50:100])
        grid.profile(points[0], points[1]), grid.walk(points[:10], points[10:20]), grid.horizon(points[0], [1, 2, 3])
        for call in (lambda: grid.height(bad), lambda: grid.ray(bad, [0, 0, 1]), lambda: grid.visible(bad, points),
                     lambda: grid.viewshed((0, 0)), lambda: lf.Grid(bad * 1e31), lambda: lf.Mesh(bad, [[0, 1, 999]])):
            try:
                call()
            except lf.Error:
                pass
        lf.Mesh(vertices, faces).height(points)

    for _ in range(10):
        once()
    gc.collect()
    before, objects = resident(), len(gc.get_objects())
    for _ in range(600 if LONG else 40):
        once()
    gc.collect()
    assert resident() - before < 6e6
    assert len(gc.get_objects()) - objects < 200


def test_reference_counts():
    """After answers and after failures nothing holds on to arguments, results or the ground."""
    grid = lf.Grid(make_terrain(60, 60), TRANSFORM)
    points = np.random.default_rng(1).uniform(5100, 5500, (40, 3)) + [0, 3400, 0]
    bad = points.copy()
    bad[7] = np.nan
    kept = [grid, points, bad, np.empty(40), (5400, 8700)]
    out, spot = kept[3], kept[4]
    calls = [lambda p: grid.height(p), lambda p: grid.height(p, out=out), lambda p: grid.ray(p, p), lambda p: grid.visible(p, p),
             lambda p: grid.sight(p, p[::-1]), lambda p: grid.walk(p, p[::-1]), lambda p: grid.viewshed_count(p[:, :2]),
             lambda p: grid.viewshed_who(p[:, :2]), lambda p: grid.viewshed(spot, progress=lambda *_: None).values,
             lambda p: grid.viewshed(spot, progress=lambda *_: False), lambda p: grid.profile(p[0], p[-1]), lambda p: grid.hit(p)]

    def ask(call, given):
        try:
            call(given)
        except lf.Error:
            pass

    for call in calls:
        for given in (points, bad):
            ask(call, given)  # what is kept once, as imported modules, is kept now
            gc.collect()
            before = [sys.getrefcount(thing) for thing in kept]
            for _ in range(20):
                ask(call, given)
            gc.collect()
            assert [sys.getrefcount(thing) for thing in kept] == before
