# Grid: a raster of heights as ground.

_SAMPLE_TYPES = {np.dtype(np.float32): LF_SAMPLE_FLOAT, np.dtype(np.float64): LF_SAMPLE_DOUBLE,
                 np.dtype(np.int16): LF_SAMPLE_INT16, np.dtype(np.uint16): LF_SAMPLE_UINT16}
_SURFACES = {lf_surface_name(<lf_surface>k).decode(): k for k in range(5)}
_CODECS = {lf_codec_name(<lf_codec>k).decode(): k for k in range(5)}


cdef object samples_of(values, bint copy):
    """An array of a type that the library reads: the caller's own where it can be borrowed."""
    array = np.asarray(values)
    if array.ndim != 2 or array.shape[0] < 2 or array.shape[1] < 2:
        raise BadArgument("values: expected two axes of 2 or more samples each, got the shape %s" % (array.shape,))
    kind, size = array.dtype.kind, array.dtype.itemsize
    if not array.dtype.isnative:
        array = array.astype(array.dtype.newbyteorder("="))
    if kind in "iu" and size == 1:
        array = array.astype(np.int16)
    elif kind in "iu" and size in (4, 8):
        exact = array.astype(np.float64)
        if size == 8 and not np.array_equal(exact.astype(array.dtype), array):
            raise BadArgument("values: integers beyond 2**53 are no heights")
        array = exact
    elif kind == "f" and size == 2:
        array = array.astype(np.float32)
    elif array.dtype not in _SAMPLE_TYPES:
        raise BadArgument("values: expected float32, float64, int16 or uint16 (or what these hold), got %s" % array.dtype)
    item = array.dtype.itemsize
    if copy or not array.flags.aligned or any(step == 0 or step % item for step in array.strides):
        array = np.array(array, order="C")
    return array


