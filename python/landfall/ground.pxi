# Ground: what every kind answers.

_CURVATURES = {"flat": 0.0, "light": LF_CURVATURE_LIGHT, "radio": LF_CURVATURE_RADIO}
_VOIDS = {"unknown": LF_VOIDS_UNKNOWN, "pass": LF_VOIDS_PASS, "stop": LF_VOIDS_STOP}

# Questions in a block: what is packed stays in the cache, and a thread may take several before it looks for Ctrl-C.
DEF BLOCK = 256


cdef struct height_job:
    const lf_ground *ground
    const char *x  # points; or x, y and z apart
    const char *y
    const char *z
    ptrdiff_t step_x, step_y, step_z
    lf_vertical look
    double *heights


cdef lf_status ask_heights(void *job, int64_t first, int64_t last) nogil:
    cdef height_job *j = <height_job *>job
    cdef lf_vec3 points[BLOCK]
    cdef int64_t i
    if j.y is NULL:
        return lf_ground_heights_many(j.ground, <const lf_vec3 *>(j.x + first * j.step_x), j.step_x, last - first, j.look,
                                      j.heights + first, 0, NULL)
    for i in range(first, last):
        points[i - first] = vec((<const double *>(j.x + i * j.step_x))[0], (<const double *>(j.y + i * j.step_y))[0],
                                (<const double *>(j.z + i * j.step_z))[0])
    return lf_ground_heights_many(j.ground, points, 0, last - first, j.look, j.heights + first, 0, NULL)


cdef struct ray_job:
    const lf_ground *ground
    const char *origins
    const char *directions
    const char *t_min
    const char *t_max
    ptrdiff_t origin_step, direction_step, min_step, max_step
    lf_hit *hits  # or only t
    double *t


cdef lf_ray ray_of(const ray_job *j, int64_t i) nogil:
    cdef lf_ray ray
    ray.origin = (<const lf_vec3 *>(j.origins + i * j.origin_step))[0]
    ray.direction = (<const lf_vec3 *>(j.directions + i * j.direction_step))[0]
    ray.t_min = (<const double *>(j.t_min + i * j.min_step))[0]
    ray.t_max = (<const double *>(j.t_max + i * j.max_step))[0]
    return ray


cdef lf_status ask_rays(void *job, int64_t first, int64_t last) nogil:
    cdef ray_job *j = <ray_job *>job
    cdef lf_ray rays[BLOCK]
    cdef lf_hit own[BLOCK]
    cdef lf_hit *hits = &own[0]
    cdef int64_t i, n = last - first
    cdef lf_status status
    if j.hits is not NULL:
        hits = j.hits + first
    for i in range(n):
        rays[i] = ray_of(j, first + i)
    status = lf_ground_ray_first_many(j.ground, rays, 0, n, hits, 0, NULL)
    if status < 0:
        return status
    for i in range(n):
        if j.t is not NULL:
            j.t[first + i] = hits[i].t if hits[i].kind != LF_HIT_NONE else NAN
        else:
            hide_miss(hits + i)
    return status


