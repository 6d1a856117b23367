# Pairs: which of many boxes touch. Culling: which of them an eye can see.

cdef object boxes_of(boxes, str name):
    """Boxes (n, 2, 3) or (n, 6): low and high corners; borrowed where they are packed doubles."""
    array = numbers(boxes, name)
    if array.ndim >= 2 and array.shape[-2:] == (2, 3):
        array = array.reshape(-1, 6) if array.ndim == 3 else array.reshape(1, 6) if array.ndim == 2 else array
    elif array.shape == (6,):
        array = array.reshape(1, 6)
    if array.ndim != 2 or array.shape[1] != 6:
        raise BadArgument("%s: expected boxes (n, 2, 3) or (n, 6), got the shape %s" % (name, array.shape))
    return np.ascontiguousarray(array)


cdef object ids_of(ids, str name):
    array = np.atleast_1d(np.asarray(ids))
    if isinstance(ids, (list, tuple)) and array.dtype.kind == "f":  # what NumPy makes of numbers of several types
        array = np.array([int(number) for number in ids], np.uint64)
    if array.dtype.kind not in "iu" or array.ndim != 1:
        raise BadArgument("%s: expected ids (n), got %s" % (name, _brief(ids)))
    return np.ascontiguousarray(array, np.uint64)


cdef inline uint64_t id_number(uint32_t index, uint32_t generation) nogil:
    return <uint64_t>generation << 32 | index


cdef class Pairs:
    """A set of boxes, some moving and some not, and which of them touch.

    Ids are numbers (uint64). One thread at a time works on a set; others wait.

    >>> import landfall as lf
    >>> pairs = lf.Pairs()
    >>> ids = pairs.add([[[0, 0, 0], [1, 1, 1]], [[0.5, 0, 0], [2, 1, 1]], [[5, 5, 5], [6, 6, 6]]])
    >>> [tuple(ids.searchsorted(pair)) for pair in pairs.find()]
    [(0, 1)]
    >>> pairs.move(ids[2], [0, 0, 0, 9, 9, 9])
    >>> len(pairs.find())
    3
    """
    cdef lf_pairs *pairs
    cdef object lock
    cdef int64_t size

    def __cinit__(self):
        cdef lf_error error
        self.lock = threading.RLock()
        memset(&error, 0, sizeof(lf_error))
        status = lf_pairs_create(NULL, &self.pairs, &error)
        if status < 0:
            raise_status(status, &error, "Pairs")

    def __dealloc__(self):
        lf_pairs_destroy(self.pairs)

    def __len__(self):
        return self.size

    def __repr__(self):
        return "<landfall.Pairs %d boxes>" % self.size

    def add(self, boxes, *, users=None, bint moves=True, uint32_t groups=1, uint32_t meets=0xffffffff):
        """Add boxes, and return their ids.

        moves:  False: they rarely move, and make no pairs with each other
        groups: what they are, a bit per group; meets: which groups they look for
        """
        cdef cnp.ndarray each = boxes_of(boxes, "boxes"), ids = np.empty(each.shape[0], np.uint64)
        cdef const lf_box *box = <const lf_box *>cnp.PyArray_DATA(each)
        cdef lf_pairs_item item = lf_pairs_item_default()
        cdef lf_pairs_id made
        cdef lf_error error
        cdef int64_t i
        item.moves, item.groups, item.meets = moves, groups, meets
        values = None if users is None else np.broadcast_to(np.asarray(users, np.uint64), (each.shape[0],))
        with self.lock:
            for i in range(each.shape[0]):
                memset(&error, 0, sizeof(lf_error))
                item.box = box[i]
                item.user = 0 if values is None else values[i]
                status = lf_pairs_add(self.pairs, &item, &made, &error)
                if status < 0:
                    for done in (<object>ids)[:i]:
                        self.take(done)
                    raise bad_box(status, box[i], i)
                ids[i] = id_number(made.index, made.generation)
                self.size += 1
        return ids

    cdef int take(self, uint64_t number) except -1:
        cdef lf_pairs_id id
        id.index, id.generation = number & 0xffffffff, number >> 32
        if lf_pairs_remove(self.pairs, id) < 0:
            return 1
        self.size -= 1
        return 0

    def move(self, ids, boxes):
        """Set where boxes are now."""
        cdef cnp.ndarray numbers_ = ids_of(ids, "ids"), each = boxes_of(boxes, "boxes")
        cdef int64_t done = 0
        cdef lf_status status
        cdef const lf_pairs_id *id = <const lf_pairs_id *>cnp.PyArray_DATA(numbers_)
        cdef const lf_box *box = <const lf_box *>cnp.PyArray_DATA(each)
        cdef int64_t count = numbers_.shape[0]
        if each.shape[0] != count:
            raise BadArgument("boxes: expected one for each of %d ids, got %d" % (count, each.shape[0]))
        with self.lock:
            with nogil:
                status = lf_pairs_move_many(self.pairs, id, box, count, &done)
        if status < 0:
            raise bad_box(status, box[done], done)

    def remove(self, ids):
        """Remove boxes."""
        with self.lock:
            for k, number in enumerate(ids_of(ids, "ids")):
                if self.take(number):
                    raise BadArgument("id %d: there is no such box" % number, k)

    def find(self):
        """All pairs that touch: ids (n, 2), in a fixed order."""
        cdef lf_pairs_found found
        cdef lf_status status
        with self.lock:
            with nogil:
                status = lf_pairs_find(self.pairs, &found)
            if status < 0:
                raise_status(status, NULL, "find")
            return pairs_array(found.pairs, found.count)

    def changes(self):
        """Pairs that have begun and those that have ended since the last call: two arrays of ids (n, 2)."""
        cdef lf_pairs_changes news
        cdef lf_status status
        with self.lock:
            with nogil:
                status = lf_pairs_report(self.pairs, &news)
            if status < 0:
                raise_status(status, NULL, "changes")
            return pairs_array(news.begun, news.begun_count), pairs_array(news.ended, news.ended_count)

    def overlaps(self, box):
        """The ids of all boxes that share a point with a box."""
        cdef cnp.ndarray one = boxes_of(box, "box"), ids = np.empty(64, np.uint64)
        cdef int64_t count = 0
        cdef lf_status status = LF_PARTIAL
        if one.shape[0] != 1:
            raise BadArgument("box: expected one box, got %d" % one.shape[0])
        with self.lock:
            status = lf_pairs_overlaps(self.pairs, <const lf_box *>cnp.PyArray_DATA(one),
                                       <lf_pairs_id *>cnp.PyArray_DATA(ids), 64, &count)
            if status == LF_PARTIAL:
                ids = np.empty(count, np.uint64)
                status = lf_pairs_overlaps(self.pairs, <const lf_box *>cnp.PyArray_DATA(one),
                                           <lf_pairs_id *>cnp.PyArray_DATA(ids), count, &count)
        if status < 0:
            raise bad_box(status, (<const lf_box *>cnp.PyArray_DATA(one))[0], 0)
        return ids[:count]


