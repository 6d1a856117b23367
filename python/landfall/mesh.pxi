# Mesh: terrain of polygons, and files of landfall's own.

cdef class _Polygons:
    """Polygons as the C library reads them, and the arrays that hold them."""
    cdef lf_polygons polygons
    cdef list keep

    def __init__(self, vertices, faces, users=None, layers=None, sides=None):
        cdef cnp.ndarray points, corners, starts
        self.keep = []
        points = np.ascontiguousarray(points_of(vertices, "vertices"))
        if points.ndim != 2:
            raise BadArgument("vertices: expected (n, 3), got the shape %s" % ((<object>points).shape,))
        corners, starts = self.corners_of(faces)
        self.polygons.vertices = <lf_vec3 *>cnp.PyArray_DATA(points)
        self.polygons.vertex_count = points.shape[0]
        self.polygons.corners = <int64_t *>cnp.PyArray_DATA(corners)
        self.polygons.starts = <int64_t *>cnp.PyArray_DATA(starts)
        self.polygons.polygon_count = starts.shape[0] - 1
        self.keep += [points, corners, starts]
        self.polygons.users = <uint64_t *>self.each(users, np.uint64, "users")
        self.polygons.layers = <uint32_t *>self.each(layers, np.uint32, "layers")
        self.polygons.sides = <uint8_t *>self.each(sides, np.uint8, "sides")

    cdef tuple corners_of(self, faces):
        """Corners and starts: of an array (n, k), or of a sequence of faces of different sizes."""
        if isinstance(faces, np.ndarray) or not hasattr(faces, "__len__") or len(faces) == 0 or (
                all(hasattr(face, "__len__") and len(face) == len(faces[0]) for face in faces)):
            array = np.asarray(faces)
            if array.ndim != 2 or array.dtype.kind not in "iu":
                raise BadArgument("faces: expected whole numbers (n, corners), got %s of the shape %s"
                                  % (array.dtype, array.shape))
            return (np.ascontiguousarray(array, np.int64).reshape(-1),
                    np.arange(array.shape[0] + 1, dtype=np.int64) * array.shape[1])
        parts = [np.asarray(face) for face in faces]
        sizes = [part.size for part in parts]
        for k, part in enumerate(parts):
            if part.ndim != 1 or part.dtype.kind not in "iu":
                raise BadArgument("faces: face %d: expected whole numbers, got %s" % (k, _brief(faces[k])), k)
        return np.concatenate(parts).astype(np.int64), np.concatenate(([0], np.cumsum(sizes))).astype(np.int64)

    cdef void *each(self, values, dtype, str name) except? NULL:
        if values is None:
            return NULL
        cdef cnp.ndarray array = np.ascontiguousarray(values, dtype)
        if (<object>array).shape != (self.polygons.polygon_count,):
            raise BadArgument("%s: expected one for each of %d faces, got the shape %s"
                              % (name, self.polygons.polygon_count, (<object>array).shape))
        self.keep.append(array)
        return cnp.PyArray_DATA(array)


def _faces_of(vertices, faces):
    """Vertices and faces of a trimesh-like object, or as they are."""
    if faces is None:
        if not (hasattr(vertices, "vertices") and hasattr(vertices, "faces")):
            raise BadArgument("faces: needed, unless the first argument has vertices and faces")
        return vertices.vertices, vertices.faces
    return vertices, faces


