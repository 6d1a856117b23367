"""Viewsheds and horizons of chunked arrays, on any Dask scheduler: the same bits as in memory, one chunk at a time.

Lines of sight cross chunks, so every chunk is asked on the whole terrain. That terrain is written once, chunk by chunk, to a
``.lf`` file in a folder that all workers see, which they map: a worker's own memory holds the chunk that it writes or answers,
and the system keeps of the mapped file what it has space for. Tasks can be repeated at any time, so a lost worker costs time and
changes nothing.

>>> import numpy as np, xarray
>>> import landfall as lf, landfall.dask
>>> heights = (30 * np.sin(np.arange(60) / 5)[:, None] * np.cos(np.arange(80) / 7)).astype("f4")
>>> da = xarray.DataArray(heights, {"y": np.arange(60.0), "x": np.arange(80.0)}, ("y", "x"))
>>> counts = landfall.dask.viewshed_count(da.chunk({"y": 25, "x": 30}), [(10, 10), (50, 30)])
>>> bool((counts.compute() == lf.Grid.from_xarray(da).viewshed_count([(10, 10), (50, 30)]).values).all())
True
"""
from __future__ import annotations

import atexit
import functools
import os
import shutil
import tempfile
from typing import Any, Optional

import numpy as np

from landfall import _core
from landfall._errors import BadArgument
from landfall._interop import grid_options, place_of


def _folder(given: Optional[str]) -> str:
    """A folder of its own for one result's files, removed when the program ends."""
    made = tempfile.mkdtemp(prefix="landfall-", dir=given)
    atexit.register(shutil.rmtree, made, ignore_errors=True)
    return made


def _write(block: Any, path: str, shape: tuple[int, int], row: int, column: int) -> bool:
    """Write one chunk to its place in the file of all heights. Repeating it writes the same bytes."""
    with open(path, "ab"):  # made by whoever comes first; its size is set by the mapping
        pass
    size = shape[0] * shape[1] * block.dtype.itemsize
    if os.path.getsize(path) < size:
        os.truncate(path, size)
    whole = np.memmap(path, block.dtype, "r+", shape=shape)
    whole[row:row + block.shape[0], column:column + block.shape[1]] = block
    whole.flush()
    return True


def _build(done: list[Any], raw: str, path: str, dtype: Any, shape: tuple[int, int], transform: Any,
           options: dict[str, Any]) -> str:
    """The .lf file of all heights; written beside its place and renamed, so that it is whole or absent."""
    if not os.path.exists(path):
        with _core.Grid(np.memmap(raw, dtype, "r", shape=shape), transform, **options) as grid:
            grid.save(path)
    return path


@functools.lru_cache(maxsize=4)
def _opened(path: str) -> Any:
    return _core._open_store(path)


def _ask(path: str, window: tuple[slice, slice], name: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
    """One chunk of the answer."""
    result = getattr(_opened(path), name)(*arguments, window=window, **options).values
    return np.ascontiguousarray(result)


def _map(array: Any, name: str, arguments: tuple[Any, ...], options: dict[str, Any], folder: Optional[str],
         grid: Optional[dict[str, Any]]) -> Any:
    """The graph: write chunks, build the file, ask chunks."""
    import dask.array
    import xarray

    lazy: Any = dask  # neither package has types for what is used of it here
    arrays: Any = dask.array

    if "lattice" in options:
        raise BadArgument("lattice: the samples of a chunked array are its own")
    rows, columns, transform = place_of(array)
    data = array.data
    if not hasattr(data, "chunks"):
        raise BadArgument("expected a chunked array: use array.chunk(...), or Grid for one in memory")
    made = {**grid_options(array), **(grid or {})}
    place = _folder(folder)
    raw, path = os.path.join(place, "heights.raw"), os.path.join(place, "heights.lf")
    dtype = data.dtype
    if dtype not in (np.dtype("f4"), np.dtype("f8"), np.dtype("i2"), np.dtype("u2")):
        raise BadArgument(f"expected float32, float64, int16 or uint16, got {dtype}")
    write, build, ask = (lazy.delayed(call, pure=False) for call in (_write, _build, _ask))
    tops = np.concatenate(([0], np.cumsum(data.chunks[0]))).tolist()
    lefts = np.concatenate(([0], np.cumsum(data.chunks[1]))).tolist()
    blocks = data.to_delayed()
    written = [write(blocks[i, j], raw, data.shape, tops[i], lefts[j])
               for i in range(len(tops) - 1) for j in range(len(lefts) - 1)]
    file = build(written, raw, path, dtype, data.shape, transform, made)
    answers = [[arrays.from_delayed(ask(file, (slice(tops[i], tops[i + 1]), slice(lefts[j], lefts[j + 1])), name, arguments, options),
                                    (tops[i + 1] - tops[i], lefts[j + 1] - lefts[j]), np.float32)
                for j in range(len(lefts) - 1)] for i in range(len(tops) - 1)]
    return xarray.DataArray(arrays.block(answers), {n: array[n] for n in (rows, columns)}, (rows, columns), name)


def viewshed_count(array: Any, observers: Any, height: Any = 2.0, *, folder: Optional[str] = None,
                   grid: Optional[dict[str, Any]] = None, **options: Any) -> Any:
    """How many observers see each sample of a chunked DataArray: a chunked DataArray of float32, NaN for voids.

    observers, height and options: as of Grid.viewshed_count
    folder: that all workers can write to and read from, with space for twice the heights; the system's temporary one
    grid:   options of Grid, such as surface or nodata
    """
    from landfall._interop import coordinates

    places = np.asarray(coordinates(observers, False), np.float64).reshape(-1, 2)
    return _map(array, "viewshed_count", (places, height), options, folder, grid)


def sky_view(array: Any, directions: int = 16, *, folder: Optional[str] = None, grid: Optional[dict[str, Any]] = None,
             **options: Any) -> Any:
    """The fraction of the sky that each sample of a chunked DataArray sees; otherwise as :func:`viewshed_count`."""
    return _map(array, "sky_view", (directions,), options, folder, grid)


def horizon_map(array: Any, azimuth: float, *, folder: Optional[str] = None, grid: Optional[dict[str, Any]] = None,
                **options: Any) -> Any:
    """Elevation of the horizon in one direction; otherwise as :func:`viewshed_count`."""
    return _map(array, "horizon_map", (azimuth,), options, folder, grid)


__all__: list[str] = ["horizon_map", "sky_view", "viewshed_count"]
