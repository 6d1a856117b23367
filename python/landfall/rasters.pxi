# Ground: viewsheds, horizons and sun, for every sample of a grid or of a lattice.

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


def _affine(transform):
    """a, b, c, d, e, f of x = a * column + b * row + c, y = d * column + e * row + f."""
    if hasattr(transform, "a") and hasattr(transform, "f"):
        six = tuple(float(getattr(transform, name)) for name in "abcdef")
    else:
        try:
            six = tuple(float(number) for number in transform)
        except (TypeError, ValueError):
            six = ()
        if len(six) == 9 and six[6:] == (0.0, 0.0, 1.0):
            six = six[:6]
    if len(six) != 6:
        raise BadArgument("transform: expected an affine transform or its six numbers a, b, c, d, e, f, got %s"
                          % _brief(transform))
    if not all(isfinite(number) for number in six):
        raise BadArgument("transform %s: must be finite" % (six,))
    if six[0] * six[4] == six[1] * six[3]:
        raise BadArgument("transform %s: columns and rows run along the same line" % (six,))
    return six


cdef class Ground(_Sight)


cdef class _Lattice:
    """Places in rows and columns, in the caller's order, and how the library has them: a Grid's own, or given ones."""
    cdef lf_lattice place
    cdef bint transposed, flip_columns, flip_rows
    cdef readonly object transform, shape, crs
    cdef object own_crs, own_degrees, places  # of a lattice in another CRS: that, and where it is on the ground, in the library's order
    cdef Ground ground

    cdef void set_shape(self, int64_t rows, int64_t columns):
        self.shape = (rows, columns)
        self.place.columns, self.place.rows = (rows, columns) if self.transposed else (columns, rows)

    cdef void set_place(self, six, int64_t rows, int64_t columns, bint point) except *:
        """Orientation and geotransform, as the library itself finds them for a file. point: six are of the samples."""
        cdef double a, b, c, d, e, f, shift = 0.0 if point else 0.5
        cdef lf_geotransform *place = &self.place.geotransform
        a, b, c, d, e, f = six
        self.transform = (a, b, c - 0.5 * a - 0.5 * b, d, e, f - 0.5 * d - 0.5 * e) if point else (a, b, c, d, e, f)
        self.transposed = abs(b * d) > abs(a * e)
        self.flip_columns = (b if self.transposed else a) < 0
        self.flip_rows = (d if self.transposed else e) < 0
        self.set_shape(rows, columns)
        cdef double along = self.place.columns - 1 if self.flip_columns else 0
        cdef double up = self.place.rows - 1 if self.flip_rows else 0
        cdef double x = shift + (up if self.transposed else along), y = shift + (along if self.transposed else up)
        cdef double sign_column = -1 if self.flip_columns else 1, sign_row = -1 if self.flip_rows else 1
        place.origin.x, place.origin.y = c + x * a + y * b, f + x * d + y * e
        place.per_column.x = sign_column * (b if self.transposed else a) + 0.0
        place.per_column.y = sign_column * (e if self.transposed else d) + 0.0
        place.per_row.x = sign_row * (a if self.transposed else b) + 0.0
        place.per_row.y = sign_row * (d if self.transposed else e) + 0.0

    cdef _Lattice on(self, Ground ground):
        """The same places, for another ground."""
        cdef _Lattice other = _Lattice()
        other.place, other.transposed, other.transform, other.shape = self.place, self.transposed, self.transform, self.shape
        other.flip_columns, other.flip_rows, other.ground, other.crs = self.flip_columns, self.flip_rows, ground, ground.crs
        if self.own_crs is not None:
            other.own_crs, other.own_degrees, other.crs = self.own_crs, self.own_degrees, self.own_crs
            other.find_places()
        return other

    cdef void find_places(self) except *:
        """Where each sample is on the ground."""
        from landfall._open import io_part
        lon_lat = self.ground.degrees or self.ground.frame.kind == LF_FRAME_CENTRE
        into = self.ground.crs if self.ground.crs is not None else "OGC:CRS84" if lon_lat else None
        if into is None:
            raise BadArgument("lattice: crs %s: the %s has no CRS itself" % (self.own_crs, type(self.ground).__name__))
        places = io_part("lattice").transform_points(np.stack(self.xy(), axis=-1), self.own_crs, into)
        if lon_lat and self.ground.frame.kind != LF_FRAME_CENTRE:  # by whole turns to the ground
            middle = self.ground.box[:, 0].mean()
            places[..., 0] += 360 * np.rint((middle - np.nan_to_num(places[..., 0], nan=middle)) / 360)
        self.places = np.ascontiguousarray(self.turn(places.view(np.complex128)[..., 0]))

    cdef const lf_vec2 *positions(self):
        """For the library; NULL: by the geotransform."""
        return NULL if self.places is None else <const lf_vec2 *>cnp.PyArray_DATA(<cnp.ndarray>self.places)

    def from_ground(self, places):
        """Places of the ground, (n, 2), in the lattice's CRS."""
        from landfall._open import io_part
        if self.own_crs is None:
            return places
        return io_part("lattice").transform_points(places, self.ground.crs or "OGC:CRS84", self.own_crs)

    def xy(self):
        """x and y of the samples, in the caller's order."""
        a, b, c, d, e, f = self.transform
        rows, columns = np.arange(self.shape[0])[:, None] + 0.5, np.arange(self.shape[1]) + 0.5
        return a * columns + b * rows + c, d * columns + e * rows + f

    @property
    def degrees(self):
        """Are x and y longitude and latitude?"""
        if self.own_crs is not None:
            return self.own_degrees
        return self.ground.degrees or self.ground.frame.kind == LF_FRAME_CENTRE

    @property
    def box(self):
        """The corners of the places: an array ((low x, y), (high x, y))."""
        a, b, c, d, e, f = self.transform
        ends = np.array([(c + a * i + b * j, f + d * i + e * j) for i in (0, self.shape[1]) for j in (0, self.shape[0])])
        return np.array([ends.min(axis=0), ends.max(axis=0)])

    def heights(self):
        """The topmost ground at the places, NaN where there is none."""
        x, y = self.xy()
        if self.places is not None:
            on_ground = self.turn_back(self.places)
            x, y = on_ground.real, on_ground.imag
        if self.ground.plain or isinstance(self.ground, Globe):
            return self.ground.height(x, y)
        y = np.clip(y, -90, 90)
        above = centred_of(&self.ground.ellipsoid, x, y, 1e5)
        return 1e5 - 1e5 * self.ground.ray_t(above, centred_of(&self.ground.ellipsoid, x, y, 0.0) - above)

    def __repr__(self):
        return "<landfall lattice %d x %d, transform %s>" % (self.shape + (self.transform,))

    cdef object turn(self, array):
        """An array of the caller's order in the order of the grid, row 0 southernmost; a view."""
        turned = array.T if self.transposed else array
        return turned[::-1 if self.flip_rows else 1, ::-1 if self.flip_columns else 1]

    cdef object turn_back(self, array):
        """An array in the order of the grid in the caller's order; a view."""
        turned = array[::-1 if self.flip_rows else 1, ::-1 if self.flip_columns else 1]
        return turned.swapaxes(0, 1) if self.transposed else turned

    cdef lf_window window_of(self, window) except *:
        """A window of the caller's rows and columns, two slices, in the order of the grid."""
        cdef lf_window w
        cdef int64_t total
        shape = self.shape
        bounds = []
        if window is None:
            window = (slice(None), slice(None))
        if not isinstance(window, tuple) or len(window) != 2 or not all(isinstance(s, slice) for s in window):
            raise BadArgument("window: expected two slices (rows, columns), got %s" % _brief(window))
        for part, size in zip(window, shape):
            first, last, step = part.indices(size)
            if step != 1 or last <= first:
                raise BadArgument("window: %s of %d: must have 1 or more, and no steps" % (part, size))
            bounds.append((first, last))
        (i0, i1), (j0, j1) = (bounds[0], bounds[1]) if self.transposed else (bounds[1], bounds[0])
        columns, rows = (shape[0], shape[1]) if self.transposed else (shape[1], shape[0])
        w.column, w.columns = columns - i1 if self.flip_columns else i0, i1 - i0
        w.row, w.rows = rows - j1 if self.flip_rows else j0, j1 - j0
        return w

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


