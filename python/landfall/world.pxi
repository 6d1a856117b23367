# World: several grounds and boxes, each with its own pose, asked as one.

cdef class World(Ground):
    """Several grounds and boxes as one ground: grids, meshes, models, worlds, and at most one globe.

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
    cdef list pins

    def __init__(self, parts, *, gravity=(0.0, 0.0, -1.0)):
        cdef lf_group_def definition = lf_group_def_default()
        cdef lf_group_part *each
        cdef lf_error error
        cdef lf_status status
        cdef cnp.ndarray box
        if not self.closed:
            raise TypeError("a World is made once")
        given = list(parts)
        self.pins = []
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
                    if isinstance(thing, Ground):
                        self.pins.append(_Pin(thing))
                        each[k].ground = (<Ground>thing).ground
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
        self.ready(lf_group_ground(self.group))

    def __dealloc__(self):
        lf_group_destroy(self.group)

    cdef void release(self):
        lf_group_destroy(self.group)
        self.group, self.ground = NULL, NULL
        self.pins = []

    def __len__(self):
        self.enter()
        count = lf_group_count(self.group)
        self.leave()
        return count

    def pose(self, int64_t part):
        """The pose of a part: a matrix (4, 4)."""
        if not 0 <= part < len(self):
            raise BadArgument("part %d: there are %d" % (part, len(self)), part)
        cdef lf_pose pose = lf_group_pose(self.group, part)
        matrix = np.eye(4)
        for k in range(3):
            matrix[k, :3] = (pose.rows[k].x, pose.rows[k].y, pose.rows[k].z)
        matrix[:3, 3] = (pose.translation.x, pose.translation.y, pose.translation.z)
        return matrix

    def move(self, int64_t part, pose):
        """Give a part another pose."""
        cdef lf_pose to = pose_of(pose, "pose")
        self.enter()
        try:
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
            status = lf_group_update(self.group)
        finally:
            self.leave()
        if status < 0:
            raise_status(status, NULL, "update")

    def __repr__(self):
        if self.closed:
            return "<landfall.World, closed>"
        box = self.box
        return "<landfall.World %d parts, x %.9g .. %.9g, y %.9g .. %.9g, z %.6g .. %.6g>" % (
            len(self), box[0, 0], box[1, 0], box[0, 1], box[1, 1], box[0, 2], box[1, 2])
