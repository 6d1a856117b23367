"""How the package is used, for mypy: every line must have a type that its user expects. It is run by the tests too."""
from __future__ import annotations

from typing import Optional

import numpy as np
from numpy.typing import NDArray

import landfall as lf


def scene_ground() -> lf.Ground:
    scene = lf.Scene()
    scene.add(lf.Shape.box(2, 2, 2))
    return scene.ground


def use() -> None:
    heights = np.zeros((20, 30), np.float32)
    heights[:, 15] = 50
    grid: lf.Grid = lf.Grid(heights, (10.0, 0.0, 0.0, 0.0, -10.0, 200.0), nodata=-9999, surface="bilinear")
    one: float = grid.height(105.0, 95.0)
    many: NDArray[np.float64] = grid.height(np.linspace(10, 200, 5), 95.0)
    known, reasons = grid.height([10.0, 2000.0], 95.0, reason=True)
    assert one == 0 and many.shape == (5,) and np.isnan(known[1]) and reasons[1] == lf.Reason.OUTSIDE
    a = grid.point_above(25.0, 95.0, 2.0)
    b = grid.point_above([105.0, 255.0], 95.0, 2.0)
    seen: NDArray[np.bool_] = grid.visible(a, b, curvature="light")
    assert seen.tolist() == [True, False]
    viewshed: lf.Raster = grid.viewshed((25.0, 95.0), height=2, range=(0, 500), mode="ground")
    assert viewshed.shape == grid.shape
    world = lf.World([grid, ([[120, 80, 0], [130, 110, 70]], None)])
    behind: lf.Raster = world.viewshed((25.0, 95.0), 2, lattice=(20.0, 95.0, 30.0, 5, 1), target_on="ground")
    shade: lf.Raster = scene_ground().sun_shade(90.0, 30.0, lattice=((1.0, 0.0, -1.0, 0.0, -1.0, 1.0), (2, 2)))
    again: lf.Raster = world.sky_view(8, lattice=grid)
    assert behind.shape == (1, 5) and shade.shape == (2, 2) and again.shape == grid.shape
    profile: lf.Profile = grid.profile(a, b[0], frequency_mhz=900)
    assert len(profile) > 2
    model = lf.Model(*lf.cube(2.0))
    pairs: NDArray[np.int64] = model.collide(model, [1.0, 0.5, 0.25])
    assert len(pairs)
    scene = lf.Scene()
    thing: lf.Instance = scene.add([lf.Shape.box(1, 1, 1), lf.Shape.sphere(0.5).moved(0, 0, 1)], velocity=(1, 0, 0))
    watch: int = scene.watch(thing, grid, ahead=2.0)
    events = scene.step(0.1)
    assert watch and len(events) >= 0
    visible: NDArray[np.int64] = lf.cull([[0, 1, 0, 1, 2, 1]], lf.Eye(at=(0, 0, 0)))
    assert visible.tolist() == [0]
    path: Optional[str] = grid.path
    assert path is None
    try:
        grid.viewshed((float("nan"), 0.0))
    except lf.Error as error:
        index: Optional[int] = error.index
        text: str = error.message + error.status
        assert index == 0 and text
    grid.close()


if __name__ == "__main__":
    use()