cdef class _Ground(_Owned):
    """Lifetime, heights and rays of a ground; see :class:`Ground`."""
    cdef const lf_ground *ground
    cdef lf_frame frame
    cdef bint plain
    cdef object how
    cdef readonly object crs
    cdef readonly bint degrees
    cdef lf_ellipsoid ellipsoid

    def __cinit__(self, *args, **kwargs):
        self.ellipsoid = lf_ellipsoid_wgs84()

    cdef void ready(self, const lf_ground *ground):
        self.ground = ground
        self.frame = lf_ground_frame(ground)
        self.plain = (self.frame.kind == LF_FRAME_GRAVITY and self.frame.down.x == 0 and self.frame.down.y == 0 and
                      self.frame.down.z < 0)
        self.closed = False

    @property
    def path(self):
        """The file that it was opened from, or None."""
        return None if self.how is None else self.how[0]

    @property
    def box(self):
        """The box of the ground: an array ((low x, y, z), (high x, y, z))."""
        self.enter()
        cdef lf_box b = lf_ground_box(self.ground)
        self.leave()
        return np.array([[b.low.x, b.low.y, b.low.z], [b.high.x, b.high.y, b.high.z]])

    def __reduce__(self):
        if self.how is None:
            raise TypeError("this %s was made of arrays and has no path to be pickled by: save() it and open() the file"
                            % type(self).__name__)
        from landfall import _open_again
        return _open_again, self.how

    # ---- Heights

    def height(self, x, y=None, z=None, *, bint up=False, bint reason=False, out=None):
        """The height of the ground at x, y: an array of the shape that x, y and z broadcast to, or a float.

        x, y:   numbers or array-likes; or only x: points (..., 3), which are borrowed where they are doubles
        z:      look down from this height instead of from above everything (up: look up from it)
        reason: also return why there is no height: (heights, reasons), see :class:`Reason`
        out:    an array of float64 of that shape to write to and return, instead of a new one

        Where there is no ground the height is NaN. One pass over x and y packs them; points (..., 3) need none.

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 1.0], [2.0, 3.0]])
        >>> grid.height(0.5, 0.0)
        0.5
        >>> grid.height([0.0, 1.0, 5.0], 1.0)
        array([ 2.,  3., nan])
        >>> grid.height([0.0, 5.0], 1.0, reason=True)[1]
        array([0, 1], dtype=uint8)
        """
        cdef lf_vec3 point
        cdef lf_hit hit
        cdef lf_status status
        cdef lf_vertical look = LF_VERTICAL_UP if up else LF_VERTICAL_DOWN
        if PyFloat_Check(x) and PyFloat_Check(y) and z is None and not reason and self.plain and self.lock is None and not up and out is None:
            if self.closed:
                raise Closed("%s: it is closed" % type(self).__name__)
            point = vec(PyFloat_AS_DOUBLE(x), PyFloat_AS_DOUBLE(y), INFINITY)
            status = lf_ground_height(self.ground, point, look, &hit, NULL)
            if status < 0:
                raise bad_point(status, point, None)
            return hit.point.z if hit.kind != LF_HIT_NONE else NAN
        self.enter()
        try:
            return self.heights_of(x, y, z, look, reason, out)
        finally:
            self.leave()

    cdef object heights_of(self, x, y, z, lf_vertical look, bint reason, out):
        cdef cnp.ndarray px = None, py = None, pz = None, points = None, heights
        if y is None:
            if z is not None:
                raise BadArgument("z: not with points (..., 3), which have their own")
            array = points_of(x, "points")
            shape = array.shape[:-1]
            points = packed_points(array, shape)
            if points.shape[0] > 1 and points.strides[0] == 0:
                points = np.ascontiguousarray(points)
        else:
            if z is None:
                if not self.plain:
                    raise BadArgument("z: must be given where gravity is not -z")
                if look == LF_VERTICAL_UP:
                    raise BadArgument("z: must be given to look up from")
                z = INFINITY
            arrays = [numbers(x, "x"), numbers(y, "y"), numbers(z, "z")]
            shape = shape_of(arrays, ["x", "y", "z"])
            px, py, pz = flat(arrays[0], shape), flat(arrays[1], shape), flat(arrays[2], shape)
            points = None
        if reason:
            hits = self.height_hits(px, py, pz, points, shape, look)
            heights = result_array(out, shape, np.float64)
            (<object>heights)[...] = self.hit_heights(hits)
            reasons = hits["reason"].astype(np.uint8)
            if shape == ():
                return float(heights), Reason(int(reasons))
            return heights, reasons
        heights = result_array(out, shape, np.float64)
        if points is not None:
            px = points
        self.ask_heights(px, py, pz, look, <double *>cnp.PyArray_DATA(heights))
        return heights if shape != () or out is not None else float(heights)

    cdef object hit_heights(self, hits):
        """The heights of hits, as lf_ground_heights_many has them."""
        cdef cnp.ndarray points, heights
        cdef int64_t i
        if self.plain:
            return np.where(hits["kind"] != LF_HIT_NONE, hits["point"][..., 2], NAN)
        points = np.ascontiguousarray(hits["point"]).reshape(-1, 3)
        heights = np.empty(points.shape[0])
        for i in range(points.shape[0]):
            (<double *>cnp.PyArray_DATA(heights))[i] = lf_frame_to_local(&self.frame, get_point(points, i)).z
        return np.where(hits["kind"] != LF_HIT_NONE, heights.reshape(hits.shape), NAN)

    cdef int ask_heights(self, cnp.ndarray px, cnp.ndarray py, cnp.ndarray pz, lf_vertical look, double *heights) except -1:
        """Heights of points, or of coordinates that lie apart (py is not None)."""
        cdef height_job j
        cdef int64_t refused, i, count = px.shape[0]
        cdef lf_vec3 point
        cdef lf_hit hit
        cdef lf_status status
        j.ground, j.look, j.heights = self.ground, look, heights
        j.x, j.step_x = <const char *>cnp.PyArray_DATA(px), px.strides[0] if count > 1 or py is not None else 24
        j.y = j.z = NULL
        if py is not None:
            j.y, j.step_y = <const char *>cnp.PyArray_DATA(py), py.strides[0]
            j.z, j.step_z = <const char *>cnp.PyArray_DATA(pz), pz.strides[0]
        refused = ask_all(ask_heights, &j, count, BLOCK, 4096)
        if refused < 0:
            return 0
        for i in range(refused, min(refused + BLOCK, count)):
            point = get_point(px, i) if py is None else vec(get(px, i), get(py, i), get(pz, i))
            status = lf_ground_height(self.ground, point, look, &hit, NULL)
            if status < 0:
                raise bad_point(status, point, i)
        raise_status(ask_heights(&j, refused, min(refused + BLOCK, count)), NULL, "height")

    cdef object height_hits(self, cnp.ndarray px, cnp.ndarray py, cnp.ndarray pz, cnp.ndarray points, shape,
                            lf_vertical look):
        """Heights as hits, one by one."""
        cdef cnp.ndarray hits = np.empty(shape, HIT)
        cdef lf_hit *hit = <lf_hit *>cnp.PyArray_DATA(hits)
        cdef int64_t count = hits.size, i
        cdef lf_status status = LF_OK
        cdef lf_vec3 point
        cdef bint separate = points is None
        cdef double looked = now()
        with nogil:
            for i in range(count):
                if separate:
                    point = vec(get(px, i), get(py, i), get(pz, i))
                else:
                    point = get_point(points, i)
                status = lf_ground_height(self.ground, point, look, hit + i, NULL)
                if status < 0:
                    break
                hide_miss(hit + i)
                if i % 256 == 255 and now() - looked > LOOK:
                    check_signals()
                    looked = now()
        if status < 0:
            raise bad_point(status, point, i)
        return hits.view(np.recarray) if shape != () else hits[()]

    def hit(self, x, y=None, z=None, *, bint up=False):
        """The ground at x, y as hits: points, normals, elements, user values; see :meth:`ray` for the fields.

        >>> import landfall as lf
        >>> hit = lf.Grid([[0.0, 1.0], [2.0, 3.0]]).hit(0.25, 0.5)
        >>> hit.point
        array([0.25, 0.5 , 1.25])
        >>> hit.element, hit.triangle
        (0, 0)
        """
        cdef cnp.ndarray px = None, py = None, pz = None, points = None
        cdef lf_vertical look = LF_VERTICAL_UP if up else LF_VERTICAL_DOWN
        if y is None:
            array = points_of(x, "points")
            shape = array.shape[:-1]
            points = packed_points(array, shape)
        else:
            if z is None and (up or not self.plain):
                raise BadArgument("z: must be given to look up from, and where gravity is not -z")
            arrays = [numbers(x, "x"), numbers(y, "y"), numbers(INFINITY if z is None else z, "z")]
            shape = shape_of(arrays, ["x", "y", "z"])
            px, py, pz = flat(arrays[0], shape), flat(arrays[1], shape), flat(arrays[2], shape)
        self.enter()
        try:
            return self.height_hits(px, py, pz, points, shape, look)
        finally:
            self.leave()

    # ---- Rays

    def ray(self, origins, directions, *, t_min=0.0, t_max=INFINITY, out=None):
        """The first hit of each ray: a record array with the fields of the C library's lf_hit.

        origins, directions: points and vectors (..., 3); directions need no unit length
        t_min, t_max:        the closed interval of each ray, in lengths of its direction
        out:                 an array of HIT to write to and return, instead of a new one

        Fields: t, point, normal, part, element, triangle, level, u, v, resolution, user, layers, kind (0: a miss) and
        reason. Of a miss t, point, normal, u and v are NaN.

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 1.0], [2.0, 3.0]])
        >>> hits = grid.ray([0.25, 0.5, 9.0], [[0, 0, -1.0], [0, 0, 1.0]])
        >>> hits.t
        array([7.75,  nan])
        """
        arrays = [points_of(origins, "origins"), points_of(directions, "directions")]
        ends = [numbers(t_min, "t_min"), numbers(t_max, "t_max")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]] + ends, ["origins", "directions", "t_min", "t_max"])
        cdef cnp.ndarray hits = result_array(out, shape, HIT)
        self.enter()
        try:
            self.rays_of(packed_points(arrays[0], shape), packed_points(arrays[1], shape), flat(ends[0], shape),
                         flat(ends[1], shape), <lf_hit *>cnp.PyArray_DATA(hits), NULL)
        finally:
            self.leave()
        return hits.view(np.recarray) if shape != () else hits[()]

    def ray_t(self, origins, directions, *, t_min=0.0, t_max=INFINITY):
        """Where each ray first hits, in lengths of its direction; NaN for a miss. The t of :meth:`ray`, in a twentieth of
        the memory.

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 1.0], [2.0, 3.0]]).ray_t([0.25, 0.5, 9.0], [0, 0, -1])
        7.75
        """
        arrays = [points_of(origins, "origins"), points_of(directions, "directions")]
        ends = [numbers(t_min, "t_min"), numbers(t_max, "t_max")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]] + ends, ["origins", "directions", "t_min", "t_max"])
        cdef cnp.ndarray t = np.empty(shape)
        self.enter()
        try:
            self.rays_of(packed_points(arrays[0], shape), packed_points(arrays[1], shape), flat(ends[0], shape),
                         flat(ends[1], shape), NULL, <double *>cnp.PyArray_DATA(t))
        finally:
            self.leave()
        return t if shape != () else float(t)

    cdef int rays_of(self, cnp.ndarray origins, cnp.ndarray directions, cnp.ndarray t_min, cnp.ndarray t_max,
                     lf_hit *hits, double *t) except -1:
        """`hits` of rays, or only their t."""
        cdef ray_job j
        cdef int64_t refused, count = origins.shape[0]
        j.ground, j.hits, j.t = self.ground, hits, t
        j.origins, j.origin_step = <const char *>cnp.PyArray_DATA(origins), origins.strides[0]
        j.directions, j.direction_step = <const char *>cnp.PyArray_DATA(directions), directions.strides[0]
        j.t_min, j.min_step = <const char *>cnp.PyArray_DATA(t_min), t_min.strides[0]
        j.t_max, j.max_step = <const char *>cnp.PyArray_DATA(t_max), t_max.strides[0]
        refused = ask_all(ask_rays, &j, count, BLOCK, 512)
        if refused >= 0:
            self.raise_ray(&j, refused, min(refused + BLOCK, count))
        return 0

    cdef int raise_ray(self, const ray_job *j, int64_t first, int64_t last) except -1:
        """Find the ray that was refused, and raise with its index."""
        cdef lf_status status = LF_BAD_ARGUMENT
        cdef lf_hit hit
        cdef lf_ray ray
        cdef int64_t i
        for i in range(first, last):
            ray = ray_of(j, i)
            status = lf_ground_ray_first(self.ground, &ray, &hit, NULL)
            if status < 0:
                raise bad_ray(status, &ray, i)
        raise_status(status, NULL, "ray")

    def ray_all(self, origin, direction, *, double t_min=0.0, double t_max=INFINITY):
        """Every hit of one ray, in the order of t: a record array as :meth:`ray` has.

        >>> import landfall as lf
        >>> len(lf.Grid([[0.0, 9.0, 0.0], [0.0, 9.0, 0.0]]).ray_all([0, 0.5, 4], [1, 0, 0]))
        2
        """
        cdef lf_ray ray
        cdef int64_t count = 0, capacity = 16
        cdef lf_status status = LF_PARTIAL
        cdef cnp.ndarray hits = None
        ray.origin, ray.direction = one_point(origin, "origin"), one_point(direction, "direction")
        ray.t_min, ray.t_max = t_min, t_max
        self.enter()
        try:
            while status == LF_PARTIAL:
                hits = np.empty(capacity, HIT)
                with nogil:
                    status = lf_ground_ray_all(self.ground, &ray, <lf_hit *>cnp.PyArray_DATA(hits), capacity, &count, NULL)
                capacity = count
            if status < 0:
                raise bad_ray(status, &ray, 0)
        finally:
            self.leave()
        return hits[:count].view(np.recarray)


cdef inline void hide_miss(lf_hit *hit) nogil:
    """Nothing of a miss is a number."""
    if hit.kind == LF_HIT_NONE:
        hit.t = hit.u = hit.v = NAN
        hit.point = vec(NAN, NAN, NAN)
        hit.normal = vec(NAN, NAN, NAN)


cdef object bad_point(int status, lf_vec3 point, index):
    if status != LF_BAD_ARGUMENT:
        return _error_of(status, "", index)
    text = "point %s: must be numbers within 1e30 (z may be infinite where gravity is -z)" % vec_text(point)
    return _error_of(status, text if index is None else "point %d: %s" % (index, text[6:]), index)


cdef object bad_ray(int status, const lf_ray *ray, int64_t index):
    return _error_of(status, "ray %d: from %s along %s, t from %r to %r: must be finite, with a direction that is not zero and "
                     "0 <= t_min <= t_max" % (index, vec_text(ray.origin), vec_text(ray.direction), ray.t_min, ray.t_max), index)