_LATTICE = "expected (x, y, step, columns, rows), a Grid, or (transform, shape), and for another CRS that at the end"
_TARGETS = {"top": LF_TARGET_TOP, "ground": LF_TARGET_GROUND}


cdef _Lattice lattice_of(Ground ground, given):
    """The places that a map of the ground is asked for."""
    cdef _Lattice made
    if given is None or given is ground:
        made = ground.own_lattice()
        if made is None:
            raise BadArgument("lattice: a %s has no samples of its own: %s" % (type(ground).__name__, _LATTICE))
        return made if isinstance(ground, Grid) else made.on(ground)
    if isinstance(given, _Lattice):
        return (<_Lattice>given).on(ground)
    if isinstance(given, Ground):
        made = (<Ground>given).own_lattice()
        if made is None:
            raise BadArgument("lattice: a %s has no samples: %s" % (type(given).__name__, _LATTICE))
        return made.on(ground)
    if hasattr(given, "transform") and hasattr(given, "shape"):
        given = (given.transform, given.shape)
    made = _Lattice()
    try:
        count = len(given)
    except TypeError:
        count = 0
    if count in (3, 6) and (isinstance(given[-1], str) or hasattr(given[-1], "to_wkt")):
        from landfall._interop import resolve_crs
        try:
            made.own_crs, made.own_degrees, _ = resolve_crs(given[-1], None)
        except BadArgument as failure:
            raise BadArgument("lattice: %s" % failure) from None
        given, count = given[:-1], count - 1
    if count == 2:
        try:
            sizes, six = given[1], _affine(given[0])
        except BadArgument as failure:
            raise BadArgument("lattice: %s" % failure) from None
    elif count == 5:
        x, y, step = (one_number(number, "lattice") for number in given[:3])
        if not (isfinite(x) and isfinite(y) and 0 < step < INFINITY):
            raise BadArgument("lattice %s: x and y must be finite, the step above 0 and finite" % _brief(given))
        sizes, six = (given[4], given[3]), (step, 0.0, x, 0.0, step, y)
    else:
        raise BadArgument("lattice: %s, got %s" % (_LATTICE, _brief(given)))
    try:
        rows, columns = (int(size) for size in sizes)
        whole = rows == sizes[0] and columns == sizes[1]
    except (TypeError, ValueError, OverflowError):
        raise BadArgument("lattice: %s, got %s" % (_LATTICE, _brief(given))) from None
    if not whole or not (1 <= rows <= 1000000 and 1 <= columns <= 1000000):
        raise BadArgument("lattice: %s columns and %s rows: must be whole, 1 to 1000000" % (sizes[1], sizes[0]))
    made.set_place(six, rows, columns, count == 5)
    return made.on(ground)


