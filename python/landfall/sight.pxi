# Ground: sight, walking and standing.

# Lines in a block; a quarter of it where they are asked for in full.
DEF LINES = 256


cdef struct line_job:
    const lf_ground *ground
    const lf_sight_rules *rules
    const char *a
    const char *b
    ptrdiff_t step_a, step_b
    uint8_t *verdicts  # or sights
    lf_sight *sights


cdef lf_status ask_lines(void *job, int64_t first, int64_t last) nogil:
    cdef line_job *j = <line_job *>job
    cdef const lf_vec3 *a = <const lf_vec3 *>(j.a + first * j.step_a)
    cdef const lf_vec3 *b = <const lf_vec3 *>(j.b + first * j.step_b)
    cdef size_t stride_a = j.step_a if j.step_a else SIZE_MAX, stride_b = j.step_b if j.step_b else SIZE_MAX
    cdef lf_status status
    cdef int64_t i
    if j.sights is NULL:
        return lf_sight_verdicts(j.ground, j.rules, a, stride_a, b, stride_b, last - first, j.verdicts + first, NULL)
    status = lf_sight_many(j.ground, j.rules, a, stride_a, b, stride_b, last - first, j.sights + first, 0, NULL)
    for i in range(first, last):
        if not j.rules.detail:
            j.sights[i].clearance = j.sights[i].clearance_t = j.sights[i].raise_ = j.sights[i].raise_t = NAN
        if not j.rules.detail or j.rules.frequency_mhz == 0:
            j.sights[i].fresnel = j.sights[i].fresnel_t = NAN
    return status