cdef object pairs_array(const lf_pair *pairs, int64_t count):
    cdef cnp.ndarray found = np.empty((count, 2), np.uint64)
    cdef uint64_t *ids = <uint64_t *>cnp.PyArray_DATA(found)
    cdef int64_t i
    with nogil:
        for i in range(count):
            ids[2 * i] = id_number(pairs[i].a.index, pairs[i].a.generation)
            ids[2 * i + 1] = id_number(pairs[i].b.index, pairs[i].b.generation)
    return found


cdef object bad_box(int status, lf_box box, index):
    return _error_of(status, "box %d: from %s to %s: must be finite, low at most high, with an id that exists"
                     % (index, vec_text(box.low), vec_text(box.high)), index)


cdef lf_view eye_of(eye) except *:
    cdef lf_view made = lf_view_default()
    made.at, made.forward, made.up = one_point(eye.at, "at"), one_point(eye.forward, "forward"), one_point(eye.up, "up")
    made.across, made.upright = one_number(eye.across, "across"), one_number(eye.upright, "upright")
    made.nearest, made.farthest = one_number(eye.nearest, "nearest"), one_number(eye.farthest, "farthest")
    made.smallest = one_number(eye.smallest, "smallest")
    return made


cdef class Culler:
    """Boxes (n, 2, 3) in a hierarchy made for looking, see :func:`cull`. One thread at a time works on it; others wait."""
    cdef lf_cull *culler
    cdef object lock
    cdef int64_t size

    def __cinit__(self, boxes):
        cdef cnp.ndarray each = boxes_of(boxes, "boxes")
        cdef lf_cull_def definition = lf_cull_def_default()
        cdef lf_error error
        cdef lf_status status
        self.lock = threading.RLock()
        definition.boxes, definition.count = <const lf_box *>cnp.PyArray_DATA(each), each.shape[0]
        definition.host.tasks = tasks_now()
        memset(&error, 0, sizeof(lf_error))
        with nogil:
            status = lf_cull_create(&definition, &self.culler, &error)
        if status < 0:
            raise_status(status, &error, "Culler")
        self.size = each.shape[0]

    def __dealloc__(self):
        lf_cull_destroy(self.culler)

    def __len__(self):
        return self.size

    def move(self, int64_t item, box):
        """Give a box another place."""
        cdef cnp.ndarray one = boxes_of(box, "box")
        with self.lock:
            status = lf_cull_move(self.culler, item, (<const lf_box *>cnp.PyArray_DATA(one))[0])
        if status < 0:
            raise BadArgument("box %d: there are %d, and its corners must be numbers within 1e30" % (item, self.size), item)

    def look(self, eye, *, Ground ground=None, bint exact=False):
        """The numbers of the boxes that may be seen, ascending.

        ground: what hides them; exact: test the boxes against the view volume exactly
        """
        cdef lf_view view = eye_of(eye)
        cdef lf_cull_rules rules = lf_cull_rules_default()
        cdef lf_cull_result seen
        cdef lf_error error
        cdef lf_status status
        cdef cnp.ndarray items = np.empty(self.size, np.int64)
        memset(&error, 0, sizeof(lf_error))
        memset(&seen, 0, sizeof(lf_cull_result))
        seen.items, seen.capacity = <int64_t *>cnp.PyArray_DATA(items), self.size
        rules.ordered = True
        rules.methods = LF_CULL_PLANES | (LF_CULL_VOLUME if exact else 0) | (0 if ground is None else LF_CULL_GROUND)
        if ground is not None:
            ground.enter()
            rules.ground = ground.ground
        try:
            with self.lock:
                with nogil:
                    status = lf_cull_query(self.culler, &view, &rules, &seen, &error)
        finally:
            if ground is not None:
                ground.leave()
        if status < 0:
            raise_status(status, &error, "look")
        return items[:seen.count].copy()


def cull(boxes, eye, *, ground=None, exact=False):
    """The numbers of the boxes (n, 2, 3) that an :class:`Eye` may see: what is left out cannot be seen.

    >>> import landfall as lf
    >>> lf.cull([[[-1, 5, -1], [1, 6, 1]], [[-1, -6, -1], [1, -5, 1]]], lf.Eye(at=(0, 0, 0), forward=(0, 1, 0)))
    array([0])
    """
    return Culler(boxes).look(eye, ground=ground, exact=exact)
