# Globe: a planet of tiles. Camera: flies over any ground and keeps its clearance.

GLOBE_SIGHT = np.dtype((np.record, [("clear", "?"), ("t", "f8"), ("point", "3f8"), ("length", "f8")]))
CAMERA_STEP = np.dtype((np.record, [("did", "u4"), ("share", "f8"), ("raised", "f8"), ("frames", "i8"), ("met", "?"),
                                    ("time", "f8"), ("depth", "f8"), ("position", "3f8"), ("normal", "3f8"), ("part", "i8"),
                                    ("element", "i8")]))


cdef object centred_of(const lf_ellipsoid *ellipsoid, lon, lat, height):
    arrays = [numbers(lon, "lon"), numbers(lat, "lat"), numbers(height, "height")]
    shape = shape_of(arrays, ["lon", "lat", "height"])
    cdef cnp.ndarray x = flat(arrays[0], shape), y = flat(arrays[1], shape), z = flat(arrays[2], shape)
    cdef cnp.ndarray points = np.empty(tuple(shape) + (3,))
    cdef lf_vec3 *point = <lf_vec3 *>cnp.PyArray_DATA(points)
    cdef lf_geodetic place
    cdef int64_t i
    for i in range(x.shape[0]):
        place.lon_deg, place.lat_deg, place.height = get(x, i), get(y, i), get(z, i)
        if not (isfinite(place.lon_deg) and -90 <= place.lat_deg <= 90 and isfinite(place.height)):
            raise BadArgument("place %d: %r, %r, %r: must be finite, latitude within 90 degrees"
                              % (i, place.lon_deg, place.lat_deg, place.height), i)
        point[i] = lf_ellipsoid_to_centred(ellipsoid, place)
    return points


cdef object geodetic_of(const lf_ellipsoid *ellipsoid, points):
    array = points_of(points, "points")
    cdef cnp.ndarray at = packed_points(array, array.shape[:-1]), found = np.empty(array.shape)
    cdef double *out = <double *>cnp.PyArray_DATA(found)
    cdef lf_geodetic place
    cdef int64_t i
    for i in range(at.shape[0]):
        place = lf_ellipsoid_to_geodetic(ellipsoid, get_point(at, i))
        out[3 * i], out[3 * i + 1], out[3 * i + 2] = place.lon_deg, place.lat_deg, place.height
    return found


