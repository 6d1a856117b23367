# Errors, threads, progress and interrupts: what every question needs.

_STATUS_CLASSES = {LF_BAD_ARGUMENT: _errors.BadArgument, LF_NO_MEMORY: _errors.NoMemory,
                   LF_TOO_LARGE: _errors.TooLarge, LF_IO_FAILED: _errors.IOFailed,
                   LF_BAD_FORMAT: _errors.BadFormat, LF_BAD_GEOMETRY: _errors.BadGeometry,
                   LF_UNSUPPORTED: _errors.Unsupported, LF_CANCELLED: _errors.Cancelled}


def _error_of(int status, str text, index=None):
    """The exception of a status of the C library."""
    message = text or lf_status_text(<lf_status>status).decode()
    kind = _STATUS_CLASSES.get(status, Error)
    return kind(message, None if index is None or index < 0 else int(index))


cdef void raise_status(int status, lf_error *error, str what) except *:
    """Raise what a C call reported; `what` names the call where it has no text of its own."""
    cdef str text = ""
    index = None
    if error is not NULL and error.text[0] != 0:
        text = (<bytes>error.text).decode("utf-8", "replace")
        index = error.where
    else:
        text = what + ": " + lf_status_text(<lf_status>status).decode()
    raise _error_of(status, text, index)


def version():
    """The version of the C library, such as ``"0.2.0"``."""
    return lf_version().decode()


def instruction_set():
    """The instruction set that the C library uses here: ``"scalar"``, ``"avx2"`` or ``"avx512"``."""
    return lf_isa_name(lf_isa_best()).decode()


# ---- Threads

cdef lf_tasks the_tasks = lf_tasks_openmp(0)
cdef int thread_count = the_tasks.workers
cdef bint forked = False


def set_threads(int count=0):
    """Set how many threads the calls of this process use, and return how many they used before.

    count: 0 means all cores (or ``OMP_NUM_THREADS``). Answers do not depend on it, bit for bit.

    >>> import landfall as lf
    >>> before = lf.set_threads(1)
    >>> lf.set_threads(before)
    1
    """
    global the_tasks, thread_count
    if count < 0:
        raise BadArgument("threads %d: must be 0 or more" % count)
    before = thread_count
    the_tasks = lf_tasks_openmp(count)
    thread_count = the_tasks.workers
    return before


cdef const lf_tasks *tasks_now() nogil:
    """The parallel loop, or NULL for one thread: OpenMP does not survive a fork."""
    return NULL if forked or thread_count == 1 else &the_tasks


def _tasks():
    """The address of the parallel loop, for landfall._io."""
    return <size_t>tasks_now()


cdef const lf_tasks *tasks_for(int64_t count, int64_t worth) nogil:
    """The parallel loop for work that is worth it: waking threads takes some microseconds, on a busy machine many."""
    return NULL if count < worth else tasks_now()


def _after_fork():
    global forked
    forked = True


os.register_at_fork(after_in_child=_after_fork)


# ---- Time, interrupts, progress

cdef double now() nogil:
    cdef timespec t
    clock_gettime(CLOCK_MONOTONIC, &t)
    return t.tv_sec + 1e-9 * t.tv_nsec


# Seconds between two looks for Ctrl-C.
DEF LOOK = 0.03


cdef bint check_signals() nogil except False:
    with gil:
        PyErr_CheckSignals()
    return True


cdef class _Progress:
    """Progress of one call: the C library's hook, a callback or a bar, and Ctrl-C."""
    cdef lf_progress hook
    cdef object callback, failure
    cdef double looked

    def __cinit__(self, progress=None):
        self.hook.user = <void *>self
        self.hook.report = progress_report
        self.callback = None
        self.looked = now()
        if progress is True:
            self.callback = _Bar()
        elif progress is None or progress is False:
            pass
        elif callable(progress):
            self.callback = progress
        else:
            raise TypeError("progress must be True, False, None or a function (stage, done, total), not %r" % (progress,))
        if self.callback is not None:
            self.looked = 0  # the first report is told at once

    def _address(self):
        """Of the hook, for landfall._io."""
        return <size_t>&self.hook

    def _end(self, int status, str text, index, str what):
        """As end(), for landfall._io."""
        try:
            self.end(0, NULL, what)
        finally:
            self.callback = None
        if status < 0:
            raise _error_of(status, text or what + ": " + lf_status_text(<lf_status>status).decode(), index)

    cdef bint report(self, const char *stage, int64_t done, int64_t total) nogil:
        cdef double time = now()
        if time - self.looked < LOOK and done != total:
            return True
        self.looked = time
        with gil:
            return self.told(stage, done, total)

    cdef bint told(self, const char *stage, int64_t done, int64_t total):
        try:
            PyErr_CheckSignals()
            if self.callback is not None and self.callback(stage.decode(), done, total) is False:
                return False
        except BaseException as failure:
            self.failure = failure
            return False
        return True

    cdef void end(self, int status, lf_error *error, str what) except *:
        """Close the bar, and raise what went wrong."""
        if isinstance(self.callback, _Bar):
            self.callback.close()
        failure = self.failure
        if failure is not None:
            self.failure = None
            raise failure
        if status < 0:
            raise_status(status, error, what)


