"""Pictures: shaded relief and overlays as PNG, by NumPy alone, and on Matplotlib axes."""
from __future__ import annotations

import struct
import zlib
from typing import Any, Optional

import numpy as np

from landfall._errors import Visibility

LARGEST = 960  # pixels along the longer side

# Heights: valley green, sand, rock, snow.
LAND = np.array([[98, 139, 90], [170, 182, 120], [206, 190, 145], [166, 142, 118], [230, 228, 226]], float)
EVEN = np.array([[68, 1, 84], [59, 82, 139], [33, 145, 140], [94, 201, 98], [253, 231, 37]], float)

# Colours of codes over relief: red, green, blue, alpha.
CODES = {Visibility.VISIBLE: (255, 196, 0, 0.62), Visibility.UNKNOWN: (140, 70, 160, 0.6)}


def ramp(colours: Any, share: Any) -> Any:
    """Colours of numbers 0 .. 1."""
    at = np.clip(np.nan_to_num(share), 0, 1) * (len(colours) - 1)
    low = np.minimum(at.astype(int), len(colours) - 2)
    part = (at - low)[..., None]
    return colours[low] * (1 - part) + colours[low + 1] * part


def shown(shape: tuple[int, ...], largest: int = LARGEST) -> tuple[slice, slice]:
    """Every how many rows and columns are shown."""
    step = max(1, -(-max(shape) // largest))
    return slice(None, None, step), slice(None, None, step)


def metres_of(ground: Any) -> tuple[float, float]:
    """Metres between the columns and between the rows of a grid, about."""
    a, b, _, d, e, _ = ground.transform
    x, y = float(np.hypot(a, d)), float(np.hypot(b, e))
    if ground.degrees:
        middle = float(np.mean(ground.box[:, 1]))
        return x * 111320 * max(0.01, float(np.cos(np.radians(middle)))), y * 111320
    return x, y


def shade(heights: Any, dx: float, dy: float) -> Any:
    """Light from the north-west on heights whose row 0 is in the north: 0 .. 1, NaN for voids."""
    south, east = np.gradient(heights, dy, dx)
    slope = np.sqrt(1 + south**2 + east**2)
    light = np.array([-0.5, 0.5, 0.7071])  # to the west, to the north, up
    return np.clip((-east * light[0] + south * light[1] + light[2]) / slope, 0, 1)


def heights_of(ground: Any, largest: int = LARGEST) -> tuple[Any, float, float, tuple[float, float, float, float]]:
    """Heights for a picture with row 0 in the north, metres between them, and its extent: left, right, bottom, top."""
    if hasattr(ground, "transform"):
        part = shown(ground.shape, largest)
        heights = ground.heights()[part]
        dx, dy = (spacing * part[0].step for spacing in metres_of(ground))
        a, b, c, d, e, f = ground.transform
        rows, columns = ground.shape
        corners = [(c, f), (c + columns * a + rows * b, f + columns * d + rows * e)]
        if e > 0:
            heights = heights[::-1]
        if a < 0:
            heights = heights[:, ::-1]
        (x0, y0), (x1, y1) = corners
        return heights, dx, dy, (min(x0, x1), max(x0, x1), min(y0, y1), max(y0, y1))
    box = ground.box
    width, height = box[1, :2] - box[0, :2]
    step = max(width, height) / min(largest, 400)
    columns, rows = max(2, int(width / step)), max(2, int(height / step))
    x = box[0, 0] + (np.arange(columns) + 0.5) * width / columns
    y = box[1, 1] - (np.arange(rows) + 0.5) * height / rows
    return (ground.height(x[None, :], y[:, None]), width / columns, height / rows,
            (box[0, 0], box[1, 0], box[0, 1], box[1, 1]))


def relief(heights: Any, dx: float, dy: float) -> Any:
    """Shaded relief: red, green, blue and alpha as bytes."""
    low, high = (np.nanmin(heights), np.nanmax(heights)) if np.isfinite(heights).any() else (0.0, 1.0)
    colours = ramp(LAND, (heights - low) / (high - low if high > low else 1))
    light = shade(heights, dx, dy)
    light = np.where(np.isnan(light), 0.7071, light)
    rgb = colours * (0.45 + 0.75 * light)[..., None]
    alpha = np.where(np.isfinite(heights), 255, 0)[..., None]
    return np.concatenate([np.clip(rgb, 0, 255), alpha], axis=-1).astype(np.uint8)


def overlay(picture: Any, raster: Any) -> Any:
    """The numbers of a raster over relief of the same samples."""
    values = raster.values[shown(raster.grid.shape)] if raster.window is None else raster.values
    e, a = raster.grid.transform[4], raster.grid.transform[0]
    values = values[::-1] if e > 0 else values
    values = values[:, ::-1] if a < 0 else values
    if values.shape != picture.shape[:2]:
        picture = np.full((*values.shape, 4), 255, np.uint8)
    out = picture.astype(float)
    if raster.dtype == np.uint8:
        out[..., :3] *= 0.75
        for code, (red, green, blue, alpha) in CODES.items():
            here = values == code
            out[here, :3] = out[here, :3] * (1 - alpha) + np.array([red, green, blue]) * alpha
    else:
        known = np.isfinite(values)
        low, high = (values[known].min(), values[known].max()) if known.any() else (0.0, 1.0)
        colours = ramp(EVEN, (values - low) / (high - low if high > low else 1))
        light = out[..., :3].mean(axis=-1, keepdims=True) / 255
        mixed = colours * (0.35 + 0.75 * light)
        out[known, :3] = np.clip(mixed[known], 0, 255)
    return out.astype(np.uint8)


def png(picture: Any) -> bytes:
    """A PNG of bytes (rows, columns, 4)."""
    rows, columns = picture.shape[:2]

    def chunk(kind: bytes, data: bytes) -> bytes:
        return struct.pack(">I", len(data)) + kind + data + struct.pack(">I", zlib.crc32(kind + data))

    lines = np.concatenate([np.zeros((rows, 1), np.uint8), picture.reshape(rows, -1)], axis=1)
    head = struct.pack(">IIBBBBB", columns, rows, 8, 6, 0, 0, 0)
    return (b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", head) + chunk(b"IDAT", zlib.compress(lines.tobytes(), 6)) +
            chunk(b"IEND", b""))


def enlarged(picture: Any) -> Any:
    """Small rasters are shown with larger pixels."""
    times = max(1, 320 // max(picture.shape[:2]))
    return picture.repeat(times, axis=0).repeat(times, axis=1)


def relief_png(ground: Any) -> Optional[bytes]:
    if ground.is_closed:
        return None
    heights, dx, dy, _ = heights_of(ground)
    return png(enlarged(relief(heights, dx, dy)))


def raster_png(raster: Any) -> bytes:
    heights, dx, dy, _ = heights_of(raster.grid)
    return png(enlarged(overlay(relief(heights, dx, dy), raster)))


def axes_of(ax: Any) -> Any:
    if ax is None:
        import matplotlib.pyplot

        ax = matplotlib.pyplot.gca()
    return ax


def plot_grid(ground: Any, ax: Any = None, **options: Any) -> Any:
    """Shaded relief on axes of x and y."""
    heights, dx, dy, extent = heights_of(ground, 1600)
    ax = axes_of(ax)
    ax.imshow(relief(heights, dx, dy), extent=extent, **options)
    ax.set_aspect(dy * (extent[1] - extent[0]) / (dx * (extent[3] - extent[2])) * heights.shape[0] / heights.shape[1])
    ax.set_xlabel("longitude" if ground.degrees else "x / m")
    ax.set_ylabel("latitude" if ground.degrees else "y / m")
    return ax


def plot_raster(raster: Any, ax: Any = None, **options: Any) -> Any:
    """A raster over relief, with its observers."""
    ax = axes_of(ax)
    heights, dx, dy, extent = heights_of(raster.grid)
    picture = relief(heights, dx, dy)
    ax.imshow(overlay(picture, raster) if raster.window is None else picture, extent=extent, **options)
    ax.set_aspect(dy * (extent[1] - extent[0]) / (dx * (extent[3] - extent[2])) * heights.shape[0] / heights.shape[1])
    if raster.dtype != np.uint8 and np.isfinite(raster.values).any():
        import matplotlib.cm
        import matplotlib.colors

        colours = matplotlib.colors.LinearSegmentedColormap.from_list("even", EVEN / 255)
        scale = matplotlib.colors.Normalize(float(np.nanmin(raster.values)), float(np.nanmax(raster.values)))
        ax.figure.colorbar(matplotlib.cm.ScalarMappable(scale, colours), ax=ax, label=raster.mode, shrink=0.8)
    if raster.observers is not None:
        places = raster.grid.from_ground(raster.observers) if raster.grid is not raster.ground else raster.observers
        ax.plot(places[:, 0], places[:, 1], "o", color="white", markeredgecolor="black", markersize=6)
    ax.set_xlabel("longitude" if raster.grid.degrees else "x / m")
    ax.set_ylabel("latitude" if raster.grid.degrees else "y / m")
    ax.set_title(f"{raster.name}: {raster.mode}" if raster.mode != raster.name else raster.name)
    return ax


def plot_profile(profile: Any, ax: Any = None) -> Any:
    """Ground, line and Fresnel zone over the distance."""
    ax = axes_of(ax)
    known = np.isfinite(profile.ground)
    lowest = profile.ground[known].min() if known.any() else 0.0
    ax.fill_between(profile.distance, lowest - 0.05 * np.ptp(profile.line) - 1, profile.ground, color="#a68e76", label="ground")
    ax.plot(profile.distance, profile.line, color="#b03030", label="line of sight")
    if profile.frequency_mhz:
        zone = profile.zone
        ax.fill_between(profile.distance, profile.line - zone, profile.line + zone, color="#4060c0", alpha=0.25,
                        label=f"first Fresnel zone, {profile.frequency_mhz:g} MHz")
    ax.set_xlabel("distance / m")
    ax.set_ylabel("height / m")
    ax.legend(loc="best", fontsize="small")
    return ax
