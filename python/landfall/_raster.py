"""Results: numbers for the samples of a grid, and profiles."""
from __future__ import annotations

from typing import Any, NamedTuple, Optional

import numpy as np

from landfall._errors import BadArgument, Reason, Visibility

UNITS = {"ground": "m", "dem": "m", "angle": "degrees", "distance": "m", "horizon": "degrees", "sun_hours": "h"}


class Raster(np.lib.mixins.NDArrayOperatorsMixin):
    """Numbers for the samples of a grid or lattice, in the order of its values: what viewsheds, horizons and sun return.

    It is used like the array ``values``: arithmetic, comparisons, indexing and NumPy's functions work on it and return
    arrays. Nothing is copied.

    Attributes:
        values:    the array
        ground:    what was asked
        grid:      whose samples these are: the ground itself, or the lattice (with shape, transform and crs)
        name, mode: of the call; window: the slices of rows and columns that were asked for
        observers: places (n, 2), or None
        stats:     of a viewshed: how many samples are hidden, visible, unknown, hole, beyond; walked: by an exact line

    >>> import landfall as lf
    >>> seen = lf.Grid([[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]]).viewshed((0, 0))
    >>> seen
    <landfall.Raster viewshed, visible, 2 x 3 uint8: 4 visible, 2 hidden>
    >>> (seen == lf.Visibility.VISIBLE).sum()
    4
    """

    def __init__(self, values: Any, ground: Any, grid: Any, name: str, mode: str, window: Any, observers: Any,
                 stats: Optional[dict[str, int]], again: Any = None) -> None:
        self.values = values
        self.ground = ground
        self.grid = grid
        self.name = name
        self.mode = mode
        self.window = window
        self.observers = observers
        self.stats = stats
        self._again = again

    @property
    def shape(self) -> tuple[int, ...]:
        return tuple(self.values.shape)

    @property
    def dtype(self) -> Any:
        return self.values.dtype

    def __array__(self, dtype: Any = None) -> Any:
        return np.asarray(self.values, dtype=dtype)

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, **options: Any) -> Any:
        plain = [x.values if isinstance(x, Raster) else x for x in inputs]
        return getattr(ufunc, method)(*plain, **options)

    def __getitem__(self, key: Any) -> Any:
        return self.values[key]

    def __len__(self) -> int:
        return len(self.values)

    def __repr__(self) -> str:
        what = f"<landfall.Raster {self.name}, {self.mode}, {self.shape[0]} x {self.shape[1]} {self.dtype}"
        if self.dtype == np.uint8:
            known = self.stats or {}
            counts = [(known[name] if name in known else int((self.values == code).sum()), name)
                      for code, name in ((code, code.name.lower()) for code in Visibility)]
            return what + ": " + ", ".join(f"{n} {name}" for n, name in sorted(counts, reverse=True) if n) + ">"
        if np.isnan(self.values).all():
            return what + ": all NaN>"
        return what + f": {np.nanmin(self.values):.6g} .. {np.nanmax(self.values):.6g}>"

    @property
    def visible(self) -> Any:
        """Where it is visible (or lit): an array of bool."""
        if self.dtype != np.uint8:
            raise BadArgument(f"visible: of the modes visible and sun_shade, not of {self.mode}")
        return self.values == Visibility.VISIBLE

    @property
    def reason(self) -> Any:
        """Why samples have no number: an array of uint8, see :class:`Reason`. HOLE: a void, or one in the way; OUTSIDE:
        beyond the limits; NONE: not visible. (Of "ground", "dem", "angle" and "distance" this runs a viewshed.)"""
        codes = self.values
        if self.dtype != np.uint8:
            if self.name != "viewshed":
                return np.where(np.isnan(self.values), np.uint8(Reason.HOLE), np.uint8(Reason.ANSWERED))
            height, limits = self._again
            codes = self.ground.viewshed(self.observers[0], height, **limits).values
        table = np.array([Reason.ANSWERED, Reason.ANSWERED, Reason.HOLE, Reason.HOLE, Reason.OUTSIDE], np.uint8)
        reasons = table[codes]
        if self.dtype != np.uint8:
            missing = np.isnan(self.values)
            reasons = np.where(missing, np.where(reasons == 0, np.uint8(Reason.NONE), reasons), np.uint8(Reason.ANSWERED))
        return reasons

    def to_xarray(self) -> Any:
        """As an xarray.DataArray with coordinates x and y, and the CRS as rioxarray keeps it."""
        from landfall._interop import data_array

        return data_array(self.values, self.grid, self.name, UNITS.get(self.mode, ""), self.window)

    def _repr_png_(self) -> bytes:
        from landfall._pictures import raster_png

        return raster_png(self)

    def plot(self, ax: Any = None, **options: Any) -> Any:
        """Draw it over shaded relief on Matplotlib axes, and return them."""
        from landfall._pictures import plot_raster

        return plot_raster(self, ax, **options)


class Sites(NamedTuple):
    """The places that :meth:`Ground.site` has chosen, one after the other, and what is known about all choices of as many."""

    candidate: Any  #: indices of the candidates that were chosen
    gain: Any  #: what each of them added: samples, or their weight
    covered: Any  #: what it and all before it cover
    total: float  #: what could be covered if everything were seen
    limit: float  #: no choice of as many places covers more
    viewsheds: int  #: that were computed
    gains: int  #: that were evaluated


class Profile:
    """The ground under a line, and the line: arrays t, distance, ground (NaN over voids) and line; and ``sight``, the line of
    sight as Ground.sight has it."""

    def __init__(self, points: Any, sight: Any, a: Any, b: Any, frequency_mhz: float) -> None:
        self.t = points["t"]
        self.distance = points["distance"]
        self.ground = points["ground"]
        self.line = points["line"]
        self.sight = sight
        self.a = np.asarray(a, np.float64)
        self.b = np.asarray(b, np.float64)
        self.frequency_mhz = frequency_mhz

    def __len__(self) -> int:
        return len(self.t)

    def __repr__(self) -> str:
        from landfall._errors import Verdict

        verdict = Verdict(int(self.sight.verdict)).name.lower()
        return (f"<landfall.Profile {len(self)} points, {self.sight.length:.6g} m, {verdict}, "
                f"clearance {self.sight.clearance:.6g} m>")

    @property
    def zone(self) -> Any:
        """Radius of the first Fresnel zone along the line, metres; NaN without a frequency."""
        if not self.frequency_mhz:
            return np.full(len(self), np.nan)
        rest = self.distance[-1] - self.distance
        return np.sqrt(299.792458 / self.frequency_mhz * self.distance * rest / self.distance[-1])

    def plot(self, ax: Any = None) -> Any:
        """Draw ground, line and Fresnel zone on Matplotlib axes, and return them."""
        from landfall._pictures import plot_profile

        return plot_profile(self, ax)