cdef cbool progress_report(void *user, const char *stage, int64_t done, int64_t total) nogil:
    return (<_Progress>user).report(stage, done, total)


# ---- Batches: blocks of questions on all threads, with looks for Ctrl-C between them

cdef extern from * nogil:
    """
    /* The least of what several threads store. */
    static inline void store_least(int64_t *at, int64_t value) {
        int64_t old = __atomic_load_n(at, __ATOMIC_RELAXED);
        while (value < old && !__atomic_compare_exchange_n(at, &old, value, 1, __ATOMIC_RELAXED, __ATOMIC_RELAXED)) {}
    }
    static inline int64_t load_least(const int64_t *at) { return __atomic_load_n(at, __ATOMIC_RELAXED); }
    """
    void store_least(int64_t *at, int64_t value)
    int64_t load_least(const int64_t *at)

# Asks the questions first <= i < last on the calling thread; a status below 0: one of them was refused.
ctypedef lf_status (*ask_block)(void *job, int64_t first, int64_t last) nogil

cdef struct batch:
    ask_block ask
    void *job
    void *told
    int64_t count
    int64_t refused  # first question of the first block with a refused one; count: none
    int64_t stopped  # 0: skip what is left


cdef void ask_one_block(void *job, int64_t first, int64_t last, int worker) nogil:
    cdef batch *b = <batch *>job
    if load_least(&b.stopped) == 0 or first > load_least(&b.refused):
        return
    if b.ask(b.job, first, last) < 0:
        store_least(&b.refused, first)
    if worker == 0 and not (<_Progress>b.told).report("", first, b.count):
        store_least(&b.stopped, 0)


cdef int64_t ask_all(ask_block ask, void *job, int64_t count, int64_t grain, int64_t worth) except -2:
    """Ask count questions in blocks of grain, on all threads from `worth` on. Returns the first question of the first block
    with a refused one, or -1. The calling thread looks for Ctrl-C after each of its blocks, without ending the loop: all
    threads stay at work."""
    cdef batch b
    cdef const lf_tasks *tasks = tasks_for(count, worth)
    cdef int64_t first = 0
    cdef _Progress told = None
    if count <= grain:
        with nogil:
            first = 0 if count == 0 or ask(job, 0, count) >= 0 else -1
        return -1 if first == 0 else 0
    told = _Progress()
    b.ask, b.job, b.told, b.count, b.refused, b.stopped = ask, job, <void *>told, count, count, 1
    with nogil:
        if tasks is not NULL:
            tasks.run(tasks.user, count, grain, ask_one_block, &b)
        else:
            while first < count:
                ask_one_block(&b, first, min(first + grain, count), 0)
                first += grain
    told.end(0, NULL, "")
    return -1 if b.refused == count else b.refused


class _Bar:
    """A progress bar on stderr: of a terminal, or of a notebook, where a carriage return also rewrites the line."""

    def __init__(self, stream=None):
        self.stream = sys.stderr if stream is None else stream
        self.width = 0

    def __call__(self, stage, done, total):
        share = min(1.0, done / total) if total > 0 else 0.0
        full = int(30 * share)
        text = "%-10s [%s%s] %3d %%" % (stage, "#" * full, "." * (30 - full), int(100 * share))
        self.stream.write("\r" + text.ljust(self.width))
        self.width = len(text)
        self.stream.flush()

    def close(self):
        if self.width:
            self.stream.write("\r" + " " * self.width + "\r")
            self.stream.flush()


cdef inline lf_vec3 vec(double x, double y, double z) nogil:
    cdef lf_vec3 v
    v.x = x
    v.y = y
    v.z = z
    return v


cdef class _Owned:
    """What a C object stands behind: it can be closed, also while other threads ask it."""
    cdef bint closed
    cdef int busy
    cdef object lock  # the lock of the globe that it is, or is made of: questions of one globe wait for each other; or None
    cdef object __weakref__

    def __cinit__(self, *args, **kwargs):
        self.closed = True

    cdef void release(self):
        """Free what it holds; of each kind."""
        pass

    cdef int pin(self) except -1:
        """It stays open until leave_pin()."""
        if self.closed:
            raise Closed("%s: it is closed" % type(self).__name__)
        self.busy += 1
        return 0

    cdef void leave_pin(self):
        self.busy -= 1
        if self.closed and self.busy == 0:
            self.release()

    cdef int enter(self) except -1:
        """A question begins: it stays open, and where it needs its turn it has it, until leave()."""
        if self.lock is None:
            return self.pin()
        self.lock.acquire()
        try:
            return self.pin()
        except Closed:
            self.lock.release()
            raise

    cdef void leave(self):
        lock = self.lock
        self.leave_pin()
        if lock is not None:
            lock.release()

    def close(self):
        """Free its memory. Every question then raises :class:`Closed`."""
        if self.closed:
            return
        self.closed = True
        if self.busy == 0:
            self.release()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    @property
    def is_closed(self):
        """Has it been closed?"""
        return bool(self.closed)