cdef class Ground(_Sight):
    """Any surface that can be asked: a :class:`Grid`, a :class:`Mesh`, a :class:`Globe` or a group of them.

    Maps (:meth:`viewshed`, :meth:`horizon_map`, :meth:`sky_view`, :meth:`sun_shade`, :meth:`sun_hours`) have a number for every
    sample of a grid: of the ground itself, or of the first grid of a world whose pose is the identity. On other grounds, or
    for other places, ``lattice`` says where:

    - (x, y, step, columns, rows): values[j, i] is at x + i * step, y + j * step
    - a :class:`Grid`: its samples; or (transform, shape): as of a Grid, with the samples in the centres of pixels
    - (x, y, step, columns, rows, crs) or (transform, shape, crs): the same in another coordinate reference system than the
      ground's; each sample is transformed by PROJ, and the result has that crs

    Samples stand on the topmost ground, roofs included (``target_on="top"``), or on the topmost grid or globe of a world
    (``"ground"``): within a building they are then hidden by it. On a globe, and on worlds with one, x and y are longitude and
    latitude in degrees.

    >>> import landfall as lf
    >>> plane = lf.Grid([[0.0, 0.0], [0.0, 0.0]], (100, 0, -50, 0, -100, 150))
    >>> world = lf.World([plane, ([[40, 0, 0], [50, 100, 10]], None)])
    >>> world.viewshed((10, 50), 20, lattice=(5, 50, 20, 5, 1)).values
    array([[1, 1, 1, 0, 0]], dtype=uint8)
    >>> world.viewshed((10, 50), 20, lattice=(5, 50, 20, 5, 1), target_on="ground").values
    array([[1, 1, 0, 0, 0]], dtype=uint8)

    Grounds are read-only and may be asked from any number of threads at once; the GIL is released while the C library
    works. ``close()`` frees the memory at once (or when the last question that is under way has ended).
    """

    cdef _Lattice own_lattice(self):
        """The samples of the ground itself; None: it has none."""
        return None

    cdef object raster_grid(self, _Lattice lattice):
        """What the samples of a map are of: the grid that the ground is, or a lattice."""
        return self if lattice is self.own_lattice() else lattice

    cdef lf_lattice unless_own(self, _Lattice lattice):
        """A lattice for the library, which knows a grid's own."""
        cdef lf_lattice none
        memset(&none, 0, sizeof(lf_lattice))
        return none if lattice is self.own_lattice() else lattice.place

    cdef const lf_tasks *tasks_of(self, _Lattice lattice, int64_t samples):
        """A grid sweeps many samples while another ground is asked for one."""
        return tasks_for(samples, 16384 if lattice is self.own_lattice() else 256)

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
                 curvature="flat", radius=None, voids="unknown", bint datum=False, window=None, lattice=None,
                 target_on="top", out=None, progress=None):
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
        lattice, target_on: other places than the grid's samples, and what is there; see :class:`Ground`
        out:       an array to write to and return as values, instead of a new one
        progress:  True for a bar, or a function (stage, done, total) that returns False to cancel

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]])
        >>> grid.viewshed((0, 1)).values
        array([[1, 1, 0],
               [1, 1, 0]], dtype=uint8)
        >>> mesh = lf.Mesh([[0, 0, 0], [9, 0, 0], [9, 9, 0], [0, 9, 0]], [[0, 1, 2, 3]])
        >>> mesh.viewshed((1, 1), lattice=(1, 1, 4, 3, 2)).values
        array([[1, 1, 1],
               [1, 1, 1]], dtype=uint8)
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
        cdef _Lattice samples
        cdef int view = -1 if mode == "visible" else choice(mode, dict(_MODES, visible=-1), "mode")
        cdef _Progress told = _Progress(progress)
        definition.rules = self.rules(curvature, radius, voids)
        definition.target_on = <lf_target_on>choice(target_on, _TARGETS, "target_on")
        self.set_limits(&definition, target, range, azimuth, pitch)
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            samples = lattice_of(self, lattice)
            definition.lattice, definition.places = self.unless_own(samples), samples.positions()
            w = samples.window_of(window)
            values = samples.space(w, np.uint8 if view < 0 else np.float32, &first, &row_step, out)
            definition.host.tasks = self.tasks_of(samples, w.rows * w.columns)
            with nogil:
                if view < 0:
                    status = lf_viewshed_visible(self.ground, &definition, observers.each, w, <uint8_t *>first, row_step,
                                                 &stats, &error)
                else:
                    status = lf_viewshed_values(self.ground, &definition, observers.each, <lf_viewshed_mode>view, w,
                                                <float *>first, row_step, &stats, &error)
            if status == LF_BAD_ARGUMENT and error.where < 0:
                error.where = 0
            told.end(status, &error, "viewshed")
        finally:
            self.leave()
        limits = dict(target=target, range=range, azimuth=azimuth, pitch=pitch, curvature=curvature, radius=radius,
                      voids=voids, datum=datum, window=window, lattice=lattice, target_on=target_on)
        return Raster(values, self, self.raster_grid(samples), "viewshed", mode, window, observers.places, stats_of(&stats),
                      (height, limits))

    def viewshed_count(self, observers, height=2.0, *, target=0.0, range=None, azimuth=None, pitch=None, curvature="flat",
                       radius=None, voids="unknown", bint datum=False, window=None, lattice=None,
                       target_on="top", progress=None):
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
        cdef _Lattice samples
        cdef int64_t i, size
        cdef _Progress told = _Progress(progress)
        if places.count > 1 << 24:
            raise _errors.TooLarge("observers: %d are more than float32 counts exactly" % places.count)
        definition.rules = self.rules(curvature, radius, voids)
        definition.target_on = <lf_target_on>choice(target_on, _TARGETS, "target_on")
        self.set_limits(&definition, target, range, azimuth, pitch)
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            samples = lattice_of(self, lattice)
            definition.lattice, definition.places = self.unless_own(samples), samples.positions()
            w = samples.window_of(window)
            values = samples.space(w, np.float32, &first, &row_step)
            definition.host.tasks = self.tasks_of(samples, w.rows * w.columns * places.count)
            size = w.columns
            with nogil:
                status = lf_viewshed_count(self.ground, &definition, places.each, places.count, w, <uint32_t *>first,
                                           row_step, &stats, &error)
                if status >= 0:
                    for i in xrange(w.rows):
                        counts_to_floats(<uint32_t *>(first + i * row_step), size)
            told.end(status, &error, "viewshed_count")
        finally:
            self.leave()
        return Raster(values, self, self.raster_grid(samples), "viewshed_count", "count", window, places.places,
                      stats_of(&stats))

    def viewshed_who(self, observers, height=2.0, *, target=0.0, range=None, azimuth=None, pitch=None, curvature="flat",
                     radius=None, voids="unknown", bint datum=False, window=None, lattice=None,
                     target_on="top", progress=None):
        """Which of the observers see each sample, a bit each: an array of uint8, ((n + 7) // 8, rows, columns).

        Observer k is bit k % 8 of ``[k // 8]``; np.unpackbits has them as (n, rows, columns). No bit of a void is set.
        Arguments as of :meth:`viewshed_count`.

        >>> import landfall as lf, numpy as np
        >>> grid = lf.Grid([[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]])
        >>> who = grid.viewshed_who([(0, 1), (2, 1)])
        >>> who
        array([[[1, 3, 2],
                [1, 3, 2]]], dtype=uint8)
        >>> np.unpackbits(who, axis=0, count=2, bitorder="little")[1]
        array([[0, 1, 1],
               [0, 1, 1]], dtype=uint8)
        """
        cdef lf_viewshed_def definition = lf_viewshed_def_default()
        cdef _Observers places = _Observers(observers, height, datum, False)
        cdef lf_viewshed_stats stats
        cdef lf_error error
        cdef lf_status status
        cdef lf_window w
        cdef _Lattice samples
        cdef cnp.ndarray planes
        cdef uint8_t *first
        cdef _Progress told = _Progress(progress)
        definition.rules = self.rules(curvature, radius, voids)
        definition.target_on = <lf_target_on>choice(target_on, _TARGETS, "target_on")
        self.set_limits(&definition, target, range, azimuth, pitch)
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            samples = lattice_of(self, lattice)
            definition.lattice, definition.places = self.unless_own(samples), samples.positions()
            w = samples.window_of(window)
            planes = np.empty(((places.count + 7) // 8, w.rows, w.columns), np.uint8)
            first = <uint8_t *>cnp.PyArray_DATA(planes)
            definition.host.tasks = self.tasks_of(samples, w.rows * w.columns * places.count)
            with nogil:
                status = lf_viewshed_who(self.ground, &definition, places.each, places.count, w, first, &stats, &error)
            told.end(status, &error, "viewshed_who")
        finally:
            self.leave()
        return np.moveaxis(samples.turn_back(np.moveaxis(planes, 0, 2)), 2, 0)

    def site(self, candidates, height=2.0, *, int64_t choose, weights=None, int overlap=1, target=0.0, range=None, azimuth=None,
             pitch=None, curvature="flat", radius=None, voids="unknown", bint datum=False, window=None, lattice=None,
             target_on="top", progress=None):
        """Which of many places see most together: :class:`Sites`, at most ``choose`` of them, in the order of the choice.

        One place after the other is chosen, each time the one that adds most. No choice of as many covers more than
        1 / (1 - 1/e) = 1.58 times as much, and none more than ``limit``.

        candidates: places (n, 2), or shapely or geopandas points
        height:     one, or one for each candidate; otherwise as :meth:`viewshed`
        choose:     how many at most; fewer where no other adds anything
        weights:    what each sample counts, an array like the samples of the window; 0 or less and NaN: nothing. By default 1
        overlap:    a sample is covered when so many places see it, and in part before; 1 .. 255

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]])
        >>> sites = grid.site([(0, 1), (0, 0), (2, 1)], choose=2)
        >>> sites.candidate, sites.covered, sites.total
        (array([0, 2]), array([4., 6.]), 6.0)
        """
        from landfall._raster import Sites
        cdef lf_site_def definition = lf_site_def_default()
        cdef _Observers places = _Observers(candidates, height, datum, False)
        cdef lf_site_stats stats
        cdef lf_error error
        cdef lf_status status
        cdef lf_window w
        cdef _Lattice samples
        cdef cnp.ndarray each = None, found
        cdef int64_t count = 0
        cdef lf_site *sites
        cdef _Progress told = _Progress(progress)
        if choose < 1 or choose > places.count:
            raise BadArgument("choose %d: must be 1 to %d, the number of candidates" % (choose, places.count))
        definition.view.rules = self.rules(curvature, radius, voids)
        definition.view.target_on = <lf_target_on>choice(target_on, _TARGETS, "target_on")
        self.set_limits(&definition.view, target, range, azimuth, pitch)
        definition.view.host.progress = &told.hook
        definition.candidates, definition.candidate_count = places.each, places.count
        definition.most, definition.overlap = choose, overlap
        found = np.empty(choose, [("candidate", np.int64), ("gain", float), ("covered", float)])
        sites = <lf_site *>cnp.PyArray_DATA(found)
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            samples = lattice_of(self, lattice)
            definition.view.lattice, definition.view.places = self.unless_own(samples), samples.positions()
            w = definition.window = samples.window_of(window)
            if weights is not None:
                each = np.empty((w.rows, w.columns), np.float32)
                turned = samples.turn_back(each)  # a view of the same memory
                given = numbers(weights, "weights")
                if given.shape != turned.shape:
                    raise BadArgument("weights: of %s, expected %s as the samples" % (given.shape, turned.shape))
                turned[...] = given
                definition.weights = <const float *>cnp.PyArray_DATA(each)
            definition.view.host.tasks = self.tasks_of(samples, w.rows * w.columns * places.count)
            with nogil:
                status = lf_site_choose(self.ground, &definition, sites, &count, &stats, &error)
            told.end(status, &error, "site")
        finally:
            self.leave()
        found = found[:count].copy()
        return Sites(found["candidate"], found["gain"], found["covered"], stats.total, stats.limit, stats.viewsheds, stats.gains)

    # ---- Horizons and sun

    def horizon(self, point, azimuths, *, range=INFINITY, curvature="flat", radius=None):
        """The skyline of a point in directions: a record array of the shape of azimuths.

        point:    x, y, z above datum, see :meth:`point_above`; on a globe longitude, latitude and height
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
                    status = lf_horizon_around(self.ground, &rules, at, angle + done, n, far, horizons + done, tasks_for(n, 64))
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
                           lattice, target_on, progress):
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
        cdef _Lattice samples
        cdef _Progress told = _Progress(progress)
        definition.rules = self.rules(curvature, radius, voids)
        definition.target_on = <lf_target_on>choice(target_on, _TARGETS, "target_on")
        definition.height, definition.range = one_number(height, "height"), one_number(range_, "range")
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        self.enter()
        try:
            samples = lattice_of(self, lattice)
            definition.lattice, definition.places = self.unless_own(samples), samples.positions()
            w = samples.window_of(window)
            values = samples.space(w, np.uint8 if kind == 2 else np.float32, &first, &row_step)
            definition.host.tasks = self.tasks_of(samples, 4 * w.rows * w.columns)
            with nogil:
                if kind < 2:
                    status = self.in_tiles(&definition, told, sun.azimuth_deg, directions if kind == 1 else 0, w, first,
                                           row_step, &error)
                elif kind == 2:
                    status = lf_sun_shade(self.ground, &definition, sun[0], w, <uint8_t *>first, row_step, &error)
                else:
                    status = lf_sun_hours(self.ground, &definition, sun, count, w, <float *>first, row_step, &error)
            told.end(status, &error, name)
        finally:
            self.leave()
        return Raster(values, self, self.raster_grid(samples), name, name, window, None, None)

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
                    status = lf_horizon_map(self.ground, definition, azimuth, w, into, row_step, error)
                else:
                    status = lf_sky_view(self.ground, definition, directions, w, into, row_step, error)
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

    def horizon_map(self, azimuth, *, height=0.0, range=INFINITY, curvature="flat", radius=None, window=None, lattice=None,
                    target_on="top", progress=None):
        """Elevation of the horizon in one direction for every sample: a :class:`Raster` of float32 degrees; -90: no ground
        that way; NaN for voids.

        height:    of the points above the ground of their samples
        lattice, target_on: other places than the grid's samples, and what is there; see :class:`Ground`

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 1.0], [0.0, 1.0]]).horizon_map(90).values[:, 0]
        array([45., 45.], dtype=float32)
        >>> lf.World([[[0, 0, -1], [9, 9, 0]], [[5, 0, 0], [6, 9, 4]]]).horizon_map(90, lattice=(1, 4, 2, 2, 1)).values.round(2)
        array([[45.  , 63.43]], dtype=float32)
        """
        suns = np.array([[one_number(azimuth, "azimuth"), 0.0, 0.0]])
        return self.sun_or_sky("horizon", 0, 0, suns, height, range, curvature, radius, "unknown", window, lattice,
                               target_on, progress)

    def sky_view(self, int directions=16, *, height=0.0, range=INFINITY, curvature="flat", radius=None, window=None,
                 lattice=None, target_on="top", progress=None):
        """The fraction of the sky that each sample sees: a :class:`Raster` of float32, 0 .. 1; NaN for voids.

        directions: azimuths whose horizons are averaged, 1 .. 720
        height, lattice, target_on: as in :meth:`horizon_map`

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 0.0], [0.0, 0.0]]).sky_view().values
        array([[1., 1.],
               [1., 1.]], dtype=float32)
        >>> box = lf.Model(*lf.cube(2.0))
        >>> box.sky_view(lattice=(0, 0, 5, 2, 1)).values
        array([[ 1., nan]], dtype=float32)
        """
        if not 1 <= directions <= 720:
            raise BadArgument("directions %d: must be 1 .. 720" % directions)
        return self.sun_or_sky("sky_view", 1, directions, np.zeros((1, 3)), height, range, curvature, radius, "unknown",
                               window, lattice,
                               target_on, progress)

    def sun_shade(self, azimuth, altitude, *, height=0.0, range=INFINITY, curvature="flat", radius=None, voids="unknown",
                  window=None, lattice=None, target_on="top", progress=None):
        """Which samples the sun lights: a :class:`Raster` of uint8 codes, see :class:`Visibility` (VISIBLE: lit).

        azimuth:  degrees clockwise from +y
        altitude: degrees above level
        height, lattice, target_on: as in :meth:`horizon_map`

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 0.0, 9.0], [0.0, 0.0, 9.0]]).sun_shade(90, 45).values
        array([[0, 0, 1],
               [0, 0, 1]], dtype=uint8)
        """
        suns = np.array([[one_number(azimuth, "azimuth"), one_number(altitude, "altitude"), 0.0]])
        return self.sun_or_sky("sun_shade", 2, 0, suns, height, range, curvature, radius, voids, window, lattice,
                               target_on, progress)

    def sun_hours(self, suns, *, height=0.0, range=INFINITY, curvature="flat", radius=None, voids="unknown", window=None,
                  lattice=None, target_on="top", progress=None):
        """Hours of sun of every sample: a :class:`Raster` of float32; NaN for voids.

        suns: directions and their durations (n, 3): azimuth (degrees clockwise from +y), altitude (degrees), hours, as
              :func:`sun_day` returns them
        height, lattice, target_on: as in :meth:`horizon_map`

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
        return self.sun_or_sky("sun_hours", 3, 0, array, height, range, curvature, radius, voids, window, lattice,
                               target_on, progress)


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
