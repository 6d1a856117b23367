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

from landfall._core import (Grid, Ground, HIT, HORIZON, Mesh, PROFILE, SIGHT, STANCE, WALK, instruction_set, set_threads,
                            version)
from landfall._errors import (BadArgument, BadFormat, BadGeometry, Cancelled, Closed, Error, IOFailed, NoMemory, Reason,
                              TooLarge, Unsupported, Verdict, Visibility, WalkEnd)
from landfall._open import _open_again, open
from landfall._raster import Profile, Raster

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


__all__ = ["BadArgument", "BadFormat", "BadGeometry", "Cancelled", "Closed", "Error", "Grid", "Ground", "HIT", "HORIZON",
           "IOFailed", "Mesh", "NoMemory", "PROFILE", "Profile", "Raster", "Reason", "SIGHT", "STANCE", "TooLarge",
           "Unsupported", "Verdict", "Visibility", "WALK", "WalkEnd", "instruction_set", "open", "set_threads", "sun_at",
           "sun_day", "read_points", "transform_points", "version"]
