# Scene: things made of parts that stand and move, and are watched.

EVENT = np.dtype((np.record, [("kind", "i4"), ("watch", "u8"), ("a", "u8"), ("b", "u8"), ("time", "f8"), ("wait", "f8"),
                              ("coarse", "?"), ("ground", "3f8"), ("user", "u8")]))
SCENE_HIT = np.dtype((np.record, [("instance", "u8"), ("t", "f8"), ("point", "3f8"), ("normal", "3f8"), ("element", "i8")]))
_LEVELS = {"boxes": LF_WATCH_BOXES, "parts": LF_WATCH_PARTS, "convex": LF_WATCH_CONVEX, "model": LF_WATCH_MODEL}
_SHAPES = {"box": LF_SHAPE_BOX, "sphere": LF_SHAPE_SPHERE, "cylinder": LF_SHAPE_CYLINDER, "rectangle": LF_SHAPE_RECTANGLE,
           "model": LF_SHAPE_MODEL}


cdef class _Pin:
    """Keeps a ground or model open for as long as something points to it."""
    cdef _Owned owned

    def __cinit__(self, _Owned owned not None):
        owned.pin()
        self.owned = owned

    def __dealloc__(self):
        if self.owned is not None:
            self.owned.leave_pin()


class _Locks:
    """The lock of a scene, and those of the globes that it asks."""

    def __init__(self):
        self.own = threading.RLock()
        self.others, self.held = [], []

    def add(self, lock):
        """From the next time on; always in the same order, so that no two scenes wait for each other."""
        if lock is not None and lock not in self.others:
            self.others = sorted(self.others + [lock], key=id)

    def __enter__(self):
        with contextlib.ExitStack() as taken:
            for lock in [self.own, *self.others]:
                taken.enter_context(lock)
            self.held.append(taken.pop_all())

    def __exit__(self, *error):
        self.held.pop().close()


cdef lf_instance instance_id(uint64_t number):
    cdef lf_instance id
    id.index, id.generation = number & 0xffffffff, number >> 32
    return id