cdef class Globe(Ground):
    """A planet of tiles in longitude and latitude, at several levels of detail. Make one with :meth:`open`.

    Answers are those of the finest tiles there are: questions load what they need. As a ground its coordinates are
    earth-centred (see :meth:`to_xyz`); :meth:`height` and :meth:`sight` take longitudes and latitudes. Questions of several
    threads wait for each other.
    """
    cdef lf_globe *own
    cdef lf_globe *globe
    cdef lf_store *store
    cdef object keep

    def __cinit__(self, *args, **kwargs):
        self.lock = threading.RLock()

    def __init__(self):
        raise TypeError("a Globe is made by Globe.open")

    @classmethod
    def open(cls, *paths, size_t budget=64 << 20, int cells=64, progress=None):
        """Open a globe: a .lf file, a folder of Cesium terrain tiles, or raster files in longitude and latitude.

        budget: bytes of tiles in memory
        cells:  along a side of the tiles that rasters are cut into
        """
        names = [os.fspath(path) for path in paths]
        if not names:
            raise BadArgument("paths: expected 1 or more")
        if len(names) == 1 and names[0].endswith(".lf"):
            found = _open_store(names[0], False, progress)
            if not isinstance(found, Globe):
                raise BadArgument("%s: holds no globe" % names[0])
            return found
        from landfall._open import io_part
        source = io_part("Globe.open").GlobeSource(names, cells, progress)
        cdef Globe globe = Globe.__new__(Globe)
        cdef lf_globe_def definition = (<lf_globe_def *><size_t>source._address())[0]
        cdef lf_error error
        cdef lf_status status
        memset(&error, 0, sizeof(lf_error))
        memset(&definition.host, 0, sizeof(lf_host))
        definition.budget = budget
        globe.keep = source
        with nogil:
            status = lf_globe_create(&definition, &globe.own, &error)
        if status < 0:
            raise_status(status, &error, "Globe.open")
        globe.globe = globe.own
        globe.how = ((names, {"budget": budget, "cells": cells}))
        globe.begin()
        return globe

    cdef void begin(self):
        self.ellipsoid = lf_globe_describe(self.globe).ellipsoid
        self.ready(lf_globe_ground_finest(self.globe))

    @staticmethod
    cdef Globe of_store(lf_store *store, how):
        cdef Globe globe = Globe.__new__(Globe)
        globe.store = store
        globe.globe = lf_store_globe(store)
        globe.how = how
        globe.begin()
        return globe

    def __dealloc__(self):
        lf_globe_destroy(self.own)
        lf_store_close(self.store)

    cdef void release(self):
        lf_globe_destroy(self.own)
        lf_store_close(self.store)
        self.own, self.globe, self.store, self.ground = NULL, NULL, NULL, NULL
        self.keep = None

    def __reduce__(self):
        from landfall import _open_globe
        names, options = self.how
        return _open_globe, (names if isinstance(names, list) else [names], options)

    def info(self):
        """What the C library says of the globe: a dict."""
        self.enter()
        cdef lf_globe_info i = lf_globe_describe(self.globe)
        self.leave()
        return {"levels": i.level_count, "tiles": i.tile_count, "finest": i.finest, "bytes": i.bytes, "budget": i.budget,
                "ellipsoid": (i.ellipsoid.radius, i.ellipsoid.flattening)}

    def __repr__(self):
        if self.closed:
            return "<landfall.Globe, closed>"
        info = self.info()
        return "<landfall.Globe %d levels, %d tiles loaded, radius %.9g m>" % (info["levels"], info["tiles"],
                                                                               info["ellipsoid"][0])

    def height(self, lon, lat=None, z=None, *, bint up=False, bint reason=False, out=None):
        """The height above the ellipsoid at longitudes and latitudes in degrees: an array, or a float; NaN without ground.

        reason: also return why there is none: (heights, reasons)
        """
        if lat is None or z is not None or up:
            raise BadArgument("height: of a globe expected longitudes and latitudes, without z")
        arrays = [numbers(lon, "lon"), numbers(lat, "lat")]
        shape = shape_of(arrays, ["lon", "lat"])
        cdef cnp.ndarray x = flat(arrays[0], shape), y = flat(arrays[1], shape)
        cdef cnp.ndarray found = result_array(out, shape, np.float64), why = np.empty(shape, np.uint8)
        cdef double *heights = <double *>cnp.PyArray_DATA(found)
        cdef uint8_t *reasons = <uint8_t *>cnp.PyArray_DATA(why)
        cdef lf_globe_elevation ground
        cdef lf_status status = LF_OK
        cdef int64_t i, count = x.shape[0]
        cdef double looked = now()
        self.enter()
        try:
            with nogil:
                for i in range(count):
                    status = lf_globe_height_finest(self.globe, get(x, i), get(y, i), &ground)
                    if status < 0:
                        break
                    heights[i], reasons[i] = ground.height, <uint8_t>ground.reason
                    if now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise _error_of(status, "place %d: %r, %r: longitude must be finite, latitude within 90 degrees"
                                % (i, float(x[i]), float(y[i])), i)
        finally:
            self.leave()
        if shape == () and out is None:
            return (float(found), Reason(int(why))) if reason else float(found)
        return (found, why) if reason else found

    def to_xyz(self, lon, lat, height=0.0):
        """Earth-centred points (..., 3) of longitudes, latitudes (degrees) and heights above the ellipsoid."""
        return centred_of(&self.ellipsoid, lon, lat, height)

    def to_lon_lat(self, points):
        """Longitudes, latitudes (degrees) and heights (..., 3) of earth-centred points."""
        return geodetic_of(&self.ellipsoid, points)

    def sight(self, a, b, *, double refraction=0.0):
        """Lines of sight between places (..., 3) of longitude, latitude and height above the ellipsoid: records of clear, t and
        point (earth-centred, where it is blocked), length.

        refraction: share of the earth's curvature by which the air bends light: 0, 1/7 (light), 1/4 (radio)
        """
        arrays = [points_of(a, "a"), points_of(b, "b")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]], ["a", "b"])
        cdef cnp.ndarray from_ = packed_points(self.to_xyz(*np.moveaxis(arrays[0], -1, 0)), shape)
        cdef cnp.ndarray to = packed_points(self.to_xyz(*np.moveaxis(arrays[1], -1, 0)), shape)
        found = np.empty(shape, GLOBE_SIGHT)
        each = found.reshape(-1)
        cdef lf_globe_sight sight
        cdef lf_status status
        cdef lf_vec3 p, q
        cdef int64_t i
        self.enter()
        try:
            for i in range(from_.shape[0]):
                p, q = get_point(from_, i), get_point(to, i)
                with nogil:
                    status = lf_globe_sight_finest(self.globe, p, q, refraction, &sight, NULL)
                if status < 0:
                    raise bad_line(status, p, q, i)
                each[i] = (sight.clear, sight.t, (sight.point.x, sight.point.y, sight.point.z), sight.length)
                PyErr_CheckSignals()
        finally:
            self.leave()
        return found.view(np.recarray) if shape != () else found[()]

    def visible(self, a, b, *, curvature="flat", radius=None, voids="unknown", bint reason=False, double refraction=0.0):
        """Can a see b? As :meth:`sight`: places (..., 3) of longitude, latitude and height."""
        if curvature != "flat" or radius is not None or voids != "unknown":
            raise BadArgument("curvature, radius, voids: a globe is round by itself; use refraction")
        sights = self.sight(a, b, refraction=refraction)
        clear = sights["clear"]
        clear = bool(clear) if np.ndim(clear) == 0 else np.ascontiguousarray(clear)
        return (clear, np.zeros(np.shape(clear), np.uint8) if np.ndim(clear) else Reason.ANSWERED) if reason else clear


