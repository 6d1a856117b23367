# Model: shapes that touch other shapes.

cdef lf_model_distance *d0 = NULL
cdef lf_model_landing *g0 = NULL

DISTANCE = _struct_dtype(
    ["distance", "point_a", "point_b", "a", "b"], ["f8", "3f8", "3f8", "i8", "i8"],
    [<size_t>&d0.distance, <size_t>&d0.point_a, <size_t>&d0.point_b, <size_t>&d0.a, <size_t>&d0.b],
    sizeof(lf_model_distance))

LANDING = _struct_dtype(
    ["touching", "under_count", "depth", "deepest", "surface", "triangle"], ["?", "i8", "f8", "3f8", "3f8", "i8"],
    [<size_t>&g0.touching, <size_t>&g0.under_count, <size_t>&g0.depth, <size_t>&g0.deepest, <size_t>&g0.surface,
     <size_t>&g0.triangle], sizeof(lf_model_landing))


cdef class _Poses:
    """Poses as the C library reads them, of any shape."""
    cdef lf_pose *each
    cdef int64_t count
    cdef readonly tuple shape

    def __cinit__(self, poses, str name):
        cdef int64_t i
        array = np.zeros(3) if poses is None else numbers(poses, name)
        if array.ndim >= 2 and array.shape[-1] == 4 and array.shape[-2] in (3, 4):
            self.shape = array.shape[:-2]
            rows = array.reshape((-1,) + array.shape[-2:])
        elif array.ndim >= 1 and array.shape[-1] == 3:
            self.shape = array.shape[:-1]
            rows = array.reshape(-1, 3)
        else:
            raise BadArgument("%s: expected translations (..., 3), or matrices (..., 4, 4) or (..., 3, 4), got the shape %s"
                              % (name, array.shape))
        self.count = rows.shape[0]
        self.each = <lf_pose *>malloc(max(1, self.count) * sizeof(lf_pose))
        if self.each is NULL:
            raise MemoryError()
        for i in range(self.count):
            try:
                self.each[i] = pose_of(rows[i], name)
            except BadArgument as error:
                raise BadArgument("%s %d: %s" % (name, i, str(error)[len(name) + 2:]), i) from None

    def __dealloc__(self):
        free(self.each)


