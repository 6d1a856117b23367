# World: several grounds and boxes, each with its own pose, asked as one.

cdef class World(Ground):
    """Several grounds and boxes as one ground: grids, meshes, models, worlds, and at most one globe. :meth:`open` reads one
    from a file.

    parts: grounds, or pairs (ground, pose); a ground may also be a box, ((low x, y, z), (high x, y, z))
    gravity: the direction of down, for all of it

    Hits name the part. Moving a part costs the same however large it is; no other thread may ask meanwhile.

    >>> import landfall as lf
    >>> plane = lf.Grid([[0.0, 0.0], [0.0, 0.0]], (100, 0, -50, 0, -100, 150))
    >>> world = lf.World([plane, (lf.Model(*lf.cube(2.0)), (5, 5, 1)), ([[0, 0, 0], [1, 1, 4]], (20, 20, 0))])
    >>> world.height([5.0, 20.5, 40.0], [5.0, 20.5, 40.0])
    array([2., 4., 0.])
    >>> world.move(1, (40, 40, 1))
    >>> world.height(40.0, 40.0), int(world.hit(40.0, 40.0).part)
    (2.0, 1)
    """
    cdef lf_group *group
    cdef list pins, grids
    cdef object file
    cdef int64_t part_count

    def __init__(self, parts, *, gravity=(0.0, 0.0, -1.0)):
        cdef lf_group_def definition = lf_group_def_default()
        cdef lf_group_part *each
        cdef lf_error error
        cdef lf_status status
        cdef cnp.ndarray box
        if not self.closed:
            raise TypeError("a World is made once")
        given = list(parts)
        self.pins, self.grids = [], []
        if lf_frame_gravity(one_point(gravity, "gravity"), &definition.frame) < 0:
            raise BadArgument("gravity %s: must be finite and not zero" % (gravity,))
        each = <lf_group_part *>calloc(max(1, len(given)), sizeof(lf_group_part))
        if each is NULL:
            raise MemoryError()
        memset(&error, 0, sizeof(lf_error))
        try:
            for k, part in enumerate(given):
                thing, pose = part if isinstance(part, tuple) and len(part) == 2 else (part, None)
                try:
                    each[k].pose = pose_of(pose, "pose")
                    if isinstance(thing, SceneGround):
                        raise BadArgument("the ground of a scene cannot be a part")
                    if isinstance(thing, Ground):
                        self.pins.append(_Pin(thing))
                        if (<Ground>thing).lock is not None:
                            self.lock, self.ellipsoid = (<Ground>thing).lock, (<Ground>thing).ellipsoid
                        each[k].ground = (<Ground>thing).ground
                        if isinstance(thing, Grid):
                            self.grids.append((k, thing))
                    else:
                        box = boxes_of(thing, "box")
                        each[k].box = (<const lf_box *>cnp.PyArray_DATA(box))[0]
                except BadArgument as failure:
                    raise BadArgument("part %d: %s" % (k, failure), k) from None
            definition.parts, definition.part_count = each, len(given)
            status = lf_group_create(&definition, &self.group, &error)
        finally:
            free(each)
        if status < 0:
            raise_status(status, &error, "World")
        self.part_count = len(given)
        self.ready(lf_group_ground(self.group))

    @classmethod
    def open(cls, path, *, progress=None):
        """Open a world file: rasters, meshes, models, buildings, boxes and a globe as one ground (docs/formats/world.md).

        Hits name the part by its place in the file. The parts stay where the file puts them. On a globe coordinates are
        earth-centred, see :meth:`to_xyz`.

        >>> import landfall as lf, tempfile, os
        >>> with tempfile.TemporaryDirectory() as folder:
        ...     path = os.path.join(folder, "city.world.json")
        ...     text = '{"landfall_world": 1, "parts": [{"box": {"low": [0, 0, 0], "high": [9, 9, 3]}, "place": "own"}]}'
        ...     _ = open(path, "w").write(text)
        ...     world = lf.World.open(path)
        >>> world.height(4.0, 4.0), len(world), world.info()["buildings"]
        (3.0, 1, 0)
        """
        from landfall._open import io_part
        name = os.fspath(path)
        file = io_part("World.open").WorldFile(name, progress)
        about = file.described()
        cdef World world = World.__new__(World)
        world.file = file
        world.pins, world.grids = [], []
        world.how = (os.path.abspath(name), {})
        world.part_count, world.crs = about["parts"], about["crs"]
        if about["globe"]:
            world.lock = threading.RLock()
            world.ellipsoid.radius, world.ellipsoid.flattening = about["ellipsoid"]
        world.ready(<const lf_ground *><size_t>file._address())
        return world

    def __dealloc__(self):
        lf_group_destroy(self.group)

    cdef void release(self):
        lf_group_destroy(self.group)
        self.group, self.ground = NULL, NULL
        self.pins = []
        self.file = None

    cdef _Lattice own_lattice(self):
        """The samples of the first grid in its place."""
        cdef lf_grid_info terrain
        cdef lf_geotransform *place = &terrain.geotransform
        cdef _Lattice lattice
        if self.file is None:
            for k, grid in self.grids:
                if (self.pose(k) == np.eye(4)).all():
                    return (<Grid>grid).lattice
            return None
        if self.lock is not None or not self.file._terrain():
            return None
        terrain = lf_grid_describe(<const lf_grid *><size_t>self.file._terrain())
        lattice = _Lattice()  # the first row is the northernmost, as in files
        lattice.set_place((place.per_column.x, -place.per_row.x, place.origin.x + (terrain.rows - 1) * place.per_row.x,
                           place.per_column.y, -place.per_row.y, place.origin.y + (terrain.rows - 1) * place.per_row.y),
                          terrain.rows, terrain.columns, True)
        lattice.place.geotransform = place[0]
        return lattice

    def info(self):
        """What a world holds: a dict of parts, and of a file also buildings, crs, vertical (the datum of heights as the file
        names it) and globe (is it on one?)."""
        self.enter()
        try:
            return {"parts": self.part_count} if self.file is None else self.file.described()
        finally:
            self.leave()

    def to_xyz(self, lon, lat, height=0.0):
        """Of a world on a globe: earth-centred points (..., 3) of longitudes, latitudes (degrees) and heights."""
        self.needs_globe("to_xyz")
        return centred_of(&self.ellipsoid, lon, lat, height)

    def to_lon_lat(self, points):
        """Of a world on a globe: longitudes, latitudes (degrees) and heights (..., 3) of earth-centred points."""
        self.needs_globe("to_lon_lat")
        return geodetic_of(&self.ellipsoid, points)

    cdef int needs_globe(self, str what) except -1:
        if self.lock is None:
            raise BadArgument("%s: this world is not on a globe" % what)
        return 0

    cdef int needs_group(self, str what) except -1:
        if self.group is NULL:
            raise _errors.Unsupported("%s: the parts of a world file stay where the file puts them" % what)
        return 0

    def __len__(self):
        self.enter()
        self.leave()
        return self.part_count

    def pose(self, int64_t part):
        """The pose of a part: a matrix (4, 4). Not of a file."""
        if not 0 <= part < len(self):
            raise BadArgument("part %d: there are %d" % (part, len(self)), part)
        self.needs_group("pose")
        cdef lf_pose pose = lf_group_pose(self.group, part)
        matrix = np.eye(4)
        for k in range(3):
            matrix[k, :3] = (pose.rows[k].x, pose.rows[k].y, pose.rows[k].z)
        matrix[:3, 3] = (pose.translation.x, pose.translation.y, pose.translation.z)
        return matrix

    def move(self, int64_t part, pose):
        """Give a part another pose. Not of a file."""
        cdef lf_pose to = pose_of(pose, "pose")
        self.enter()
        try:
            self.needs_group("move")
            if self.busy > 1:
                raise BadArgument("part %d: another thread is asking this world" % part, part)
            status = lf_group_set_pose(self.group, part, &to)
        finally:
            self.leave()
        if status < 0:
            raise _error_of(status, "part %d: there are %d, and a globe stays in its place" % (part, len(self)), part)

    def update(self):
        """Take over changes within the parts: a move within a world that is a part."""
        self.enter()
        try:
            self.needs_group("update")
            status = lf_group_update(self.group)
        finally:
            self.leave()
        if status < 0:
            raise_status(status, NULL, "update")

    def __repr__(self):
        if self.closed:
            return "<landfall.World, closed>"
        from landfall._interop import crs_name
        box = self.box
        place = "earth-centred" if self.lock is not None else crs_name(self.crs)
        return "<landfall.World %d parts, x %.9g .. %.9g, y %.9g .. %.9g, z %.6g .. %.6g, %s>" % (
            len(self), box[0, 0], box[1, 0], box[0, 1], box[1, 1], box[0, 2], box[1, 2], place)
