"""``import landfall.xarray`` gives every xarray.DataArray of heights an accessor: ``da.landfall.viewshed((x, y))``.

>>> import numpy as np, xarray
>>> import landfall.xarray
>>> da = xarray.DataArray(np.zeros((3, 4)), {"y": [30.0, 20.0, 10.0], "x": [0.0, 10.0, 20.0, 30.0]}, ("y", "x"))
>>> da.landfall.viewshed((10, 20)).values.sum()
12
>>> float(da.landfall.height(5, 15))
0.0
"""
from __future__ import annotations

from typing import Any

import xarray

from landfall._core import Grid

_register: Any = xarray.register_dataarray_accessor  # which has no types


@_register("landfall")
class LandfallAccessor:
    """Questions to the ground of a DataArray. Results for every sample are DataArrays with the same coordinates.

    The grid is made once, with the first question, and borrows the array's memory; ``grid`` has it. Heights, rays and lines of
    sight go to the grid itself: ``da.landfall.height(x, y)``, ``da.landfall.visible(a, b)``.
    """

    def __init__(self, array: xarray.DataArray) -> None:
        self._array = array
        self._grid: Any = None

    @property
    def grid(self) -> Any:
        """The :class:`landfall.Grid` of the array."""
        if self._grid is None:
            self._grid = Grid.from_xarray(self._array)
        return self._grid

    def _like(self, raster: Any) -> xarray.DataArray:
        result: xarray.DataArray = raster.to_xarray()
        if raster.grid is not self.grid:
            return result  # a lattice has its own coordinates
        rows, columns = self._array.dims
        names = {old: new for old, new in (("y", rows), ("x", columns)) if old != new}
        result = result.rename(names) if names else result
        # The coordinates themselves, not what the transform makes of them.
        placed: xarray.DataArray = result.assign_coords({rows: self._array[rows], columns: self._array[columns]})
        return placed

    def viewshed(self, observer: Any, height: Any = 2.0, **options: Any) -> xarray.DataArray:
        """As Grid.viewshed."""
        return self._like(self.grid.viewshed(observer, height, **options))

    def viewshed_count(self, observers: Any, height: Any = 2.0, **options: Any) -> xarray.DataArray:
        """As Grid.viewshed_count; of a chunked array see landfall.dask."""
        return self._like(self.grid.viewshed_count(observers, height, **options))

    def horizon_map(self, azimuth: float, **options: Any) -> xarray.DataArray:
        """As Grid.horizon_map."""
        return self._like(self.grid.horizon_map(azimuth, **options))

    def sky_view(self, directions: int = 16, **options: Any) -> xarray.DataArray:
        """As Grid.sky_view."""
        return self._like(self.grid.sky_view(directions, **options))

    def sun_shade(self, azimuth: float, altitude: float, **options: Any) -> xarray.DataArray:
        """As Grid.sun_shade."""
        return self._like(self.grid.sun_shade(azimuth, altitude, **options))

    def sun_hours(self, suns: Any, **options: Any) -> xarray.DataArray:
        """As Grid.sun_hours."""
        return self._like(self.grid.sun_hours(suns, **options))

    def __getattr__(self, name: str) -> Any:
        if name.startswith("_"):
            raise AttributeError(name)
        return getattr(self.grid, name)
