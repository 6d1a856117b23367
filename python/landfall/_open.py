"""Opening files as grounds and models."""
from __future__ import annotations

import os
from types import ModuleType
from typing import Any, Union

from landfall import _core
from landfall._errors import BadArgument, Unsupported

POLYGON_ENDINGS = (".ply", ".obj", ".stl", ".off", ".gltf", ".glb", ".dae", ".3ds")


def io_part(what: str) -> ModuleType:
    """landfall._io, or an error that says what is missing."""
    try:
        from landfall import _io
    except ImportError as error:
        raise Unsupported(f"{what}: needs landfall's io part, which cannot be loaded here ({error})") from None
    module: ModuleType = _io
    return module


def open(path: Union[str, "os.PathLike[str]"], *, surface: str = "falling", extend: bool = False, band: int = 0,
         nodata: Any = None, z_unit: Any = None, crs: Any = None, window: Any = None, leaf: int = 0, check: bool = False,
         progress: Any = None) -> Any:
    """Open a file as ground.

    path: a raster that GDAL reads (a :class:`Grid`); PLY, OBJ, STL, OFF, glTF, DAE or 3DS (a :class:`Mesh`); a world file,
          .world.json (a :class:`World`); or a .lf file, which is mapped, not read, and needs no GDAL

    Of rasters: surface, extend and leaf as in :class:`Grid`; band (0: the only one); nodata, z_unit ("m", "ft") and crs instead of
    the file's own; window: two slices of rows and columns. Of .lf files: check reads everything and compares checksums.

    >>> import landfall as lf, tempfile, os
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = os.path.join(folder, "a.lf")
    ...     lf.Grid([[0.0, 1.0], [2.0, 3.0]]).save(path)
    ...     print(lf.open(path).height(0.5, 0.5))
    1.5
    """
    text = os.fspath(path)
    ending = os.path.splitext(text)[1].lower()
    raster = dict(surface=surface, extend=extend, band=band, nodata=nodata, z_unit=z_unit, crs=crs, window=window, leaf=leaf)
    given = {name: value for name, value in raster.items() if value != _DEFAULTS[name]}
    world = text.lower().endswith(".world.json")
    if world or ending == ".lf" or ending in POLYGON_ENDINGS:
        if given:
            raise BadArgument(f"{next(iter(given))}: only for rasters, not for {text}")
        if world:
            return _core.World.open(text, progress=progress)
        return _core._open_store(text, check, progress) if ending == ".lf" else _open_polygons(text, progress)
    file = io_part(f"open {text}")
    options = {name: value for name, value in given.items() if name not in ("surface", "extend", "leaf")}
    if "crs" in options:
        options["crs"] = str(options["crs"])
    opened = file.RasterFile(text, progress=progress, **options)
    return opened.grid((_absolute(text), given), surface, extend, leaf, progress)


_DEFAULTS = dict(surface="falling", extend=False, band=0, nodata=None, z_unit=None, crs=None, window=None, leaf=0)


def _absolute(text: str) -> str:
    """A path that is the same from every folder; what only GDAL understands stays as it is."""
    return os.path.abspath(text) if os.path.exists(text) else text


def _open_polygons(text: str, progress: Any) -> Any:
    vertices, corners, starts, users, names = io_part(f"open {text}").read_polygons(text, progress=progress)
    return _core._mesh_of_file(vertices, corners, starts, users, names, (_absolute(text), {}), progress)


def _open_again(path: str, options: dict[str, Any]) -> Any:
    """What unpickles a ground."""
    return open(path, **options)


def _open_globe(paths: list[str], options: dict[str, Any]) -> Any:
    """What unpickles a globe."""
    return _core.Globe.open(*paths, **options)