cdef class Camera:
    """A camera that flies over a ground and keeps its clearance: above the ground of a globe, and from all sides of anything
    else, however fast it is.

    x, y, z:     where it starts, in the coordinates of the ground; over a :class:`Globe` longitude, latitude (degrees) and
                 height above the ellipsoid
    clearance:   metres to be kept
    raise_limit: metres per second by which a correction may raise it
    look_ahead:  seconds ahead from which on it is raised for ground in the way

    >>> import landfall as lf
    >>> wall = lf.World([lf.Grid([[0.0, 0.0], [0.0, 0.0]], (100, 0, -50, 0, -100, 150)), [[40, 0, 0], [60, 100, 30]]])
    >>> camera = lf.Camera(wall, 10, 50, 5, look_ahead=0)
    >>> camera.velocity = (20, 0, 0)
    >>> step = camera.step(5.0)
    >>> bool(step.met), camera.position.round(1)
    (True, array([38., 50.,  5.]))
    """
    cdef lf_camera camera
    cdef readonly Ground ground

    def __cinit__(self, Ground ground not None, double x, double y, double z, *, double clearance=2.0,
                  double raise_limit=200.0, double look_ahead=2.0):
        self.ground = ground
        self.camera = lf_camera_default()
        self.camera.position = self.point_of(x, y, z)
        self.camera.clearance, self.camera.raise_limit, self.camera.look_ahead = clearance, raise_limit, look_ahead

    cdef lf_vec3 point_of(self, double x, double y, double z) except *:
        """A place in the coordinates of the ground."""
        if isinstance(self.ground, Globe):
            return one_point(self.ground.to_xyz(x, y, z), "place")
        return one_point((x, y, z), "place")

    cdef const lf_ground *met(self):
        """What it meets: of a globe what is loaded."""
        return lf_globe_ground((<Globe>self.ground).globe) if isinstance(self.ground, Globe) else self.ground.ground

    @property
    def position(self):
        """Where it is: x, y and z; over a globe longitude, latitude and height."""
        return self.ground.to_lon_lat(self.xyz) if isinstance(self.ground, Globe) else self.xyz

    @property
    def xyz(self):
        """Where it is, in the coordinates of the ground; over a globe earth-centred."""
        return np.array([self.camera.position.x, self.camera.position.y, self.camera.position.z])

    @property
    def velocity(self):
        """Along a straight line, metres per second; over a globe earth-centred."""
        return np.array([self.camera.velocity.x, self.camera.velocity.y, self.camera.velocity.z])

    @velocity.setter
    def velocity(self, value):
        self.camera.velocity = one_point(value, "velocity")

    def aim(self, double x, double y, double z, double seconds):
        """Set the velocities that bring it to a place in so many seconds."""
        cdef lf_vec3 to = self.point_of(x, y, z)
        cdef lf_status status
        self.ground.enter()
        try:
            status = lf_camera_aim(&self.camera, self.met(), to, seconds)
        finally:
            self.ground.leave()
        if status < 0:
            raise BadArgument("aim at %r, %r, %r in %r s: must be finite, the time above 0" % (x, y, z, seconds))

    def step(self, double dt, *, bint load=True):
        """Move for so many seconds, and return a record: did (bits, see :func:`camera_acts`), share (of the way), raised
        (metres), frames, met, time, depth, position and normal of the contact (NaN without one; the position as that of the
        camera), part and element (-1 without one).

        load: over a globe, first load the tiles around the camera
        """
        cdef lf_camera_result result
        cdef lf_globe_update_rules view = lf_globe_update_rules_default()
        cdef lf_status status = LF_OK
        cdef lf_globe *globe = NULL
        cdef const lf_ground *ground
        self.ground.enter()
        try:
            ground = self.met()
            if load and isinstance(self.ground, Globe):
                globe = (<Globe>self.ground).globe
            view.position, view.velocity = self.camera.position, self.camera.velocity
            with nogil:
                if globe is not NULL:
                    status = lf_globe_update(globe, &view, NULL)
                if status >= 0:
                    status = lf_camera_step(&self.camera, ground, dt, &result)
        finally:
            self.ground.leave()
        if status < 0:
            raise _error_of(status, "step of %r s from %s: the time must be above 0, the camera outside of the planet's inner "
                            "half, and its numbers finite" % (dt, vec_text(self.camera.position)))
        cdef lf_camera_contact contact = result.contact
        place = normal = (NAN, NAN, NAN)
        if contact.met:
            normal = (contact.normal.x, contact.normal.y, contact.normal.z)
            place = (contact.position.x, contact.position.y, contact.position.z)
            if isinstance(self.ground, Globe):
                place = (contact.geodetic.lon_deg, contact.geodetic.lat_deg, contact.geodetic.height)
        found = np.empty((), CAMERA_STEP)
        hit = contact.met and contact.hit.kind != LF_HIT_NONE
        found[()] = (result.did, result.share, result.raised, result.frames, contact.met, contact.time, contact.depth, place,
                     normal, contact.hit.part if hit else -1, contact.hit.element if hit else -1)
        return found[()]

    def __repr__(self):
        return "<landfall.Camera at %.6f, %.6f, %.1f m>" % tuple(self.position)