cdef class Model(Ground):
    """A shape of any polygons, closed or open, that can touch other models.

    vertices, faces, users, layers: as of :class:`Mesh`; polygons of more than three corners should be convex
    It is a ground too: in its own coordinates, with down -z.
    Poses are translations (3) or matrices (4 x 4, or 3 x 4); arrays of them (..., 3), (..., 4, 4) are asked one by one.

    >>> import landfall as lf
    >>> cube = lf.Model(*lf.cube(2.0))
    >>> cube.touches(cube, [[1.0, 0.0, 0.0], [2.0, 0.0, 0.0], [2.1, 0.0, 0.0]])
    array([ True,  True, False])
    >>> round(cube.distance(cube, [5.0, 0.0, 0.0]).distance, 12)
    3.0
    """
    cdef lf_model *model
    cdef object told

    def __init__(self, vertices, faces=None, *, users=None, layers=None, progress=None):
        cdef lf_model_def definition = lf_model_def_default()
        cdef lf_error error
        cdef lf_status status
        cdef _Progress told = _Progress(progress)
        if not self.closed:
            raise TypeError("a Model is made once")
        vertices, faces = _faces_of(vertices, faces)
        cdef _Polygons polygons = _Polygons(vertices, faces, users, layers, None)
        definition.polygons = polygons.polygons
        definition.host.progress, definition.host.tasks = &told.hook, tasks_now()
        memset(&error, 0, sizeof(lf_error))
        self.told = told
        with nogil:
            status = lf_model_create(&definition, &self.model, &error)
        told.end(status, &error, "Model")
        told.callback = None
        self.ready(lf_model_ground(self.model))

    def __dealloc__(self):
        lf_model_destroy(self.model)

    cdef void release(self):
        lf_model_destroy(self.model)
        self.model, self.ground = NULL, NULL

    def info(self):
        """What the C library says of the model: a dict. closed: it has an inside."""
        self.enter()
        cdef lf_model_info i = lf_model_describe(self.model)
        self.leave()
        return {"vertices": i.vertex_count, "polygons": i.polygon_count, "triangles": i.triangle_count, "flat": i.flat_count,
                "open_edges": i.open_count, "closed": bool(i.closed), "radius": i.radius, "bytes": i.bytes,
                "box": np.array([[i.box.low.x, i.box.low.y, i.box.low.z], [i.box.high.x, i.box.high.y, i.box.high.z]])}

    def __repr__(self):
        if self.closed:
            return "<landfall.Model, closed>"
        info = self.info()
        return "<landfall.Model %d triangles, %s, radius %.6g>" % (
            info["triangles"], "closed" if info["closed"] else "open", info["radius"])

    def touches(self, Model other not None, pose=None, *, own_pose=None):
        """Does the model share a point with another one in a pose (or in poses: an array of bool)? Exact."""
        cdef _Poses poses = _Poses(pose, "pose")
        cdef lf_model_query query = lf_model_query_default()
        cdef cnp.ndarray found = np.empty(poses.shape, np.bool_)
        cdef cbool *touching = <cbool *>cnp.PyArray_DATA(found)
        cdef int64_t i
        cdef lf_status status = LF_OK
        cdef double looked = now()
        query.pose_a = pose_of(own_pose, "own_pose")
        self.enter_both(other)
        try:
            query.a, query.b = self.model, other.model
            with nogil:
                for i in range(poses.count):
                    query.pose_b = poses.each[i]
                    status = lf_model_touch(&query, touching + i, NULL)
                    if status < 0:
                        break
                    if now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise _error_of(status, "", i)
        finally:
            other.leave()
            self.leave()
        return found if poses.shape != () else bool(found)

    cdef int enter_both(self, Model other) except -1:
        self.enter()
        try:
            other.enter()
        except BaseException:
            self.leave()
            raise
        return 0

    def collide(self, Model other not None, pose=None, *, own_pose=None, int64_t limit=0):
        """Which triangles touch: an array (n, 2) of triangles of this model and of the other one in a pose.

        limit: stop after so many; 0: find all

        >>> import landfall as lf
        >>> cube = lf.Model(*lf.cube(2.0))
        >>> cube.collide(cube, [1.9, 1.9, 1.9]).shape
        (18, 2)
        """
        cdef lf_model_query query = lf_model_query_default()
        cdef int64_t count = 0, capacity = 64
        cdef lf_status status = LF_PARTIAL
        cdef cnp.ndarray pairs = None
        if limit < 0:
            raise BadArgument("limit %d: must be 0 or more" % limit)
        query.pose_a, query.pose_b, query.limit = pose_of(own_pose, "own_pose"), pose_of(pose, "pose"), limit
        self.enter_both(other)
        try:
            query.a, query.b = self.model, other.model
            while status == LF_PARTIAL:
                pairs = np.empty((capacity, 2), np.int64)
                with nogil:
                    status = lf_model_pairs(&query, <lf_model_pair *>cnp.PyArray_DATA(pairs), capacity, &count, NULL)
                capacity = count
            if status < 0:
                raise_status(status, NULL, "collide")
        finally:
            other.leave()
            self.leave()
        return pairs[:count]

    def distance(self, Model other not None, pose=None, *, own_pose=None):
        """The distance to another model in a pose, or in poses: records of distance, point_a, point_b, a, b (triangles)."""
        cdef _Poses poses = _Poses(pose, "pose")
        cdef lf_model_query query = lf_model_query_default()
        cdef cnp.ndarray found = np.empty(poses.shape, DISTANCE)
        cdef lf_model_distance *nearest = <lf_model_distance *>cnp.PyArray_DATA(found)
        cdef int64_t i
        cdef lf_status status = LF_OK
        cdef double looked = now()
        query.pose_a = pose_of(own_pose, "own_pose")
        self.enter_both(other)
        try:
            query.a, query.b = self.model, other.model
            with nogil:
                for i in range(poses.count):
                    query.pose_b = poses.each[i]
                    status = lf_model_nearest(&query, nearest + i, NULL)
                    if status < 0:
                        break
                    if now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise _error_of(status, "", i)
        finally:
            other.leave()
            self.leave()
        return found.view(np.recarray) if poses.shape != () else found[()]

    def nearest(self, points, *, pose=None):
        """The point of the surface nearest to each point: records as of :meth:`distance`, point_b on the model.

        >>> import landfall as lf
        >>> lf.Model(*lf.cube(2.0)).nearest([[3.0, 0.0, 0.0]]).distance
        array([2.])
        """
        cdef lf_pose own = pose_of(pose, "pose")
        array = points_of(points, "points")
        shape = array.shape[:-1]
        cdef cnp.ndarray at = packed_points(array, shape), found = np.empty(shape, DISTANCE)
        cdef lf_model_distance *nearest = <lf_model_distance *>cnp.PyArray_DATA(found)
        cdef int64_t i, count = at.shape[0]
        cdef lf_status status = LF_OK
        cdef double looked = now()
        self.enter()
        try:
            with nogil:
                for i in range(count):
                    status = lf_model_nearest_to(self.model, &own, get_point(at, i), nearest + i, NULL)
                    if status < 0:
                        break
                    if now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise bad_point(status, get_point(at, i), i)
        finally:
            self.leave()
        return found.view(np.recarray) if shape != () else found[()]

    def contains(self, points, *, pose=None):
        """Are points inside of the closed model, or on its surface? Exact.

        >>> import landfall as lf
        >>> lf.Model(*lf.cube(2.0)).contains([[0, 0, 0], [1, 0, 0], [1.5, 0, 0]])
        array([ True,  True, False])
        """
        cdef lf_pose own = pose_of(pose, "pose")
        array = points_of(points, "points")
        shape = array.shape[:-1]
        cdef cnp.ndarray at = packed_points(array, shape), found = np.empty(shape, np.bool_)
        cdef uint8_t *inside = <uint8_t *>cnp.PyArray_DATA(found)
        cdef int64_t i, count = at.shape[0]
        cdef lf_status status = LF_OK
        cdef lf_relation relation
        cdef double looked = now()
        if not self.info()["closed"]:
            raise BadArgument("contains: the model is open (%d open edges): it has no inside" % self.info()["open_edges"])
        self.enter()
        try:
            with nogil:
                for i in range(count):
                    status = lf_model_point_inside(self.model, &own, get_point(at, i), &relation, NULL)
                    if status < 0:
                        break
                    inside[i] = relation != LF_RELATION_OUTSIDE
                    if now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise bad_point(status, get_point(at, i), i)
        finally:
            self.leave()
        return found if shape != () else bool(found)

    def ray(self, origins, directions, *, t_min=0.0, t_max=INFINITY, out=None, pose=None):
        """The first hit of each ray: records as of Ground.ray."""
        cdef lf_pose own = pose_of(pose, "pose")
        arrays = [points_of(origins, "origins"), points_of(directions, "directions")]
        ends = [numbers(t_min, "t_min"), numbers(t_max, "t_max")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]] + ends, ["origins", "directions", "t_min", "t_max"])
        cdef cnp.ndarray from_ = packed_points(arrays[0], shape), along = packed_points(arrays[1], shape)
        cdef cnp.ndarray first = flat(ends[0], shape), last = flat(ends[1], shape), found = result_array(out, shape, HIT)
        cdef lf_hit *hits = <lf_hit *>cnp.PyArray_DATA(found)
        cdef int64_t i, count = from_.shape[0]
        cdef lf_status status = LF_OK
        cdef lf_ray ray, local
        cdef double looked = now()
        self.enter()
        try:
            with nogil:
                for i in range(count):
                    ray.origin, ray.direction = get_point(from_, i), get_point(along, i)
                    ray.t_min, ray.t_max = get(first, i), get(last, i)
                    local = ray
                    local.origin = lf_pose_to_local(&own, ray.origin)
                    local.direction = lf_pose_turn_to_local(&own, ray.direction)
                    status = lf_ground_ray_first(lf_model_ground(self.model), &local, hits + i, NULL)
                    if status < 0:
                        break
                    if hits[i].kind != LF_HIT_NONE:
                        hits[i].point = lf_pose_to_world(&own, hits[i].point)
                        hits[i].normal = lf_pose_turn_to_world(&own, hits[i].normal)
                    hide_miss(hits + i)
                    if i % 64 == 63 and now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise bad_ray(status, &ray, i)
        finally:
            self.leave()
        return found.view(np.recarray) if shape != () else found[()]

    def landing(self, Ground ground not None, pose=None):
        """How the model meets a ground in a pose, or in poses: records of touching, under_count (triangles under the ground),
        depth, deepest, surface, triangle. Without depth, deepest and surface are NaN.

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 0.0], [0.0, 0.0]], (10, 0, -5, 0, -10, 15))
        >>> lf.Model(*lf.cube(2.0)).landing(grid, [[5, 5, 3.0], [5, 5, 0.25]]).depth
        array([0.  , 0.75])
        """
        cdef _Poses poses = _Poses(pose, "pose")
        cdef cnp.ndarray found = np.empty(poses.shape, LANDING)
        cdef lf_model_landing *landings = <lf_model_landing *>cnp.PyArray_DATA(found)
        cdef lf_model_stand stand
        cdef int64_t i
        cdef lf_status status = LF_OK
        cdef double looked = now()
        memset(&stand, 0, sizeof(lf_model_stand))
        memset(landings, 0, poses.count * sizeof(lf_model_landing))
        self.enter()
        try:
            ground.enter()
            try:
                stand.model, stand.ground = self.model, ground.ground
                with nogil:
                    for i in range(poses.count):
                        stand.pose = poses.each[i]
                        status = lf_model_land(&stand, landings + i, NULL)
                        if status < 0:
                            break
                        if landings[i].triangle < 0:
                            landings[i].deepest = landings[i].surface = vec(NAN, NAN, NAN)
                        if now() - looked > LOOK:
                            check_signals()
                            looked = now()
                if status < 0:
                    raise _error_of(status, "", i)
            finally:
                ground.leave()
        finally:
            self.leave()
        return found.view(np.recarray) if poses.shape != () else found[()]

    def contact_time(self, Model other not None, pose=None, *, velocity=(0.0, 0.0, 0.0), spin=(0.0, 0.0, 0.0), own_pose=None,
                     own_velocity=(0.0, 0.0, 0.0), double ahead=1.0):
        """Seconds until the models touch, never late; NaN: not within `ahead`.

        velocity, spin: of the other model: metres per second, and radians per second about its origin

        >>> import landfall as lf
        >>> cube = lf.Model(*lf.cube(2.0))
        >>> round(cube.contact_time(cube, [10, 0, 0], velocity=[-4, 0, 0], ahead=5), 5)
        2.0
        """
        cdef lf_moving_model a, b
        cdef lf_contact_result result
        cdef lf_status status
        memset(&a, 0, sizeof(a))
        memset(&b, 0, sizeof(b))
        a.pose, b.pose = pose_of(own_pose, "own_pose"), pose_of(pose, "pose")
        a.velocity, b.velocity = one_point(own_velocity, "own_velocity"), one_point(velocity, "velocity")
        b.spin, b.pivot = one_point(spin, "spin"), b.pose.translation
        self.enter_both(other)
        try:
            a.model, b.model = self.model, other.model
            with nogil:
                status = lf_contact_models(&a, &b, ahead, &result, NULL)
        finally:
            other.leave()
            self.leave()
        if status < 0:
            raise _error_of(status, "contact_time: velocities and spins must be finite, and ahead %r 0 or more" % ahead)
        return result.time if result.meets else NAN


def cube(double size=1.0):
    """Vertices and faces of a cube around the origin, for :class:`Model` and :class:`Mesh`.

    >>> import landfall as lf
    >>> vertices, faces = lf.cube(2)
    >>> vertices.shape, faces.shape
    ((8, 3), (6, 4))
    """
    half = size / 2
    vertices = np.array([[x, y, z] for z in (-half, half) for y in (-half, half) for x in (-half, half)])
    faces = np.array([[0, 2, 3, 1], [4, 5, 7, 6], [0, 1, 5, 4], [2, 6, 7, 3], [0, 4, 6, 2], [1, 3, 7, 5]])
    return vertices, faces