cdef class Mesh(Ground):
    """Terrain of convex polygons, free to overlap, to overhang and to have holes.

    vertices: points (n, 3); or any object with vertices and faces, such as a trimesh.Trimesh
    faces:    whole numbers (m, corners), or a sequence of faces with different numbers of corners
    users:    a number for each face that hits return; layers: a bit mask likewise
    sides:    1: the face is hit only from its front, 2: from both sides
    gravity:  the direction of down
    tolerance: metres that a corner may be off the plane of its polygon

    >>> import landfall as lf
    >>> mesh = lf.Mesh([[0, 0, 0], [4, 0, 0], [4, 4, 2], [0, 4, 2]], [[0, 1, 2], [0, 2, 3]])
    >>> mesh.height(1.0, 1.0)
    0.5
    """
    cdef lf_mesh *own
    cdef const lf_mesh *mesh
    cdef lf_store *store
    cdef object keep
    cdef readonly list names

    def __init__(self, vertices, faces=None, *, users=None, layers=None, sides=None, gravity=(0.0, 0.0, -1.0),
                 double tolerance=0.001, bint compact=False, progress=None):
        cdef lf_mesh_def definition = lf_mesh_def_default()
        cdef lf_error error
        cdef lf_status status
        cdef _Progress told = _Progress(progress)
        if not self.closed:
            raise TypeError("a Mesh is made once")
        vertices, faces = _faces_of(vertices, faces)
        cdef _Polygons polygons = _Polygons(vertices, faces, users, layers, sides)
        definition.polygons = polygons.polygons
        definition.tolerance, definition.compact = tolerance, compact
        if lf_frame_gravity(one_point(gravity, "gravity"), &definition.frame) < 0:
            raise BadArgument("gravity %s: must be finite and not zero" % (gravity,))
        definition.host.progress = &told.hook
        definition.host.tasks = tasks_now()
        memset(&error, 0, sizeof(lf_error))
        self.keep = told
        with nogil:
            status = lf_mesh_create(&definition, &self.own, &error)
        told.end(status, &error, "Mesh")
        told.callback = None
        self.mesh = self.own
        self.ready(lf_mesh_ground(self.mesh))

    @staticmethod
    cdef Mesh of_store(lf_store *store, how):
        cdef Mesh mesh = Mesh.__new__(Mesh)
        cdef lf_store_info info = lf_store_describe(store)
        mesh.store = store
        mesh.mesh = lf_store_mesh(store)
        mesh.how = how
        mesh.crs = None if info.crs is NULL else info.crs.decode()
        mesh.ready(lf_mesh_ground(mesh.mesh))
        return mesh

    def __dealloc__(self):
        lf_mesh_destroy(self.own)
        lf_store_close(self.store)

    cdef void release(self):
        lf_mesh_destroy(self.own)
        lf_store_close(self.store)
        self.own, self.mesh, self.store = NULL, NULL, NULL
        self.ground = NULL
        self.keep = None

    def info(self):
        """What the C library says of the mesh: a dict."""
        self.enter()
        cdef lf_mesh_info i = lf_mesh_describe(self.mesh)
        self.leave()
        return {"vertices": i.vertex_count, "polygons": i.polygon_count, "triangles": i.triangle_count,
                "walls": i.wall_count, "flat": i.flat_count, "bytes": i.bytes}

    def __repr__(self):
        if self.closed:
            return "<landfall.Mesh, closed>"
        box, info = self.box, self.info()
        return "<landfall.Mesh %d polygons, x %.9g .. %.9g, y %.9g .. %.9g, z %.6g .. %.6g>" % (
            info["polygons"], box[0, 0], box[1, 0], box[0, 1], box[1, 1], box[0, 2], box[1, 2])

    def save(self, path, *, progress=None):
        """Write a .lf file for :func:`open`."""
        cdef lf_store_def definition = lf_store_def_default()
        definition.mesh = self.mesh
        self.enter()
        try:
            write_store(path, &definition, progress)
        finally:
            self.leave()

    def _repr_png_(self):
        from landfall._pictures import relief_png
        return relief_png(self)

    def plot(self, ax=None, **options):
        """Draw shaded relief on Matplotlib axes, and return them."""
        from landfall._pictures import plot_grid
        return plot_grid(self, ax, **options)


def _mesh_of_file(vertices, corners, starts, users, names, how, progress):
    """A mesh of the polygons of a file."""
    sizes = np.diff(starts)
    faces = corners.reshape(-1, sizes[0]) if len(sizes) and (sizes == sizes[0]).all() else np.split(corners, starts[1:-1])
    cdef Mesh mesh = Mesh(vertices, faces, users=users, progress=progress)
    mesh.how = how
    mesh.names = names
    return mesh