cdef class _Sight(_Ground):
    """Lines of sight, walking and standing; see :class:`Ground`."""

    cdef lf_sight_rules rules(self, curvature, radius, voids) except *:
        """The rules of lines of sight, with the units of the ground."""
        cdef lf_sight_rules rules = lf_sight_rules_default()
        if isinstance(curvature, str):
            if curvature not in _CURVATURES:
                raise BadArgument("curvature: expected a coefficient, or one of %s, got %r"
                                  % (", ".join(sorted(_CURVATURES)), curvature))
            rules.curvature.coefficient = _CURVATURES[curvature]
        else:
            rules.curvature.coefficient = one_number(curvature, "curvature")
        if radius is not None:
            rules.curvature.radius = one_number(radius, "radius")
        if not isfinite(rules.curvature.coefficient):
            raise BadArgument("curvature %r: must be finite" % rules.curvature.coefficient)
        if not (0 < rules.curvature.radius < INFINITY):
            raise BadArgument("radius %r: must be above 0 and finite" % rules.curvature.radius)
        rules.voids = <lf_void_policy>choice(voids, _VOIDS, "voids")
        rules.units = LF_MAP_DEGREES if self.degrees else LF_MAP_METRES
        rules.ellipsoid = self.ellipsoid
        return rules

    def point_above(self, x, y, height=0.0, *, bint reason=False):
        """Points (..., 3) `height` metres above the topmost ground at x, y; NaN where there is no ground.

        The z is rounded up, so that a point 0 m above the ground is never below it. These are the ends that
        :meth:`visible`, :meth:`sight` and :meth:`profile` take.
        reason: also return why there is no ground: (points, reasons)

        >>> import landfall as lf
        >>> lf.Grid([[0.0, 1.0], [2.0, 3.0]]).point_above(0.0, [0, 1], 2)
        array([[0., 0., 2.],
               [0., 1., 4.]])
        """
        arrays = [numbers(x, "x"), numbers(y, "y"), numbers(height, "height")]
        shape = shape_of(arrays, ["x", "y", "height"])
        cdef cnp.ndarray px = flat(arrays[0], shape), py = flat(arrays[1], shape), ph = flat(arrays[2], shape)
        cdef cnp.ndarray points = np.empty(tuple(shape) + (3,)), reasons = np.empty(shape, np.uint8)
        cdef lf_vec3 *point = <lf_vec3 *>cnp.PyArray_DATA(points)
        cdef uint8_t *why = <uint8_t *>cnp.PyArray_DATA(reasons)
        cdef int64_t count = px.shape[0], i
        cdef lf_status status = LF_OK
        cdef lf_reason reason_of
        cdef lf_vec2 at
        cdef double looked = now()
        self.enter()
        try:
            with nogil:
                for i in range(count):
                    at.x = get(px, i)
                    at.y = get(py, i)
                    point[i] = vec(at.x, at.y, NAN)
                    status = lf_sight_observer(self.ground, at, get(ph, i), point + i, &reason_of)
                    if status < 0:
                        break
                    why[i] = <uint8_t>reason_of
                    if i % 1024 == 1023 and now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise _error_of(status, "place %d: %r, %r and the height %r above it: must be finite, on a ground where down "
                                "is -z" % (i, at.x, at.y, float(ph[i])), i)
        finally:
            self.leave()
        return (points, reasons) if reason else points

    def visible(self, a, b, *, curvature="flat", radius=None, voids="unknown", bint reason=False):
        """Can a see b? An array of bool of the shape that a and b broadcast to, or one bool.

        a, b:      points (..., 3) with z above datum, see :meth:`point_above`. Doubles that lie together are borrowed
        curvature: "flat", "light", "radio", or a coefficient: 1 is the bare curvature of the earth
        radius:    of the earth, metres
        voids:     what a void does to a line: "unknown", "pass" or "stop"
        reason:    also return reasons: HOLE where a void makes the answer unknown (visible is False there), else ANSWERED

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
        >>> grid.visible([0, 1, 2], [[2, 1, 2], [2, 1, 9]])
        array([False,  True])
        """
        cdef cnp.ndarray verdicts = self.verdicts_of(a, b, self.rules(curvature, radius, voids))
        cdef uint8_t *verdict = <uint8_t *>cnp.PyArray_DATA(verdicts)
        cdef int64_t count = verdicts.size, i
        reasons = None
        if reason:
            reasons = np.where(np.asarray(verdicts) == LF_VERDICT_UNKNOWN, np.uint8(LF_REASON_HOLE),
                               np.uint8(LF_REASON_ANSWERED))
        with nogil:
            for i in range(count):
                verdict[i] = verdict[i] == LF_VERDICT_CLEAR
        seen = verdicts.view(np.bool_)
        if seen.shape == ():
            seen = bool(seen)
            reasons = Reason(int(reasons)) if reason else None
        return (seen, reasons) if reason else seen

    cdef object verdicts_of(self, a, b, lf_sight_rules rules):
        arrays = [points_of(a, "a"), points_of(b, "b")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]], ["a", "b"])
        cdef cnp.ndarray verdicts = np.empty(shape, np.uint8)
        self.ask_lines(packed_points(arrays[0], shape), packed_points(arrays[1], shape), &rules,
                       <uint8_t *>cnp.PyArray_DATA(verdicts), NULL)
        return verdicts

    cdef int ask_lines(self, cnp.ndarray a, cnp.ndarray b, lf_sight_rules *rules, uint8_t *verdicts, lf_sight *sights) except -1:
        """Verdicts of lines, or sights in full."""
        cdef line_job j
        cdef int64_t refused, i, count = a.shape[0], grain = LINES if sights is NULL else LINES // 4
        cdef lf_verdict one
        cdef lf_status status = LF_BAD_ARGUMENT
        j.rules, j.verdicts, j.sights = rules, verdicts, sights
        j.a, j.step_a = <const char *>cnp.PyArray_DATA(a), cnp.PyArray_STRIDE(a, 0)
        j.b, j.step_b = <const char *>cnp.PyArray_DATA(b), cnp.PyArray_STRIDE(b, 0)
        self.enter()
        try:
            j.ground = self.ground
            refused = ask_all(ask_lines, &j, count, grain, grain)
            if refused >= 0:
                for i in range(refused, min(refused + grain, count)):
                    status = lf_sight_verdict(self.ground, rules, get_point(a, i), get_point(b, i), &one, NULL)
                    if status < 0:
                        raise bad_line(status, get_point(a, i), get_point(b, i), i)
                raise_status(status, NULL, "line")
        finally:
            self.leave()
        return 0

    def sight(self, a, b, *, curvature="flat", radius=None, voids="unknown", double frequency_mhz=0.0, bint detail=True):
        """Lines of sight in full: a record array with the fields of the C library's lf_sight.

        Fields: verdict (:class:`Verdict`), t and point where it is blocked, length, and with detail: clearance,
        clearance_t, raise\\_ (how much higher b would have to be), raise_t; with a frequency: fresnel (least clearance as
        a share of the first zone's radius) and fresnel_t. What was not asked for is NaN.

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 0.0]])
        >>> line = grid.sight([0, 1, 2], [2, 1, 2])
        >>> lf.Verdict(line.verdict).name, line.t, line.clearance
        ('BLOCKED', 0.2, -3.0)
        """
        cdef lf_sight_rules rules = self.rules(curvature, radius, voids)
        rules.detail = detail
        rules.frequency_mhz = frequency_mhz
        if not (0 <= frequency_mhz < INFINITY):
            raise BadArgument("frequency_mhz %r: must be 0 or more, and finite" % frequency_mhz)
        arrays = [points_of(a, "a"), points_of(b, "b")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]], ["a", "b"])
        cdef cnp.ndarray sights = np.empty(shape, SIGHT)
        self.ask_lines(packed_points(arrays[0], shape), packed_points(arrays[1], shape), &rules, NULL,
                       <lf_sight *>cnp.PyArray_DATA(sights))
        return sights.view(np.recarray) if shape != () else sights[()]

    def profile(self, a, b, *, int64_t steps=0, curvature="flat", radius=None, voids="unknown", double frequency_mhz=0.0):
        """The ground under the line from a to b, and the line: a :class:`Profile`.

        a, b:  points (x, y, z), see :meth:`point_above`
        steps: 0: both ends and every break of a grid's surface; else so many equal steps (other grounds need it)

        >>> import landfall as lf
        >>> p = lf.Grid([[0.0, 0.0, 0.0], [0.0, 5.0, 0.0], [0.0, 0.0, 0.0]]).profile([0, 1, 2], [2, 1, 2])
        >>> p.distance, p.ground
        (array([0., 1., 2.]), array([0., 5., 0.]))
        """
        from landfall._raster import Profile
        cdef lf_sight_rules rules = self.rules(curvature, radius, voids)
        cdef lf_vec3 from_ = one_point(a, "a"), to = one_point(b, "b")
        cdef int64_t count = 0, capacity = steps + 1 if steps > 0 else 1024
        cdef cnp.ndarray points = None
        cdef lf_status status = LF_PARTIAL
        if steps < 0 or steps > 1 << 40:
            raise BadArgument("steps %d: must be 0 or more" % steps)
        sight = self.sight(a, b, curvature=curvature, radius=radius, voids=voids, frequency_mhz=frequency_mhz)
        self.enter()
        try:
            while status == LF_PARTIAL:
                points = np.empty(capacity, PROFILE)
                with nogil:
                    status = lf_sight_profile(self.ground, &rules, from_, to, steps,
                                              <lf_profile_point *>cnp.PyArray_DATA(points), capacity, &count)
                capacity = count
            if status < 0:
                if steps == 0:
                    raise _error_of(status, "steps 0: this ground needs a number of steps, 1 or more")
                raise bad_line(status, from_, to, None)
        finally:
            self.leave()
        return Profile(points[:count], sight, a, b, frequency_mhz)

    # ---- Walking and standing

    def walk(self, start, to, *, double step=0.3, drop=None, double crack=0.0, bint path=False):
        """Walk straight from start to `to`, over ground whose steps are no higher than a limit.

        start, to: points (..., 3)
        step:      metres up that it can take at once
        drop:      metres down likewise; as step by default
        crack:     obstacles no longer than this along the way are stepped over
        path:      also return the polyline that was walked, (walk, points): one walk only

        Fields: end (:class:`WalkEnd`), reason, t (0 to 1), position, step (that was refused), element (stood on; -1: none).

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 0.0, 9.0, 9.0], [0.0, 0.0, 9.0, 9.0]], surface="posts")
        >>> walk = grid.walk([0, 0, 0], [3, 0, 0])
        >>> lf.WalkEnd(walk.end).name, walk.position[0], walk.step
        ('STEP_UP', 1.5, 9.0)
        """
        cdef lf_walker walker
        walker.step, walker.crack = step, crack
        walker.drop = step if drop is None else one_number(drop, "drop")
        for name, value in (("step", walker.step), ("drop", walker.drop), ("crack", walker.crack)):
            if not value >= 0:
                raise BadArgument("%s %r: must be 0 or more" % (name, value))
        arrays = [points_of(start, "start"), points_of(to, "to")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]], ["start", "to"])
        if path and shape != ():
            raise BadArgument("path: of one walk only, not of the shape %s" % (shape,))
        cdef cnp.ndarray from_ = packed_points(arrays[0], shape), end = packed_points(arrays[1], shape)
        cdef cnp.ndarray walks = np.empty(shape, WALK), points = None
        cdef int64_t count = from_.shape[0], i
        cdef lf_walk one
        cdef lf_path line
        cdef lf_status status = LF_OK
        cdef double looked = now()
        line.capacity = line.count = 0
        line.points = NULL
        flat_walks = walks.reshape(-1)
        self.enter()
        try:
            for i in range(count):
                with nogil:
                    status = lf_ground_walk(self.ground, &walker, get_point(from_, i), get_point(end, i), &one,
                                            &line if path else NULL, NULL)
                if path and status == LF_PARTIAL:
                    points = np.empty((line.count, 3))
                    line.capacity, line.points = line.count, <lf_vec3 *>cnp.PyArray_DATA(points)
                    status = lf_ground_walk(self.ground, &walker, get_point(from_, i), get_point(end, i), &one, &line, NULL)
                if status < 0:
                    raise bad_line(status, get_point(from_, i), get_point(end, i), i)
                position = (one.position.x, one.position.y, one.position.z)
                flat_walks[i] = (one.end, one.reason, one.t, position if one.ground.kind != LF_HIT_NONE else (NAN, NAN, NAN),
                                 one.step, one.ground.element if one.ground.kind != LF_HIT_NONE else -1)
                if now() - looked > LOOK:
                    PyErr_CheckSignals()
                    looked = now()
        finally:
            self.leave()
        result = walks.view(np.recarray) if shape != () else walks[()]
        return (result, points if points is not None else np.empty((0, 3))) if path else result

    def place(self, points, headings, *, double base=0.0, double track=0.0, contacts=None, rule="fit", double reach=0.0,
              int passes=1):
        """Stand objects on the ground: position, pitch and roll from three or four contacts.

        points:      origins (..., 3), seen along gravity; z may be infinite where gravity is -z
        headings:    forward directions (..., 3)
        base, track: of four wheels: metres between the axles, and between the wheels of an axle
        contacts:    or 3 or 4 places: metres forward and to the left of the origin, (3 or 4, 2)
        rule:        "fit": the plane of least squares; "rest": a stiff frame on three contacts
        reach:       ground up to this far above the point still counts as below a contact
        passes:      1 .. 16: how often the tilt is used to find where tilted wheels are

        Fields: stands, grounded, position, normal, forward, pitch, roll (radians), contacts (hits), gaps. Without a stance
        position, normal, forward, pitch and roll are NaN.

        >>> import landfall as lf
        >>> grid = lf.Grid([[0.0, 1.0], [0.0, 1.0]])
        >>> stance = grid.place([0.5, 0.5, 9], [1, 0, 0], base=0.4, track=0.2)
        >>> round(stance.pitch, 4), stance.position
        (0.7854, array([0.5, 0.5, 0.5]))
        """
        cdef lf_footprint footprint
        cdef int k
        memset(&footprint, 0, sizeof(lf_footprint))
        if contacts is None:
            contacts = [(base / 2, track / 2), (base / 2, -track / 2), (-base / 2, track / 2), (-base / 2, -track / 2)]
        spots = numbers(contacts, "contacts")
        if spots.ndim != 2 or spots.shape[0] not in (3, 4) or spots.shape[1] != 2:
            raise BadArgument("contacts: expected 3 or 4 pairs of numbers, got the shape %s" % (spots.shape,))
        footprint.count = spots.shape[0]
        for k in range(footprint.count):
            footprint.contacts[k].x, footprint.contacts[k].y = spots[k, 0], spots[k, 1]
        footprint.rule = <lf_stand_rule>choice(rule, {"fit": LF_STAND_FIT, "rest": LF_STAND_REST}, "rule")
        footprint.reach, footprint.passes = reach, passes
        arrays = [points_of(points, "points"), points_of(headings, "headings")]
        shape = shape_of([arrays[0][..., 0], arrays[1][..., 0]], ["points", "headings"])
        cdef cnp.ndarray at = packed_points(arrays[0], shape), forward = packed_points(arrays[1], shape)
        cdef cnp.ndarray stances = np.zeros(shape, STANCE)
        cdef lf_stance *stance = <lf_stance *>cnp.PyArray_DATA(stances)
        cdef int64_t count = at.shape[0], i
        cdef lf_status status = LF_OK
        cdef double looked = now()
        self.enter()
        try:
            with nogil:
                for i in range(count):
                    status = lf_ground_stand(self.ground, &footprint, get_point(at, i), get_point(forward, i), stance + i,
                                             NULL)
                    if status < 0:
                        break
                    hide_stance(stance + i, footprint.count)
                    if i % 256 == 255 and now() - looked > LOOK:
                        check_signals()
                        looked = now()
            if status < 0:
                raise _error_of(status, "point %d: %s with the heading %s on the contacts %s (reach %r, passes %d): cannot "
                                "stand" % (i, vec_text(get_point(at, i)), vec_text(get_point(forward, i)), spots.tolist(),
                                           reach, passes), i)
        finally:
            self.leave()
        return stances.view(np.recarray) if shape != () else stances[()]


cdef void hide_stance(lf_stance *stance, int contacts) nogil:
    cdef int k
    for k in range(4):
        hide_miss(stance.contacts + k)
        if stance.contacts[k].kind == LF_HIT_NONE:
            stance.gaps[k] = NAN
    if not stance.stands:
        stance.position = stance.normal = stance.forward = vec(NAN, NAN, NAN)
        stance.pitch = stance.roll = NAN


cdef object bad_line(int status, lf_vec3 a, lf_vec3 b, index):
    if status != LF_BAD_ARGUMENT:
        return _error_of(status, "", index)
    which = "line" if index is None else "line %d" % index
    return _error_of(status, "%s: from %s to %s: must be finite and within 1e30 (with degrees y within 90), without "
                     "curvature where gravity is not one direction" % (which, vec_text(a), vec_text(b)), index)
