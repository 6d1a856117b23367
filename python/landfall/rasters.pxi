# Grid: viewsheds, horizons and sun, for every sample.

_MODES = {"ground": 0, "dem": 1, "angle": 2, "distance": 3}


cdef class _Observers:
    """Observers as the C library reads them."""
    cdef lf_observer *each
    cdef int64_t count
    cdef readonly object places

    def __cinit__(self, observers, height, bint datum, bint single):
        cdef int64_t i
        from landfall._interop import coordinates
        places = numbers(coordinates(observers, False), "observer" if single else "observers")
        if single and places.shape != (2,) and places.shape != (1, 2):
            raise BadArgument("observer: expected x and y, got the shape %s" % (places.shape,))
        places = places.reshape(-1, 2) if single or places.size == 0 else places
        if places.ndim != 2 or places.shape[1] != 2:
            raise BadArgument("observers: expected places (n, 2), got the shape %s" % (places.shape,))
        heights = numbers(height, "height")
        if heights.shape not in ((), (1,), (places.shape[0],)):
            raise BadArgument("height: expected one number, or one for each of %d observers, got the shape %s"
                              % (places.shape[0], heights.shape))
        heights = np.broadcast_to(heights, (places.shape[0],))
        bad = ~(np.isfinite(places).all(axis=1) & np.isfinite(heights))
        if bad.any():
            k = int(np.argmax(bad))
            raise BadArgument("observer %d: %s, height %r: must be finite" % (k, tuple(places[k].tolist()),
                                                                               float(heights[k])), k)
        self.count = places.shape[0]
        self.each = <lf_observer *>calloc(max(1, self.count), sizeof(lf_observer))
        if self.each is NULL:
            raise MemoryError()
        for i in range(self.count):
            self.each[i].at.x, self.each[i].at.y = places[i, 0], places[i, 1]
            self.each[i].height, self.each[i].datum = heights[i], datum
        self.places = places

    def __dealloc__(self):
        free(self.each)