def camera_acts(uint32_t did):
    """The names of what a step did with a camera, such as ["raised", "ahead"]."""
    return [lf_camera_act_name(<lf_camera_act>(1 << k)).decode() for k in range(8) if did & 1 << k]


# ---- Files of landfall's own

def _open_store(path, bint check=False, progress=None):
    """The ground or model of a .lf file."""
    cdef lf_store *store = NULL
    cdef lf_error error
    cdef lf_status status
    cdef lf_host host
    cdef _Progress told = _Progress(progress)
    cdef bytes name = os.fsencode(path)
    cdef const char *text = name
    memset(&error, 0, sizeof(lf_error))
    memset(&host, 0, sizeof(lf_host))
    cdef lf_source *source = NULL
    if name.startswith(b'/vsi'):
        from landfall import _io
        source = <lf_source *><size_t>_io.open_source(path)
    with nogil:
        if source is NULL:
            status = lf_store_open(text, &host, check, &store, &error)
        else:
            status = lf_store_open_source(source, &host, check, &store, &error)
            free(source)
    told.end(status, &error, "open")
    kind = lf_store_describe(store).kind
    place = os.fsdecode(path)  # what GDAL opens is no path of this system
    how = (place if place.startswith('/vsi') else os.path.abspath(place), {})
    if kind == LF_STORE_GRID:
        return Grid.of_store(store, how)
    if kind == LF_STORE_MESH:
        return Mesh.of_store(store, how)
    if kind == LF_STORE_GLOBE:
        return Globe.of_store(store, how)
    lf_store_close(store)
    raise _errors.Unsupported("%s: holds neither a grid, a mesh nor a globe" % os.fsdecode(path))
