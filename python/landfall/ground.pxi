# Ground: what every kind answers.

_CURVATURES = {"flat": 0.0, "light": LF_CURVATURE_LIGHT, "radio": LF_CURVATURE_RADIO}
_VOIDS = {"unknown": LF_VOIDS_UNKNOWN, "pass": LF_VOIDS_PASS, "stop": LF_VOIDS_STOP}

# Questions between two looks for Ctrl-C, at first: more where they turn out to be quick. Packed ones stay in the cache.
DEF FIRST_SHARE = 4096
DEF LARGEST_SHARE = 16384
DEF BORROWED_SHARE = 262144


cdef int64_t next_share(int64_t share, double seconds, int64_t largest) nogil:
    """How many questions to ask next: about a look's worth."""
    if seconds < 0.3 * LOOK and share < largest:
        return min(4 * share, largest)
    if seconds > LOOK and share > 16:
        return share // 2
    return share


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

    def height(self, x, y=None, z=None, *, bint up=False, bint reason=False):
        """The height of the ground at x, y: an array of the shape that x, y and z broadcast to, or a float.

        x, y:   numbers or array-likes; or only x: points (..., 3), which are borrowed where they are doubles
        z:      look down from this height instead of from above everything (up: look up from it)
        reason: also return why there is no height: (heights, reasons), see :class:`Reason`

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
        if PyFloat_Check(x) and PyFloat_Check(y) and z is None and not reason and self.plain and not up:
            if self.closed:
                raise Closed("%s: it is closed" % type(self).__name__)
            point = vec(PyFloat_AS_DOUBLE(x), PyFloat_AS_DOUBLE(y), INFINITY)
            status = lf_ground_height(self.ground, point, look, &hit, NULL)
            if status < 0:
                raise bad_point(status, point, None)
            return hit.point.z if hit.kind != LF_HIT_NONE else NAN
        self.enter()
        try:
            return self.heights_of(x, y, z, look, reason)
        finally:
            self.leave()

    cdef object heights_of(self, x, y, z, lf_vertical look, bint reason):
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
            heights = self.hit_heights(hits)
            reasons = hits["reason"].astype(np.uint8)
            if shape == ():
                return float(heights), Reason(int(reasons))
            return heights, reasons
        heights = np.empty(shape, np.float64)
        if points is not None:
            self.heights_of_points(points, look, <double *>cnp.PyArray_DATA(heights))
        else:
            self.heights_of_places(px, py, pz, look, <double *>cnp.PyArray_DATA(heights))
        return heights if shape != () else float(heights)

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

    cdef int heights_of_points(self, cnp.ndarray points, lf_vertical look, double *heights) except -1:
        """Heights of points that lie as the C library reads them."""
        cdef int64_t count = points.shape[0], done = 0, share = 4 * FIRST_SHARE, n = 0
        cdef size_t stride = points.strides[0] if count > 1 else 24
        cdef const char *data = <const char *>cnp.PyArray_DATA(points)
        cdef lf_status status = LF_OK
        cdef double began, ended = now(), looked = ended
        with nogil:
            while done < count:
                n = min(share, count - done)
                began = ended
                status = lf_ground_heights_many(self.ground, <const lf_vec3 *>(data + done * stride), stride, n, look,
                                                heights + done, 0, tasks_for(n, 4096))
                if status < 0:
                    break
                done += n
                ended = now()
                share = next_share(share, ended - began, BORROWED_SHARE)
                if ended - looked > LOOK:
                    looked = ended
                    check_signals()
        if status < 0:
            self.raise_point(<const lf_vec3 *>(data + done * stride), stride, n, done, status, look)
        return 0

    cdef int heights_of_places(self, cnp.ndarray px, cnp.ndarray py, cnp.ndarray pz, lf_vertical look,
                               double *heights) except -1:
        """Heights of places whose coordinates lie apart: packed share by share."""
        cdef int64_t count = px.shape[0], done = 0, share = FIRST_SHARE, n = 0, i
        cdef lf_status status = LF_OK
        cdef double began, ended = now(), looked = ended
        cdef lf_vec3 *points = <lf_vec3 *>malloc(max(1, min(count, LARGEST_SHARE)) * sizeof(lf_vec3))
        if points is NULL:
            raise MemoryError()
        try:
            with nogil:
                while done < count:
                    n = min(share, count - done)
                    began = ended
                    for i in range(n):
                        points[i] = vec(get(px, done + i), get(py, done + i), get(pz, done + i))
                    status = lf_ground_heights_many(self.ground, points, 0, n, look, heights + done, 0, tasks_for(n, 4096))
                    if status < 0:
                        break
                    done += n
                    ended = now()
                    share = next_share(share, ended - began, LARGEST_SHARE)
                    if ended - looked > LOOK:
                        looked = ended
                        check_signals()
            if status < 0:
                self.raise_point(points, sizeof(lf_vec3), n, done, status, look)
        finally:
            free(points)
        return 0

    cdef int raise_point(self, const lf_vec3 *points, size_t stride, int64_t count, int64_t before, lf_status status,
                         lf_vertical look) except -1:
        """Find the point that a batch refused, and raise with its index."""
        cdef lf_hit hit
        cdef lf_vec3 point
        cdef int64_t i
        for i in range(count):
            point = (<const lf_vec3 *>(<const char *>points + i * stride))[0]
            if lf_ground_height(self.ground, point, look, &hit, NULL) < 0:
                raise bad_point(status, point, before + i)
        raise_status(status, NULL, "height")

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

    def ray(self, origins, directions, *, t_min=0.0, t_max=INFINITY):
        """The first hit of each ray: a record array with the fields of the C library's lf_hit.

        origins, directions: points and vectors (..., 3); directions need no unit length
        t_min, t_max:        the closed interval of each ray, in lengths of its direction

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
        cdef cnp.ndarray hits = np.empty(shape, HIT)
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

    cdef lf_status ask_rays(self, const lf_ray *rays, int64_t count, lf_hit *hits) nogil:
        return lf_ground_ray_first_many(self.ground, rays, 0, count, hits, 0, tasks_for(count, 512))

    cdef int rays_of(self, cnp.ndarray origins, cnp.ndarray directions, cnp.ndarray t_min, cnp.ndarray t_max,
                     lf_hit *hits, double *t) except -1:
        """Packs rays share by share; `hits`, or only their t."""
        cdef int64_t count = origins.shape[0], done = 0, share = FIRST_SHARE // 4, n = 0, i
        cdef lf_status status = LF_OK
        cdef double began, ended = now(), looked = ended
        cdef int64_t space = max(1, min(count, LARGEST_SHARE))
        cdef lf_ray *rays = <lf_ray *>malloc(space * sizeof(lf_ray))
        cdef lf_hit *own = <lf_hit *>malloc(space * sizeof(lf_hit)) if hits is NULL else NULL
        cdef lf_hit *into
        if rays is NULL or (hits is NULL and own is NULL):
            free(rays)
            free(own)
            raise MemoryError()
        try:
            with nogil:
                while done < count:
                    n = min(share, count - done)
                    began = ended
                    for i in range(n):
                        rays[i].origin = get_point(origins, done + i)
                        rays[i].direction = get_point(directions, done + i)
                        rays[i].t_min = get(t_min, done + i)
                        rays[i].t_max = get(t_max, done + i)
                    into = hits + done if hits is not NULL else own
                    status = self.ask_rays(rays, n, into)
                    if status < 0:
                        break
                    if t is not NULL:
                        for i in range(n):
                            t[done + i] = into[i].t if into[i].kind != LF_HIT_NONE else NAN
                    else:
                        for i in range(n):
                            hide_miss(into + i)
                    done += n
                    ended = now()
                    share = next_share(share, ended - began, LARGEST_SHARE)
                    if ended - looked > LOOK:
                        looked = ended
                        check_signals()
            if status < 0:
                self.raise_ray(rays, n, done, status)
        finally:
            free(rays)
            free(own)
        return 0

    cdef int raise_ray(self, const lf_ray *rays, int64_t count, int64_t before, lf_status status) except -1:
        cdef lf_hit hit
        cdef int64_t i
        for i in range(count):
            if self.ask_rays(rays + i, 1, &hit) < 0:
                raise _error_of(status, "ray %d: from %s along %s, t from %r to %r: must be finite, with a direction that "
                                "is not zero and 0 <= t_min <= t_max"
                                % (before + i, vec_text(rays[i].origin), vec_text(rays[i].direction), rays[i].t_min,
                                   rays[i].t_max), before + i)
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
                self.raise_ray(&ray, 1, 0, status)
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