cdef class Grid(Ground):
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
    leaf:      cells along a side of the smallest squares with bounds of their heights: 1, 2, 4 .. 64 (0: chosen). With 16 a
               grid is made sooner and one viewshed takes no longer; rays and lines of sight do. Answers do not depend on it
    progress:  True for a bar, or a function (stage, done, total) that returns False to cancel

    >>> import landfall as lf, numpy as np
    >>> grid = lf.Grid(np.zeros((3, 4), np.float32), (10, 0, 500, 0, -10, 800))
    >>> grid
    <landfall.Grid 3 x 4 float32, falling, x 505 .. 535, y 775 .. 795, z 0 .. 0, no CRS>
    >>> grid.shape, grid.transform
    ((3, 4), (10.0, 0.0, 500.0, 0.0, -10.0, 800.0))
    """
    cdef lf_grid *own
    cdef const lf_grid *grid
    cdef lf_store *store
    cdef object keep, sample_name
    cdef lf_pixels pixels
    cdef _Lattice lattice

    def __cinit__(self, *args, **kwargs):
        self.lattice = _Lattice()

    def __init__(self, values, transform=None, *, crs=None, nodata=None, surface="falling", double scale=1.0,
                 double offset=0.0, mask=None, degrees=None, bint point=False, bint extend=False, bint copy=False,
                 codec="raw", double max_error=0.0, int leaf=0, progress=None):
        cdef lf_grid_def definition = lf_grid_def_default()
        cdef lf_samples *samples = &definition.samples
        cdef cnp.ndarray array, voids
        if not self.closed:
            raise TypeError("a Grid is made once")
        if type(values).__module__.startswith("xarray."):
            raise BadArgument("values: for an xarray.DataArray use Grid.from_xarray")
        if isinstance(values, np.ma.MaskedArray):
            inner = ~np.ma.getmaskarray(values)
            mask = inner if mask is None else inner & np.asarray(mask, bool)
            values = values.data
        array = samples_of(values, copy)
        samples.type = _SAMPLE_TYPES[array.dtype]
        samples.scale, samples.offset = scale, offset
        if nodata is not None:
            samples.nodata = one_number(nodata, "nodata")
        definition.surface = <lf_surface>choice(surface, _SURFACES, "surface")
        definition.codec = <lf_codec>choice(codec, _CODECS, "codec")
        definition.max_error, definition.extend, definition.leaf = max_error, extend, leaf
        from landfall._interop import resolve_crs
        self.crs, self.degrees, ellipsoid = resolve_crs(crs, degrees)
        if ellipsoid is not None:
            self.ellipsoid.radius, self.ellipsoid.flattening = ellipsoid
        self.set_place(array, transform, point, &definition)
        definition.borrow = (definition.codec == LF_CODEC_RAW and not extend and not copy and not self.wraps(&definition))
        voids = None
        if mask is not None:
            given = np.asarray(mask)
            if (<object>given).shape != (<object>array).shape:
                raise BadArgument("mask: expected the shape %s of the values, got %s" % ((<object>array).shape, given.shape))
            voids = np.ascontiguousarray(self.lattice.turn(given != 0), np.uint8)
            samples.mask = <uint8_t *>cnp.PyArray_DATA(voids)
        self.keep = (array, voids)
        self.sample_name = str(array.dtype)
        self.create(&definition, progress)

    cdef void set_place(self, cnp.ndarray array, transform, bint point, lf_grid_def *definition) except *:
        """Orientation, strides and geotransform, as the library itself finds them for a file."""
        cdef lf_samples *samples = &definition.samples
        cdef _Lattice lattice = self.lattice
        cdef int64_t rows = array.shape[0], columns = array.shape[1]
        six = (1.0, 0.0, 0.0, 0.0, 1.0, 0.0) if transform is None else _affine(transform)
        lattice.set_place(six, rows, columns, point or transform is None)
        strides = (<object>array).strides
        cdef ptrdiff_t column_step = strides[0 if lattice.transposed else 1], row_step = strides[1 if lattice.transposed else 0]
        samples.columns, samples.rows = lattice.place.columns, lattice.place.rows
        cdef char *first = <char *>cnp.PyArray_DATA(array)
        if lattice.flip_columns:
            first += (samples.columns - 1) * column_step
            column_step = -column_step
        if lattice.flip_rows:
            first += (samples.rows - 1) * row_step
            row_step = -row_step
        samples.values, samples.column_step, samples.row_step = first, column_step, row_step
        definition.geotransform = lattice.place.geotransform
        cdef lf_geotransform *place = &definition.geotransform
        self.set_pixels(rows, columns)
        if self.degrees and place.per_column.y == 0 and place.per_row.x == 0:
            close_longitudes(definition)

    cdef void set_pixels(self, int64_t rows, int64_t columns):
        a, b, c, d, e, f = self.lattice.transform
        for k, number in enumerate((c, a, b, f, d, e)):
            self.pixels.geotransform[k] = number
        self.pixels.window.column = self.pixels.window.row = 0
        self.pixels.columns = self.pixels.window.columns = columns
        self.pixels.rows = self.pixels.window.rows = rows
        self.pixels.transposed, self.pixels.flip_columns = self.lattice.transposed, self.lattice.flip_columns
        self.pixels.flip_rows, self.pixels.georeferenced, self.pixels.nodata_given = self.lattice.flip_rows, True, False

    cdef bint wraps(self, lf_grid_def *definition):
        """Columns all around have to be copied, for the one more at the seam."""
        cdef double spacing = definition.geotransform.per_column.x
        return definition.turn != 0 and abs(definition.samples.columns * spacing - definition.turn) <= 0.5 * spacing

    cdef void create(self, lf_grid_def *definition, progress) except *:
        cdef lf_error error
        cdef lf_status status
        cdef _Progress told = _Progress(progress)
        memset(&error, 0, sizeof(lf_error))
        definition.host.progress = &told.hook
        definition.host.tasks = tasks_for(definition.samples.columns * definition.samples.rows, 65536)
        self.keep = (self.keep, told)
        with nogil:
            status = lf_grid_create(definition, &self.own, &error)
        if status < 0 and error.where >= 0 and status == LF_BAD_ARGUMENT:
            error.where = self.place_in_array(error.where)
        told.end(status, &error, "Grid")
        told.callback = None
        self.grid = self.own
        self.begin()

    cdef void begin(self):
        self.lattice.place.geotransform = lf_grid_describe(self.grid).geotransform
        self.ready(lf_grid_ground(self.grid))

    cdef _Lattice own_lattice(self):
        return self.lattice

    def total_viewshed(self, double height=1.75, *, values="area", double target=0.0, range=10000.0, int azimuths=360,
                       curvature="flat", radius=None, window=None, progress=None):
        """How much is seen from every sample: a :class:`Raster` of float32, NaN for voids; or a tuple of them.

        height:   of the observer above each sample, metres
        values:   "area": visible square metres; "mean": mean distance of what is visible, metres; "longest": metres to the
                  farthest visible place, confirmed by an exact line of sight; "open": share of the azimuths in which the
                  farthest ground within range is seen; "inside": share of the circle of the range that is on the grid. A
                  tuple of these names: several at once
        target:   height above the ground seen, metres
        range:    farthest distance, metres, finite
        azimuths: directions in which lines are followed, 4 .. 3600

        >>> import landfall as lf
        >>> flat = lf.Grid([[0.0] * 9] * 9)
        >>> area, inside = flat.total_viewshed(range=2, values=("area", "inside"))
        >>> inside.values[4, 4], bool(area.values[4, 4] > 10)
        (1.0, True)
        """
        from landfall._raster import Raster
        cdef lf_total_def definition = lf_total_def_default()
        cdef lf_total_maps maps
        cdef lf_error error
        cdef lf_status status
        cdef lf_window w
        cdef _Progress told = _Progress(progress)
        cdef cnp.ndarray array
        names = (values,) if isinstance(values, str) else tuple(values)
        if not names or len(set(names)) != len(names):
            raise BadArgument("values %r: expected different names, one or more" % (values,))
        definition.rules = self.rules(curvature, radius, "unknown")
        definition.observer_height, definition.target_height = height, target
        definition.range, definition.azimuths = one_number(range, "range"), azimuths
        definition.host.progress = &told.hook
        memset(&error, 0, sizeof(lf_error))
        memset(&maps, 0, sizeof(lf_total_maps))
        self.enter()
        try:
            w = self.lattice.window_of(window)
            arrays = [np.empty((w.rows, w.columns), np.float32) for name in names]
            for name, array in zip(names, arrays):
                if name == "area":
                    maps.area = <float *>cnp.PyArray_DATA(array)
                elif name == "mean":
                    maps.mean = <float *>cnp.PyArray_DATA(array)
                elif name == "longest":
                    maps.longest = <float *>cnp.PyArray_DATA(array)
                elif name == "open":
                    maps.open = <float *>cnp.PyArray_DATA(array)
                elif name == "inside":
                    maps.inside = <float *>cnp.PyArray_DATA(array)
                else:
                    raise BadArgument("values %r: expected area, mean, longest, open or inside" % (name,))
            definition.host.tasks = self.tasks_of(self.lattice, w.rows * w.columns * 64)
            with nogil:
                status = lf_total_viewshed(self.ground, &definition, w, &maps, &error)
            told.end(status, &error, "total_viewshed")
        finally:
            self.leave()
        found = tuple(Raster(np.ascontiguousarray(self.lattice.turn_back(array)), self, self, "total_viewshed", name, window,
                             None, None) for name, array in zip(names, arrays))
        return found[0] if isinstance(values, str) else found

    cdef int64_t place_in_array(self, int64_t sample):
        """The index in the caller's array, counted along its rows, of a sample of the grid."""
        cdef _Lattice l = self.lattice
        cdef int64_t columns = self.pixels.rows if l.transposed else self.pixels.columns
        cdef int64_t rows = self.pixels.columns if l.transposed else self.pixels.rows
        cdef int64_t i = sample % columns, j = sample // columns
        i = columns - 1 - i if l.flip_columns else i
        j = rows - 1 - j if l.flip_rows else j
        return i * self.pixels.columns + j if l.transposed else j * self.pixels.columns + i

    @staticmethod
    def _of_raster(raster, size_t definition, size_t pixels, how, surface, bint extend, int leaf, crs, bint degrees, ellipsoid,
                   progress):
        """A grid of a raster that landfall-io has read and that is kept."""
        cdef Grid grid = Grid.__new__(Grid)
        cdef lf_grid_def made = (<lf_grid_def *>definition)[0]
        grid.pixels = (<lf_pixels *>pixels)[0]
        made.surface, made.leaf = <lf_surface>choice(surface, _SURFACES, "surface"), leaf
        if extend:
            made.extend, made.borrow = True, False
        grid.use_pixels()
        grid.keep, grid.how, grid.crs, grid.degrees = raster, how, crs, degrees
        grid.ellipsoid.radius, grid.ellipsoid.flattening = ellipsoid
        grid.sample_name = {v: str(k) for k, v in _SAMPLE_TYPES.items()}[made.samples.type]
        grid.create(&made, progress)
        return grid

    cdef void use_pixels(self):
        """Orientation and transform from the pixels of a file: those of its window."""
        p = self.pixels.geotransform
        cdef double i = self.pixels.window.column, j = self.pixels.window.row
        cdef _Lattice l = self.lattice
        l.transposed, l.flip_columns = self.pixels.transposed, self.pixels.flip_columns
        l.flip_rows = self.pixels.flip_rows
        l.set_shape(self.pixels.window.rows, self.pixels.window.columns)
        l.transform = (p[1], p[2], p[0] + i * p[1] + j * p[2], p[4], p[5], p[3] + i * p[4] + j * p[5])

    @staticmethod
    cdef Grid of_store(lf_store *store, how):
        cdef Grid grid = Grid.__new__(Grid)
        cdef lf_store_info info = lf_store_describe(store)
        grid.store = store
        grid.grid = lf_store_grid(store)
        grid.how = how
        grid.crs = None if info.crs is NULL else info.crs.decode()
        grid.degrees, grid.ellipsoid = info.degrees, info.ellipsoid
        lf_store_pixels(store, &grid.pixels)
        grid.use_pixels()
        grid.begin()
        return grid

    def __dealloc__(self):
        lf_grid_destroy(self.own)
        lf_store_close(self.store)

    cdef void release(self):
        lf_grid_destroy(self.own)
        lf_store_close(self.store)
        self.own, self.grid, self.store = NULL, NULL, NULL
        self.ground = NULL
        self.keep = None

    # ---- What it is

    @property
    def shape(self):
        """(rows, columns) of the samples."""
        return self.lattice.shape

    @property
    def transform(self):
        """a, b, c, d, e, f of the corners of pixels: x = a * column + b * row + c, y = d * column + e * row + f."""
        return self.lattice.transform

    @property
    def surface(self):
        """The surface between samples."""
        return self.info()["surface"]

    def info(self):
        """What the C library says of the grid: a dict."""
        self.enter()
        cdef lf_grid_info i = lf_grid_describe(self.grid)
        self.leave()
        return {"columns": i.columns, "rows": i.rows, "voids": i.hole_count, "surface": lf_surface_name(i.surface).decode(),
                "low": i.low, "high": i.high, "bytes": i.bytes, "codec": lf_codec_name(i.codec).decode(),
                "sample_bytes": i.sample_bytes, "largest_error": i.largest_error, "extend": bool(i.extend)}

    @property
    def bounds(self):
        """x low, y low, x high, y high of the surface."""
        box = self.box
        return (box[0, 0], box[0, 1], box[1, 0], box[1, 1])

    def __repr__(self):
        if self.closed:
            return "<landfall.Grid, closed>"
        info, box = self.info(), self.box
        size = "%d x %d" % self.shape
        heights = "no heights" if info["low"] > info["high"] else "z %.6g .. %.6g" % (info["low"], info["high"])
        voids = ", %d voids" % info["voids"] if info["voids"] else ""
        name = "" if self.sample_name is None else " " + self.sample_name
        return "<landfall.Grid %s%s, %s, x %.9g .. %.9g, y %.9g .. %.9g, %s%s, %s>" % (
            size, name, info["surface"], box[0, 0], box[1, 0], box[0, 1], box[1, 1], heights, voids, self.crs_name())

    cdef str crs_name(self):
        from landfall._interop import crs_name
        return crs_name(self.crs)

    def heights(self, window=None, *, out=None):
        """The heights of the samples as doubles in the order of the values, NaN for voids.

        window: two slices, of rows and columns

        >>> import landfall as lf
        >>> lf.Grid([[0, 1], [-9, 3]], nodata=-9).heights()
        array([[ 0.,  1.],
               [nan,  3.]])
        """
        self.enter()
        cdef lf_window w
        cdef cnp.ndarray read
        cdef double *heights
        cdef int64_t row, n, step
        cdef lf_status status = LF_OK
        try:
            w = self.lattice.window_of(window)
            read = np.empty((w.rows, w.columns))
            heights = <double *>cnp.PyArray_DATA(read)
            step = max(1, (1 << 20) // w.columns)
            row = 0
            with nogil:
                while row < w.rows and status >= 0:
                    n = min(step, w.rows - row)
                    status = lf_grid_read(self.grid, w.column, w.row + row, w.columns, n, heights + row * w.columns)
                    row += n
                    check_signals()
            if status < 0:
                raise_status(status, NULL, "heights")
        finally:
            self.leave()
        turned = self.lattice.turn_back(read)
        if out is None:
            return turned
        out[...] = turned
        return out

    def __array__(self, dtype=None):
        return np.asarray(self.heights(), dtype=dtype)

    def save(self, path, *, progress=None):
        """Write a .lf file, from which :func:`open` maps the grid without reading it."""
        cdef lf_store_def definition = lf_store_def_default()
        cdef bytes crs = b"" if self.crs is None else str(self.crs).replace("\n", " ").encode()
        definition.crs = <const char *>crs if self.crs is not None else NULL
        definition.grid, definition.degrees, definition.ellipsoid = self.grid, self.degrees, self.ellipsoid
        definition.pixels = &self.pixels
        self.enter()
        try:
            write_store(path, &definition, progress)
        finally:
            self.leave()

    @classmethod
    def from_xarray(cls, array, **options):
        """A grid of an xarray.DataArray with evenly spaced coordinates; CRS and nodata as rioxarray keeps them."""
        from landfall._interop import grid_arguments
        values, transform, found = grid_arguments(array)
        found.update(options)
        return cls(values, transform, **found)

    @classmethod
    def from_rasterio(cls, dataset, *, int band=1, **options):
        """A grid of a band of an open rasterio dataset."""
        found = {"crs": dataset.crs, "nodata": dataset.nodatavals[band - 1], "scale": dataset.scales[band - 1],
                 "offset": dataset.offsets[band - 1]}
        found.update(options)
        return cls(dataset.read(band), dataset.transform, **found)

    def to_xarray(self):
        """The heights as an xarray.DataArray with coordinates x and y."""
        from landfall._interop import data_array
        return data_array(self.heights(), self, "height", "m")

    def _repr_png_(self):
        from landfall._pictures import relief_png
        return relief_png(self)

    def plot(self, ax=None, **options):
        """Draw shaded relief on Matplotlib axes, and return them."""
        from landfall._pictures import plot_grid
        return plot_grid(self, ax, **options)


cdef void close_longitudes(lf_grid_def *definition):
    """Longitudes wrap; columns that span 360 degrees to half a column are set to exactly that, as for files."""
    cdef lf_geotransform *place = &definition.geotransform
    cdef double spacing = place.per_column.x, all = definition.samples.columns, columns
    cdef double beyond = (all * spacing - 360) / spacing
    if beyond > 1.5:
        return
    definition.turn = 360
    if all < 3 or not (abs(beyond) <= 0.5 or abs(beyond - 1) <= 0.5):
        return
    columns = all if abs(beyond) <= 0.5 else all - 1
    if abs(columns * spacing - 360) > 1e-9 * spacing:
        place.per_column.x = 360 / columns


cdef int write_store(path, lf_store_def *definition, progress) except -1:
    cdef lf_error error
    cdef lf_status status
    cdef _Progress told = _Progress(progress)
    cdef bytes name = os.fsencode(path)
    cdef const char *text = name
    memset(&error, 0, sizeof(lf_error))
    definition.host.progress = &told.hook
    with nogil:
        status = lf_store_write(text, definition, &error)
    told.end(status, &error, "save")
    return 0