cdef class Scene:
    """Things that stand and move, and standing questions about them.

    Move things, call :meth:`step`, read the events it returns. One thread at a time works on a scene; others wait.

    >>> import landfall as lf
    >>> scene = lf.Scene()
    >>> wall = scene.add(lf.Shape.box(1, 10, 3))
    >>> ball = scene.add(lf.Shape.sphere(0.5), pose=(-9, 0, 0), velocity=(4, 0, 0))
    >>> watch = scene.watch(ball, wall, ahead=1.0)
    >>> for _ in range(3):
    ...     for event in scene.step(1.0):
    ...         print(lf.EventKind(event.kind).name, event.time)
    PREDICTED 2.0
    BEGIN 2.0
    END 3.0
    """
    cdef lf_scene *scene
    cdef _Progress told
    cdef object lock
    cdef list pins
    cdef dict watches
    cdef int asked  # questions to its ground under way, by the thread that holds the lock

    def __cinit__(self, *, double thickness=0.001):
        cdef lf_scene_def definition = lf_scene_def_default()
        cdef lf_error error
        cdef lf_status status
        self.lock = _Locks()
        self.pins = []
        self.watches = {}
        self.told = _Progress(None)
        definition.thickness = thickness
        definition.host.progress = &self.told.hook
        memset(&error, 0, sizeof(lf_error))
        status = lf_scene_create(&definition, &self.scene, &error)
        if status < 0:
            raise_status(status, &error, "Scene")

    def __dealloc__(self):
        lf_scene_destroy(self.scene)

    def close(self):
        """Remove everything, and let go of models and grounds. Every later call raises :class:`Closed`."""
        with self.lock:
            if self.scene is not NULL:
                self.open()
            lf_scene_destroy(self.scene)
            self.scene = NULL
            self.pins = []

    cdef int open(self) except -1:
        if self.scene is NULL:
            raise Closed("Scene: it is closed")
        if self.asked:
            raise BadArgument("Scene: its ground is being asked")
        return 0

    def __len__(self):
        if self.scene is NULL:
            raise Closed("Scene: it is closed")
        return lf_scene_describe(self.scene).instance_count

    def __repr__(self):
        if self.scene is NULL:
            return "<landfall.Scene, closed>"
        cdef lf_scene_stats stats = lf_scene_describe(self.scene)
        return "<landfall.Scene %d instances, %d watches, time %.6g s>" % (stats.instance_count, stats.watch_count,
                                                                           stats.time)

    @property
    def time(self):
        """Seconds of all steps together."""
        if self.scene is NULL:
            raise Closed("Scene: it is closed")
        return lf_scene_describe(self.scene).time

    @property
    def ground(self):
        """The things as a :class:`Ground`, where they are now: heights, rays, lines of sight, viewsheds and all else that grounds
        are asked. It follows the scene. It cannot be a part of a world, be watched, or be followed.

        >>> import landfall as lf
        >>> scene = lf.Scene()
        >>> floor, wall = scene.add(lf.Shape.box(20, 20, 2)), scene.add(lf.Shape.box(1, 20, 8))
        >>> scene.ground.viewshed((-5, 0), height=1, lattice=(-6, 0, 3, 5, 1)).values
        array([[1, 1, 0, 0, 0]], dtype=uint8)
        >>> wall.move((20, 0, 0))
        >>> scene.ground.viewshed((-5, 0), height=1, lattice=(-6, 0, 3, 5, 1)).values
        array([[1, 1, 1, 1, 1]], dtype=uint8)
        """
        cdef SceneGround ground = SceneGround.__new__(SceneGround)
        ground.scene, ground.lock = self, self.lock.own
        with self.lock:
            self.open()
            if lf_scene_ground(self.scene) is NULL:
                raise MemoryError()
            ground.ready(lf_scene_ground(self.scene))
        return ground

    def add(self, shape, *, pose=None, velocity=None, spin=None, scale=(1.0, 1.0, 1.0), name="", uint64_t user=0):
        """Put a thing into the scene, and return it as an :class:`Instance`.

        shape:    a :class:`Shape`, a :class:`Model`, or a sequence of shapes: its parts
        pose:     translation (3) or matrix (4 x 4)
        velocity, spin: metres per second, and radians per second about its origin: the scene carries it. Without them it is
                  moved by the caller, and its velocity is measured
        """
        from landfall._shapes import Instance, Shape
        parts = [shape] if isinstance(shape, (Shape, Model)) else list(shape)
        cdef lf_object_def definition = lf_object_def_default()
        cdef lf_instance_def placed = lf_instance_def_default()
        cdef lf_object object_
        cdef lf_part top
        cdef lf_instance instance
        cdef lf_error error
        cdef bytes label = str(name).encode()
        placed.pose, placed.scale, placed.user = pose_of(pose, "pose"), one_point(scale, "scale"), user
        if velocity is not None or spin is not None:
            placed.motion = LF_MOTION_CARRIED
            placed.velocity = one_point((0, 0, 0) if velocity is None else velocity, "velocity")
            placed.spin = one_point((0, 0, 0) if spin is None else spin, "spin")
        definition.name = label
        memset(&error, 0, sizeof(lf_error))
        with self.lock:
            self.open()
            status = lf_object_create(self.scene, &definition, &object_, &top, &error)
            if status < 0:
                raise_status(status, &error, "add")
            try:
                for k, part in enumerate(parts):
                    self.add_part(top, part if isinstance(part, Shape) else Shape.model(part), k)
                placed.object = object_
                status = lf_instance_create(self.scene, &placed, &instance, &error)
                if status < 0:
                    raise_status(status, &error, "add")
            finally:
                lf_object_remove(self.scene, object_)
        return Instance(self, id_number(instance.index, instance.generation))

    cdef int add_part(self, lf_part above, shape, index) except -1:
        cdef lf_part_def definition = lf_part_def_default()
        cdef lf_transform at
        cdef lf_error error
        cdef bytes tag
        definition.shape.kind = <lf_shape_kind>choice(shape.kind, _SHAPES, "shape")
        definition.shape.size, definition.shape.radius = one_point(shape.size, "size"), one_number(shape.radius, "radius")
        if shape.kind == "model":
            if not isinstance(shape.of, Model):
                raise BadArgument("part %d: expected a Shape or a Model, got %s" % (index, _brief(shape.of)), index)
            self.pins.append(_Pin(shape.of))
            definition.shape.model = (<Model>shape.of).model
        if shape.colour is not None:
            red, green, blue = shape.colour
            definition.colour.red, definition.colour.green, definition.colour.blue = red, green, blue
            definition.colour.opacity = 1
        if shape.tag is not None:
            tag = str(shape.tag).encode()
            definition.tag = tag
        place = one_point(shape.at, "at")
        at = lf_translation(place.x, place.y, place.z)
        definition.transforms, definition.transform_count = &at, 1
        memset(&error, 0, sizeof(lf_error))
        status = lf_part_add(self.scene, above, &definition, NULL, &error)
        if status < 0:
            raise_status(status, &error, "part %d" % index)
        return 0

    def instances(self):
        """The ids of all instances: an array of uint64."""
        cdef int64_t count
        cdef cnp.ndarray ids
        with self.lock:
            self.open()
            count = lf_scene_describe(self.scene).instance_count
            ids = np.empty(count, np.uint64)
            lf_scene_instances(self.scene, <lf_instance *>cnp.PyArray_DATA(ids), count, &count)
        return ids

    def __getitem__(self, uint64_t number):
        from landfall._shapes import Instance
        self._info(number)
        return Instance(self, number)

    def poses(self, ids=None):
        """The poses of instances: matrices (n, 4, 4)."""
        numbers_ = self.instances() if ids is None else ids_of(ids, "ids")
        found = np.zeros((len(numbers_), 4, 4))
        for k, number in enumerate(numbers_):
            found[k] = self._info(number)["pose"]
        return found

    def boxes(self, ids=None):
        """The boxes of instances: (n, 2, 3); NaN of what has no shape."""
        numbers_ = self.instances() if ids is None else ids_of(ids, "ids")
        found = np.empty((len(numbers_), 2, 3))
        for k, number in enumerate(numbers_):
            found[k] = self._box(number)
        return found

    def _info(self, uint64_t number):
        cdef lf_instance_info info
        with self.lock:
            self.open()
            if lf_instance_describe(self.scene, instance_id(number), &info) < 0:
                raise BadArgument("instance %d: there is none, or it has been removed" % number)
            matrix = np.eye(4)
            for k in range(3):
                matrix[k, :3] = (info.pose.rows[k].x, info.pose.rows[k].y, info.pose.rows[k].z)
            matrix[:3, 3] = (info.pose.translation.x, info.pose.translation.y, info.pose.translation.z)
            stance = None
            if info.stance is not NULL:
                stance = np.empty((), STANCE)
                memcpy(cnp.PyArray_DATA(stance), info.stance, sizeof(lf_stance))
                hide_stance(<lf_stance *>cnp.PyArray_DATA(stance), 4)
                stance = stance[()]
            return {"pose": matrix, "velocity": np.array([info.velocity.x, info.velocity.y, info.velocity.z]),
                    "spin": np.array([info.spin.x, info.spin.y, info.spin.z]), "user": info.user, "stance": stance,
                    "name": "" if info.name is NULL else info.name.decode(), "top": id_number(info.top.index,
                                                                                              info.top.generation)}

    def _box(self, uint64_t number):
        cdef lf_instance_info info
        cdef lf_box box
        with self.lock:
            self.open()
            if lf_instance_describe(self.scene, instance_id(number), &info) < 0:
                raise BadArgument("instance %d: there is none, or it has been removed" % number)
            if lf_part_box(self.scene, info.top, &box) < 0 or not box.low.x <= box.high.x:
                return np.full((2, 3), NAN)
        return np.array([[box.low.x, box.low.y, box.low.z], [box.high.x, box.high.y, box.high.z]])

    def _change(self, uint64_t number, str what, *values):
        """Change one instance: remove, pose, jump, move, turn, motion."""
        cdef lf_instance id = instance_id(number)
        cdef lf_pose pose
        cdef lf_status status = LF_OK
        with self.lock:
            self.open()
            if what == "remove":
                status = lf_instance_remove(self.scene, id)
            elif what in ("pose", "jump"):
                pose = pose_of(values[0], "pose")
                status = lf_instance_set_pose(self.scene, id, &pose, what == "jump")
            elif what == "move":
                status = lf_instance_move(self.scene, id, one_point(values[0], "by"))
            elif what == "turn":
                status = lf_instance_turn(self.scene, id, one_point(values[0], "axis"), one_number(values[1], "angle"))
            else:
                motion = LF_MOTION_MEASURED if values[0] is None else LF_MOTION_CARRIED
                velocity, spin = values if values[0] is not None else ((0, 0, 0), (0, 0, 0))
                status = lf_instance_set_motion(self.scene, id, motion, one_point(velocity, "velocity"),
                                                one_point(spin, "spin"), 0)
        if status < 0:
            raise _error_of(status, "%s of instance %d to %s: there must be such an instance, and the numbers must be finite"
                            % (what, number, ", ".join(_brief(v) for v in values)))

    def _follow(self, uint64_t number, Ground ground, double base, double track, double lift, double reach):
        cdef lf_footprint footprint
        cdef lf_status status
        memset(&footprint, 0, sizeof(lf_footprint))
        footprint.count, footprint.reach, footprint.passes = 4, reach, 1
        for k, (x, y) in enumerate(((1, 1), (1, -1), (-1, 1), (-1, -1))):
            footprint.contacts[k].x, footprint.contacts[k].y = x * base / 2, y * track / 2
        if isinstance(ground, SceneGround):
            raise BadArgument("ground: the ground of a scene cannot be followed")
        if ground is not None:
            self.lock.add(ground.lock)
        with self.lock:
            self.open()
            if ground is None:
                status = lf_instance_follow(self.scene, instance_id(number), NULL, NULL, 0)
            else:
                self.pins.append(_Pin(ground))
                status = lf_instance_follow(self.scene, instance_id(number), ground.ground, &footprint, lift)
        if status < 0:
            raise _error_of(status, "instance %d cannot follow: base %r and track %r must be above 0, reach %r 0 or more"
                            % (number, base, track, reach))

    # ---- Watches and steps

    cdef int set_filter(self, lf_watch_filter *filter, side, list texts, str name) except -1:
        from landfall._shapes import Instance
        if side is None:
            filter.kind = LF_WATCH_FILTER_ANYTHING
        elif isinstance(side, Instance):
            filter.kind, filter.instance = LF_WATCH_FILTER_INSTANCE, instance_id(side.id)
        elif isinstance(side, str):
            texts.append(side.encode())
            filter.kind, filter.tag = LF_WATCH_FILTER_TAG, <const char *>(<bytes>texts[len(texts) - 1])
        else:
            raise BadArgument("%s: expected an Instance, a tag, None (anything), or for b a ground, got %s"
                              % (name, _brief(side)))
        return 0

    def watch(self, a=None, b=None, *, double ahead=0.0, level="boxes", bint stay=False, double gap=0.0,
              double slack=0.25, uint64_t user=0):
        """Watch when two things touch, or will touch; returns the watch's id, which events name.

        a, b:  an instance, a tag of parts, None: anything; b may also be a ground
        ahead: seconds: contacts up to so far ahead are predicted
        level: "boxes", "parts", "convex" or "model": how exactly is looked
        stay:  also report at each step that they go on touching
        gap:   metres that they must be apart for an end
        """
        cdef lf_watch_def definition = lf_watch_def_default()
        cdef lf_watch made
        cdef lf_error error
        texts = []
        pin = None
        self.set_filter(&definition.a, a, texts, "a")
        if isinstance(b, SceneGround):
            raise BadArgument("b: the ground of a scene cannot be watched")
        if isinstance(b, Ground):
            pin = _Pin(b)
            self.lock.add((<Ground>b).lock)
            definition.b.kind, definition.ground = LF_WATCH_FILTER_GROUND, (<Ground>b).ground
        else:
            self.set_filter(&definition.b, b, texts, "b")
        definition.precision = <lf_watch_precision>choice(level, _LEVELS, "level")
        definition.ahead, definition.gap, definition.slack, definition.user = ahead, gap, slack, user
        if stay:
            definition.events |= 1 << LF_EVENT_STAY
        memset(&error, 0, sizeof(lf_error))
        with self.lock:
            self.open()
            status = lf_watch_create(self.scene, &definition, &made, &error)
            if status < 0:
                raise_status(status, &error, "watch")
            number = id_number(made.index, made.generation)
            self.watches[number] = pin
        return number

    def unwatch(self, uint64_t watch):
        """End a watch."""
        cdef lf_watch id
        id.index, id.generation = watch & 0xffffffff, watch >> 32
        with self.lock:
            self.open()
            if lf_watch_remove(self.scene, id) < 0:
                raise BadArgument("watch %d: there is none" % watch)
            self.watches.pop(watch, None)

    def step(self, double dt, *, progress=None):
        """Let time pass, and return what happened: a record array.

        dt: seconds, above 0

        Fields: kind (:class:`EventKind`), watch, a, b (ids of instances; 0: ground, or nothing), time and wait (of the
        contact, by the scene's clock, and from now), coarse, ground (the point of the ground; NaN without one), user.
        """
        cdef lf_error error
        cdef lf_status status
        cdef const lf_event *events = NULL
        cdef int64_t count = 0, i
        cdef lf_vec3 at
        cdef _Progress told = _Progress(progress)
        memset(&error, 0, sizeof(lf_error))
        with self.lock:
            self.open()
            self.told.callback, self.told.looked = told.callback, now()
            with nogil:
                status = lf_scene_step(self.scene, dt, &error)
            self.told.end(status, &error, "step")
            self.told.callback = None
            lf_scene_events(self.scene, &events, &count)
            found = np.empty(count, EVENT)
            for i in range(count):
                at = events[i].ground.point if events[i].ground.kind != LF_HIT_NONE else vec(NAN, NAN, NAN)
                found[i] = (events[i].kind, id_number(events[i].watch.index, events[i].watch.generation),
                            id_number(events[i].a.instance.index, events[i].a.instance.generation),
                            id_number(events[i].b.instance.index, events[i].b.instance.generation), events[i].time,
                            events[i].wait, events[i].coarse, (at.x, at.y, at.z), events[i].user)
        return found.view(np.recarray)

    # ---- Rays and culling

    def ray(self, origins, directions, *, t_min=0.0, t_max=INFINITY):
        """The first thing that each ray meets: records of instance (0: none), t, point, normal, element; NaN for a miss."""
        arrays = [points_of(origins, "origins"), points_of(directions, "directions")]
        ends = [numbers(t_min, "t_min"), numbers(t_max, "t_max")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]] + ends, ["origins", "directions", "t_min", "t_max"])
        cdef cnp.ndarray from_ = packed_points(arrays[0], shape), along = packed_points(arrays[1], shape)
        cdef cnp.ndarray first = flat(ends[0], shape), last = flat(ends[1], shape)
        found = np.zeros(shape, SCENE_HIT)
        each = found.reshape(-1)
        cdef lf_hit hit
        cdef lf_part_info info
        cdef lf_ray ray
        cdef lf_status status
        cdef int64_t i
        with self.lock:
            self.open()
            for i in range(from_.shape[0]):
                ray.origin, ray.direction = get_point(from_, i), get_point(along, i)
                ray.t_min, ray.t_max = get(first, i), get(last, i)
                with nogil:
                    status = lf_scene_ray_first(self.scene, &ray, &hit, NULL)
                if status < 0:
                    raise _error_of(status, "ray %d: from %s along %s: must be finite, with a direction that is not zero"
                                    % (i, vec_text(ray.origin), vec_text(ray.direction)), i)
                if lf_part_describe(self.scene, lf_scene_part_of(self.scene, hit.part), &info) != LF_OK:
                    each[i] = (0, NAN, (NAN, NAN, NAN), (NAN, NAN, NAN), -1)
                else:
                    each[i] = (id_number(info.instance.index, info.instance.generation), hit.t,
                               (hit.point.x, hit.point.y, hit.point.z), (hit.normal.x, hit.normal.y, hit.normal.z),
                               hit.element)
        return found.view(np.recarray) if shape != () else found[()]

    def cull(self, eye, *, Ground ground=None):
        """The ids of the instances that an :class:`Eye` may see; ground: what hides them."""
        cdef lf_view view = eye_of(eye)
        cdef lf_cull_rules rules = lf_cull_rules_default()
        cdef lf_scene_cull_result seen
        cdef lf_part_info info
        cdef lf_error error
        cdef lf_status status = LF_PARTIAL
        cdef cnp.ndarray parts = None
        cdef int64_t capacity = 256, i
        if ground is not None:
            ground.enter()
            rules.ground, rules.methods = ground.ground, LF_CULL_PLANES | LF_CULL_GROUND
        memset(&error, 0, sizeof(lf_error))
        memset(&seen, 0, sizeof(lf_scene_cull_result))
        try:
            with self.lock:
                self.open()
                while status == LF_PARTIAL:
                    parts = np.empty(capacity, np.uint64)
                    seen.parts, seen.capacity = <lf_part *>cnp.PyArray_DATA(parts), capacity
                    with nogil:
                        status = lf_scene_cull(self.scene, &view, &rules, &seen, &error)
                    capacity = seen.count
                if status < 0:
                    raise_status(status, &error, "cull")
                found = []
                for i in range(seen.count):
                    lf_part_describe(self.scene, (<lf_part *>cnp.PyArray_DATA(parts))[i], &info)
                    found.append(id_number(info.instance.index, info.instance.generation))
        finally:
            if ground is not None:
                ground.leave()
        return np.array(sorted(set(found)), np.uint64)


cdef class SceneGround(Ground):
    """The things of a scene as ground; see :attr:`Scene.ground`."""
    cdef Scene scene

    def __init__(self):
        raise TypeError("the ground of a scene is Scene.ground")

    cdef int enter(self) except -1:
        Ground.enter(self)
        self.ground = lf_scene_ground(self.scene.scene)
        self.scene.asked += 1
        if self.ground is NULL:
            closed = self.scene.scene is NULL
            self.leave()
            raise Closed("Scene: it is closed") if closed else MemoryError()
        return 0

    cdef void leave(self):
        self.scene.asked -= 1
        Ground.leave(self)

    def __repr__(self):
        return "<landfall.SceneGround of %r>" % self.scene