cdef class Grid(_Grid):
    """A raster of heights as ground.

    values:    heights, an array (rows, columns). float32, float64, int16 and uint16 with any strides are borrowed: they
               must not change while the grid exists (copy=True copies them). Other integers, float16, foreign byte
               orders and broadcast arrays are converted, which is one copy
    transform: x and y of pixel corners, as rasterio has them: an affine transform or a, b, c, d, e, f. The samples are
               the centres of the pixels (point=True: transform has the samples themselves). None: x is the column and
               y the row
    crs:       of x and y: "EPSG:3006", WKT, or an object with to_wkt(). Longitude and latitude are in degrees: distances
               are then geodesic, and x wraps
    nodata:    value of samples without a height; NaN and infinite ones have none anyway. mask: 0 likewise
    surface:   between samples: "falling" (two triangles a cell), "rising", "alternating", "bilinear", "posts"
    scale, offset: heights are value * scale + offset
    extend:    by half a cell at constant height around the samples (copies)
    codec:     "raw", or "pack", "maxplus", "haar", "d4": compressed in memory, with max_error
    progress:  True for a bar, or a function (stage, done, total) that returns False to cancel

    >>> import landfall as lf, numpy as np
    >>> grid = lf.Grid(np.zeros((3, 4), np.float32), (10, 0, 500, 0, -10, 800))
    >>> grid
    <landfall.Grid 3 x 4 float32, falling, x 505 .. 535, y 775 .. 795, z 0 .. 0, no CRS>
    >>> grid.shape, grid.transform
    ((3, 4), (10.0, 0.0, 500.0, 0.0, -10.0, 800.0))
    """

    cdef object space(self, lf_window w, dtype, char **first, ptrdiff_t *row_step, out=None):
        """An array of a window in the caller's order, and where and how the library writes it."""
        cdef cnp.ndarray array
        cdef ptrdiff_t item = np.dtype(dtype).itemsize
        if out is not None and (self.transposed or self.flip_columns):
            raise BadArgument("out: only where columns run to the east and rows along them, not with the transform %s"
                              % (self.transform,))
        array = result_array(out, (w.rows, w.columns), dtype)
        first[0] = <char *>cnp.PyArray_DATA(array)
        row_step[0] = w.columns * item
        if self.transposed or self.flip_columns:
            return self.turn_back(array)
        if self.flip_rows:
            first[0] += (w.rows - 1) * row_step[0]
            row_step[0] = -row_step[0]
        return array

    cdef int set_limits(self, lf_viewshed_def *definition, target, range_, azimuth, pitch) except -1:
        definition.target = one_number(target, "target")
        for name, given in (("range", range_), ("azimuth", azimuth), ("pitch", pitch)):
            if given is None:
                continue
            if name == "range" and not hasattr(given, "__len__"):
                given = (0.0, given)
            low_high = numbers(given, name)
            if low_high.shape != (2,) or np.isnan(low_high).any():
                raise BadArgument("%s: expected two numbers, got %s" % (name, _brief(given)))
            low, high = float(low_high[0]), float(low_high[1])
            if name == "range":
                if not 0 <= low <= high:
                    raise BadArgument("range %r, %r: must be 0 or more, the first at most the second" % (low, high))
                definition.range_min, definition.range_max = low, high
            elif name == "azimuth":
                if not (isfinite(low) and isfinite(high)):
                    raise BadArgument("azimuth %r, %r: must be finite" % (low, high))
                definition.azimuth_from_deg, definition.azimuth_to_deg = low, high
            else:
                if not -90 <= low <= high <= 90:
                    raise BadArgument("pitch %r, %r: must be within -90 .. 90, the first at most the second" % (low, high))
                definition.pitch_low_deg, definition.pitch_high_deg = low, high
        if not isfinite(definition.target):
            raise BadArgument("target %r: must be finite" % definition.target)
        return 0

    def viewshed(self, observer, height=2.0, *, mode="visible", target=0.0, range=None, azimuth=None, pitch=None,
                 curvature="flat", radius=None, voids="unknown", bint datum=False, window=None, out=None, progress=None):
        """What an observer sees of every sample: a :class:`Raster`, exact for each of them.

        observer:  x and y, or a shapely point
        height:    metres above the ground there (datum=True: above datum; the observer may then be over a void or outside)
        mode:      "visible": uint8 codes, see :class:`Visibility`. float32, NaN without an answer: "ground": least height
                   above ground that would be visible, "dem": the same above datum, "angle": degrees above level of what is
                   visible, "distance": metres to it
        target:    height of targets above the ground
        range:     farthest distance, or (nearest, farthest), metres
        azimuth:   (from, to), degrees clockwise from +y
        pitch:     (lowest, highest), degrees above level
        curvature, radius, voids: as in :meth:`visible`
        window:    two slices, of rows and columns: only these samples
        out:       an array to write to and return as values, instead of a new one
        progress:  True for a bar, or a function (stage, done, total) that returns False to cancel

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]])
        >>> grid.viewshed((0, 1)).values
        array([[1, 1, 0],
               [1, 1, 0]], dtype=uint8)
        """
        from landfall._raster import Raster
        cdef lf_viewshed_def definition = lf_viewshed_def_default()
        cdef _Observers observers = _Observers(observer, height, datum, True)
        cdef lf_viewshed_stats stats
        cdef lf_error error
        cdef lf_status status
        cdef lf_window w
        cdef char *first
        cdef ptrdiff_t row_step
        cdef int view = -1 if mode == "visible" else choice(mode, dict(_MODES, visible=-1), "mode")
        cdef _Progress told = _Progress(progress)
        definition.rules = self.rules(curvature, radius, voids)
        self.set_limits(&definition, target, range, azimuth, pitch)
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            w = self.window_of(window)
            values = self.space(w, np.uint8 if view < 0 else np.float32, &first, &row_step, out)
            definition.host.tasks = tasks_for(w.rows * w.columns, 16384)
            with nogil:
                if view < 0:
                    status = lf_viewshed_visible(lf_grid_ground(self.grid), &definition, observers.each, w, <uint8_t *>first, row_step,
                                                 &stats, &error)
                else:
                    status = lf_viewshed_values(lf_grid_ground(self.grid), &definition, observers.each, <lf_viewshed_mode>view, w,
                                                <float *>first, row_step, &stats, &error)
            if status == LF_BAD_ARGUMENT and error.where < 0:
                error.where = 0
            told.end(status, &error, "viewshed")
        finally:
            self.leave()
        limits = dict(target=target, range=range, azimuth=azimuth, pitch=pitch, curvature=curvature, radius=radius,
                      voids=voids, datum=datum, window=window)
        return Raster(values, self, "viewshed", mode, window, observers.places, stats_of(&stats), (height, limits))

    def viewshed_count(self, observers, height=2.0, *, target=0.0, range=None, azimuth=None, pitch=None, curvature="flat",
                       radius=None, voids="unknown", bint datum=False, window=None, progress=None):
        """How many of the observers see each sample: a :class:`Raster` of float32, NaN for voids.

        observers: places (n, 2), or shapely or geopandas points
        height:    one, or one for each observer; otherwise as :meth:`viewshed`

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]])
        >>> grid.viewshed_count([(0, 1), (2, 1)]).values
        array([[1., 2., 1.],
               [1., 2., 1.]], dtype=float32)
        """
        from landfall._raster import Raster
        cdef lf_viewshed_def definition = lf_viewshed_def_default()
        cdef _Observers places = _Observers(observers, height, datum, False)
        cdef lf_viewshed_stats stats
        cdef lf_error error
        cdef lf_status status
        cdef lf_window w
        cdef char *first
        cdef ptrdiff_t row_step
        cdef int64_t i, size
        cdef _Progress told = _Progress(progress)
        if places.count > 1 << 24:
            raise _errors.TooLarge("observers: %d are more than float32 counts exactly" % places.count)
        definition.rules = self.rules(curvature, radius, voids)
        self.set_limits(&definition, target, range, azimuth, pitch)
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            w = self.window_of(window)
            values = self.space(w, np.float32, &first, &row_step)
            definition.host.tasks = tasks_for(w.rows * w.columns * places.count, 16384)
            size = w.columns
            with nogil:
                status = lf_viewshed_count(lf_grid_ground(self.grid), &definition, places.each, places.count, w, <uint32_t *>first,
                                           row_step, &stats, &error)
                if status >= 0:
                    for i in xrange(w.rows):
                        counts_to_floats(<uint32_t *>(first + i * row_step), size)
            told.end(status, &error, "viewshed_count")
        finally:
            self.leave()
        return Raster(values, self, "viewshed_count", "count", window, places.places, stats_of(&stats))

    # ---- Horizons and sun

    def horizon(self, point, azimuths, *, range=INFINITY, curvature="flat", radius=None):
        """The skyline of a point in directions: a record array of the shape of azimuths.

        point:    x, y, z above datum, see :meth:`point_above`
        azimuths: degrees clockwise from +y
        range:    metres

        Fields: reason (NONE: no ground that way), elevation_deg, distance, point, hole (there is a void that way). Without
        ground that way the numbers are NaN.

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 0.0, 0.0], [0.0, 0.0, 2.0], [0.0, 0.0, 0.0]])
        >>> grid.horizon([0, 1, 0], [90.0, 270.0]).elevation_deg.round(3)
        array([45., nan])
        """
        cdef lf_sight_rules rules = self.rules(curvature, radius, "unknown")
        cdef lf_vec3 at = one_point(point, "point")
        angles = numbers(azimuths, "azimuths")
        cdef cnp.ndarray packed = np.ascontiguousarray(angles), found = np.empty(angles.shape, HORIZON)
        cdef lf_horizon *horizons = <lf_horizon *>cnp.PyArray_DATA(found)
        cdef const double *angle = <const double *>cnp.PyArray_DATA(packed)
        cdef int64_t count = packed.size, done = 0, n, i
        cdef double far = one_number(range, "range")
        cdef lf_status status = LF_OK
        self.enter()
        try:
            with nogil:
                while done < count:
                    n = min(256, count - done)
                    status = lf_horizon_around(lf_grid_ground(self.grid), &rules, at, angle + done, n, far, horizons + done, tasks_for(n, 64))
                    if status < 0:
                        break
                    for i in xrange(done, done + n):
                        if horizons[i].reason != LF_REASON_ANSWERED:
                            horizons[i].elevation_deg = horizons[i].distance = NAN
                            horizons[i].point = vec(NAN, NAN, NAN)
                    done += n
                    check_signals()
        finally:
            self.leave()
        if status < 0:
            bad = np.flatnonzero(~np.isfinite(packed.reshape(-1)))
            index = int(bad[0]) if len(bad) else None
            raise _error_of(status, "horizon of %s, azimuth %r, range %r: must be finite, the range above 0"
                            % (vec_text(at), None if index is None else float(packed.reshape(-1)[index]), far), index)
        return found.view(np.recarray) if angles.shape != () else found[()]

    cdef object sun_or_sky(self, str name, which, int directions, suns, height, range_, curvature, radius, voids, window,
                           progress):
        """One of the maps: horizon, sky, shade, hours."""
        from landfall._raster import Raster
        cdef lf_horizon_def definition = lf_horizon_def_default()
        cdef cnp.ndarray packed = np.ascontiguousarray(suns)
        cdef lf_sun *sun = <lf_sun *>cnp.PyArray_DATA(packed)
        cdef int64_t count = packed.shape[0]
        cdef int kind = which
        cdef lf_error error
        cdef lf_status status = LF_OK
        cdef lf_window w
        cdef char *first
        cdef ptrdiff_t row_step
        cdef _Progress told = _Progress(progress)
        definition.rules = self.rules(curvature, radius, voids)
        definition.height, definition.range = one_number(height, "height"), one_number(range_, "range")
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            w = self.window_of(window)
            values = self.space(w, np.uint8 if kind == 2 else np.float32, &first, &row_step)
            definition.host.tasks = tasks_for(w.rows * w.columns, 4096)
            with nogil:
                if kind < 2:
                    status = self.in_tiles(&definition, told, sun.azimuth_deg, directions if kind == 1 else 0, w, first,
                                           row_step, &error)
                elif kind == 2:
                    status = lf_sun_shade(lf_grid_ground(self.grid), &definition, sun[0], w, <uint8_t *>first, row_step, &error)
                else:
                    status = lf_sun_hours(lf_grid_ground(self.grid), &definition, sun, count, w, <float *>first, row_step, &error)
            told.end(status, &error, name)
        finally:
            self.leave()
        return Raster(values, self, name, name, window, None, None)

    cdef lf_status in_tiles(self, lf_horizon_def *definition, _Progress told, double azimuth, int directions, lf_window all,
                            char *first, ptrdiff_t row_step, lf_error *error) nogil:
        """Horizons and sky view tile by tile, each about as long as a look for Ctrl-C: the library reports too rarely."""
        cdef lf_window w
        cdef lf_status status = LF_OK
        cdef int64_t row = 0, column, rows = 8, columns = max(1, 1024 // max(1, directions))
        cdef double began
        cdef float *into
        definition.host.progress = NULL
        while row < all.rows:
            w.rows = min(rows, all.rows - row)
            column = 0
            while column < all.columns:
                if not told.report("horizon", row * all.columns + column, all.rows * all.columns):
                    return LF_CANCELLED
                began = now()
                w.columns = min(columns, all.columns - column)
                w.column, w.row = all.column + column, all.row + row
                into = <float *>(first + row * row_step + column * 4)
                if directions == 0:
                    status = lf_horizon_map(lf_grid_ground(self.grid), definition, azimuth, w, into, row_step, error)
                else:
                    status = lf_sky_view(lf_grid_ground(self.grid), definition, directions, w, into, row_step, error)
                if status < 0:
                    return status
                column += w.columns
                began = now() - began
                if began > LOOK and columns > 1:
                    columns //= 2
                elif began < 0.3 * LOOK and columns < all.columns:
                    columns *= 2
            row += w.rows
            if columns >= all.columns and began < 0.3 * LOOK:
                rows *= 2
        return LF_OK if told.report("horizon", all.rows * all.columns, all.rows * all.columns) else LF_CANCELLED

    def horizon_map(self, azimuth, *, height=0.0, range=INFINITY, curvature="flat", radius=None, window=None, progress=None):
        """Elevation of the horizon in one direction for every sample: a :class:`Raster` of float32 degrees; -90: no ground
        that way; NaN for voids.

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 1.0], [0.0, 1.0]]).horizon_map(90).values[:, 0]
        array([45., 45.], dtype=float32)
        """
        suns = np.array([[one_number(azimuth, "azimuth"), 0.0, 0.0]])
        return self.sun_or_sky("horizon", 0, 0, suns, height, range, curvature, radius, "unknown", window, progress)

    def sky_view(self, int directions=16, *, height=0.0, range=INFINITY, curvature="flat", radius=None, window=None,
                 progress=None):
        """The fraction of the sky that each sample sees: a :class:`Raster` of float32, 0 .. 1; NaN for voids.

        directions: azimuths whose horizons are averaged, 1 .. 720

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 0.0], [0.0, 0.0]]).sky_view().values
        array([[1., 1.],
               [1., 1.]], dtype=float32)
        """
        if not 1 <= directions <= 720:
            raise BadArgument("directions %d: must be 1 .. 720" % directions)
        return self.sun_or_sky("sky_view", 1, directions, np.zeros((1, 3)), height, range, curvature, radius, "unknown",
                               window, progress)

    def sun_shade(self, azimuth, altitude, *, height=0.0, range=INFINITY, curvature="flat", radius=None, voids="unknown",
                  window=None, progress=None):
        """Which samples the sun lights: a :class:`Raster` of uint8 codes, see :class:`Visibility` (VISIBLE: lit).

        azimuth:  degrees clockwise from +y
        altitude: degrees above level

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 0.0, 9.0], [0.0, 0.0, 9.0]]).sun_shade(90, 45).values
        array([[0, 0, 1],
               [0, 0, 1]], dtype=uint8)
        """
        suns = np.array([[one_number(azimuth, "azimuth"), one_number(altitude, "altitude"), 0.0]])
        return self.sun_or_sky("sun_shade", 2, 0, suns, height, range, curvature, radius, voids, window, progress)

    def sun_hours(self, suns, *, height=0.0, range=INFINITY, curvature="flat", radius=None, voids="unknown", window=None,
                  progress=None):
        """Hours of sun of every sample: a :class:`Raster` of float32; NaN for voids.

        suns: directions and their durations (n, 3): azimuth (degrees clockwise from +y), altitude (degrees), hours, as
              :func:`sun_day` returns them

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 9.0], [0.0, 9.0]]).sun_hours([(90, 45, 2.0), (270, 45, 3.0)]).values
        array([[3., 5.],
               [3., 5.]], dtype=float32)
        """
        array = numbers(suns, "suns")
        if array.size == 0:
            array = array.reshape(0, 3)
        if array.ndim != 2 or array.shape[1] != 3:
            raise BadArgument("suns: expected (n, 3): azimuth, altitude and hours, got the shape %s" % (array.shape,))
        return self.sun_or_sky("sun_hours", 3, 0, array, height, range, curvature, radius, voids, window, progress)


cdef void counts_to_floats(uint32_t *counts, int64_t size) nogil:
    """In place: both take four bytes."""
    cdef int64_t i
    cdef uint32_t count
    cdef float value
    for i in range(size):
        count = counts[i]
        value = NAN if count == UINT32_MAX else <float>count
        memcpy(counts + i, &value, 4)


cdef dict stats_of(lf_viewshed_stats *stats):
    names = ("hidden", "visible", "unknown", "hole", "beyond")
    found = {name: stats.counts[k] for k, name in enumerate(names)}
    found.update(walked=stats.walked, bytes=stats.bytes)
    return found
