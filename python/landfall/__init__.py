"""landfall: heights, rays, lines of sight, viewsheds, sun and collisions on terrain, exact and fast.

>>> import landfall as lf, numpy as np
>>> y, x = np.mgrid[0:200, 0:200]
>>> grid = lf.Grid((30 * np.sin(x / 20) * np.cos(y / 30)).astype("f4"))
>>> round(grid.height(100.5, 20.25), 3)
-22.276
>>> seen = grid.viewshed((100, 100), height=2)
>>> int((seen == lf.Visibility.VISIBLE).sum())
12850
"""
from __future__ import annotations

import os as _os
import typing as _t

from landfall._core import (CAMERA_STEP, DISTANCE, EVENT, GLOBE_SIGHT, HIT, HORIZON, LANDING, PROFILE, SCENE_HIT, SIGHT, STANCE,
                            WALK, Camera, Culler, Globe, Grid, Ground, Mesh, Model, Pairs, Scene, World, camera_acts, cube, cull,
                            instruction_set, set_threads, version)
from landfall._errors import (BadArgument, BadFormat, BadGeometry, Cancelled, Closed, Error, IOFailed, NoMemory, Reason,
                              TooLarge, Unsupported, Verdict, Visibility, WalkEnd)
from landfall._open import _open_again, _open_globe, open
from landfall._raster import Profile, Raster, Sites
from landfall._shapes import EventKind, Eye, Instance, Shape

__version__ = version()

_reader = _os.path.join(_os.path.dirname(__file__), "landfall-polygon-reader")
if _os.path.exists(_reader):
    _os.environ.setdefault("LANDFALL_POLYGON_READER", _reader)

# What needs landfall-io, and with it GDAL, is imported when it is used.
_LATE = {"sun_at": "landfall._io", "sun_day": "landfall._io", "read_points": "landfall._io",
         "transform_points": "landfall._io"}


def __getattr__(name: str) -> _t.Any:
    if name not in _LATE:
        raise AttributeError(f"module 'landfall' has no attribute {name!r}")
    from landfall._open import io_part
    return getattr(io_part(name), name)


def __dir__() -> list[str]:
    return sorted([*globals(), *_LATE])


__all__ = ["BadArgument", "BadFormat", "BadGeometry", "CAMERA_STEP", "Camera", "Cancelled", "Closed", "Culler",
           "DISTANCE", "EVENT", "Error", "EventKind", "Eye", "GLOBE_SIGHT", "Globe", "Grid", "Ground", "HIT",
           "HORIZON", "IOFailed", "Instance", "LANDING", "Mesh", "Model", "NoMemory", "PROFILE", "Pairs",
           "Profile", "Raster", "Reason", "SCENE_HIT", "SIGHT", "STANCE", "Scene", "Shape", "Sites",
           "TooLarge", "Unsupported", "Verdict", "Visibility", "WALK", "WalkEnd", "World", "camera_acts", "cube", "cull",
           "instruction_set", "open", "read_points", "set_threads", "sun_at", "sun_day", "transform_points",
           "version"]
