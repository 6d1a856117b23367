"""What other packages call their rasters, points and coordinate reference systems. Each is imported only when it is there."""
from __future__ import annotations

import re
from typing import Any, Optional

import numpy as np

from landfall._errors import BadArgument


def coordinates(points: Any, with_z: bool) -> Any:
    """The coordinates of shapely or geopandas points; anything else as it is."""
    single = isinstance(getattr(points, "geom_type", None), str)
    if hasattr(points, "geometry") and not single:
        points = points.geometry
    if single:
        if points.geom_type == "Point":
            return np.array([points.x, points.y] + ([points.z] if with_z else []))
        points = list(points.geoms) if points.geom_type == "MultiPoint" else [points]
    elif hasattr(points, "__len__") and len(points) and not hasattr(points, "dtype"):
        first = points[0] if isinstance(points, (list, tuple)) else None
        if first is None or not hasattr(first, "geom_type"):
            return points
    elif not str(getattr(points, "dtype", "")) == "geometry":
        return points
    places = []
    for index, point in enumerate(points):
        if point is None or getattr(point, "geom_type", None) != "Point" or point.is_empty:
            what = "nothing" if point is None else getattr(point, "geom_type", type(point).__name__)
            raise BadArgument(f"geometry {index}: expected a point, got {what}", index)
        places.append([point.x, point.y] + ([point.z] if with_z else []))
    return np.array(places, dtype=np.float64).reshape(-1, 3 if with_z else 2)


def crs_text(crs: Any) -> Optional[str]:
    """A CRS as text: WKT of an object, or the text itself."""
    if crs is None or (hasattr(crs, "to_wkt") and not crs):
        return None
    if hasattr(crs, "to_wkt"):
        return str(crs.to_wkt())
    if isinstance(crs, int):
        return f"EPSG:{crs}"
    if isinstance(crs, str):
        return crs
    raise BadArgument(f"crs: expected a text such as \"EPSG:3006\", or an object with to_wkt(), got {crs!r}")


def resolve_crs(crs: Any, degrees: Optional[bool]) -> tuple[Optional[str], bool, Optional[tuple[float, float]]]:
    """A CRS as text, whether x and y are degrees, and its ellipsoid (radius, flattening)."""
    text = crs_text(crs)
    if text is None:
        return None, bool(degrees), None
    try:
        from landfall import _io
    except ImportError:
        if degrees is None and not hasattr(crs, "is_geographic"):
            raise BadArgument(f"crs {text}: without landfall's io part say degrees=True or degrees=False") from None
        return text, bool(crs.is_geographic if degrees is None else degrees), ellipsoid_of(text)
    about = _io.describe_crs(text)
    if about["kind"] != "degrees" and about["xy_unit"] != 1:
        raise BadArgument(f"crs {about['crs_name']}: its unit is {about['xy_unit']:.9g} m: convert x and y to metres")
    found = about["kind"] == "degrees"
    if degrees is not None and bool(degrees) != found:
        raise BadArgument(f"degrees={degrees}: the CRS {about['crs_name']} is {about['kind']}")
    return about["crs"] or text, found, about["ellipsoid"]


def ellipsoid_of(wkt: str) -> Optional[tuple[float, float]]:
    """Radius and flattening from WKT."""
    found = re.search(r'(?:ELLIPSOID|SPHEROID)\["[^"]*",\s*([0-9.eE+]+),\s*([0-9.eE+]+)', wkt)
    if found is None:
        return None
    radius, inverse = float(found[1]), float(found[2])
    return radius, 1 / inverse if inverse else 0.0


def crs_name(crs: Any) -> str:
    """The name of a CRS, for people."""
    if crs is None:
        return "no CRS"
    found = re.match(r'\w+\["([^"]*)"', str(crs))
    return found[1] if found else str(crs)


def spacing_of(values: Any, name: str) -> float:
    """The even step of a coordinate."""
    numbers = np.asarray(values, dtype=np.float64)
    if numbers.ndim != 1 or len(numbers) < 2:
        raise BadArgument(f"coordinate {name}: expected 2 or more numbers along one axis, got the shape {numbers.shape}")
    step = float((numbers[-1] - numbers[0]) / (len(numbers) - 1))
    even = numbers[0] + step * np.arange(len(numbers))
    off = np.abs(numbers - even)
    if not step or not np.all(off <= 1e-6 * abs(step)):
        worst = int(np.argmax(off))
        raise BadArgument(f"coordinate {name}: must be evenly spaced, but number {worst} is {numbers[worst]!r}, not about "
                          f"{even[worst]!r}", worst)
    return step


def place_of(array: Any) -> tuple[str, str, tuple[float, ...]]:
    """The dimensions (rows, columns) of a DataArray and its transform, from rioxarray's or from its coordinates."""
    if array.ndim != 2:
        raise BadArgument(f"expected two dimensions, got {array.dims}")
    rows, columns = (str(name) for name in array.dims)
    if rows.lower() in ("x", "lon", "longitude", "easting"):
        raise BadArgument(f"expected the dimensions (y, x), got {array.dims}: transpose it")
    for name in (rows, columns):
        if name not in array.coords:
            raise BadArgument(f"dimension {name}: has no coordinate")
    step_x, step_y = spacing_of(array[columns].values, columns), spacing_of(array[rows].values, rows)
    x, y = float(array[columns].values[0]), float(array[rows].values[0])
    return rows, columns, (step_x, 0.0, x - 0.5 * step_x, 0.0, step_y, y - 0.5 * step_y)


def grid_options(array: Any) -> dict[str, Any]:
    """CRS and nodata of a DataArray, as rioxarray and xarray keep them."""
    found: dict[str, Any] = {}
    attributes = dict(array.attrs)
    crs = attributes.get("crs")
    for name in ("spatial_ref", "crs"):
        if name in array.coords:
            about = array.coords[name].attrs
            crs = about.get("crs_wkt") or about.get("spatial_ref") or crs
    if crs is not None:
        found["crs"] = crs
    nodata = attributes.get("_FillValue", attributes.get("nodata", array.encoding.get("_FillValue")))
    if nodata is None and "nodatavals" in attributes:
        nodata = attributes["nodatavals"][0]
    if nodata is not None and array.dtype.kind in "iu":
        found["nodata"] = nodata
    elif nodata is not None and "_FillValue" in attributes:
        found["nodata"] = nodata
    return found


def grid_arguments(array: Any) -> tuple[Any, tuple[float, ...], dict[str, Any]]:
    """What Grid takes, of a DataArray."""
    _, _, transform = place_of(array)
    return array.values, transform, grid_options(array)


def data_array(values: Any, grid: Any, name: str, unit: str, window: Any = None) -> Any:
    """Numbers for the samples of a grid as a DataArray with coordinates."""
    import xarray

    a, b, c, d, e, f = grid.transform
    if b or d:
        raise BadArgument(f"transform {grid.transform}: a rotated raster has no coordinates along its axes")
    rows, columns = grid.shape
    coords: dict[str, Any] = {"y": f + e * (np.arange(rows) + 0.5), "x": c + a * (np.arange(columns) + 0.5)}
    if window is not None:
        coords = {"y": coords["y"][window[0]], "x": coords["x"][window[1]]}
    array = xarray.DataArray(values, coords, ("y", "x"), name, {"units": unit} if unit else None)
    if grid.crs is not None:
        array = array.assign_coords(spatial_ref=((), 0, {"crs_wkt": grid.crs, "spatial_ref": grid.crs}))
    return array
