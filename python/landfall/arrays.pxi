# Array-likes as the C library reads them: borrowed where they can be, copied once where they cannot.

def _struct_dtype(names, formats, offsets, size):
    return np.dtype((np.record, {"names": names, "formats": formats, "offsets": offsets, "itemsize": size}))


cdef lf_hit *h0 = NULL
cdef lf_sight *s0 = NULL
cdef lf_stance *st0 = NULL
cdef lf_horizon *z0 = NULL

HIT = _struct_dtype(
    ["kind", "reason", "t", "point", "normal", "part", "element", "triangle", "level", "u", "v", "resolution", "user",
     "layers", "inner"],
    ["i4", "i4", "f8", "3f8", "3f8", "i8", "i8", "i4", "i4", "f8", "f8", "f8", "u8", "u4", "u4"],
    [<size_t>&h0.kind, <size_t>&h0.reason, <size_t>&h0.t, <size_t>&h0.point, <size_t>&h0.normal, <size_t>&h0.part,
     <size_t>&h0.element, <size_t>&h0.triangle, <size_t>&h0.level, <size_t>&h0.u, <size_t>&h0.v,
     <size_t>&h0.resolution, <size_t>&h0.user, <size_t>&h0.layers, <size_t>&h0.inner], sizeof(lf_hit))

SIGHT = _struct_dtype(
    ["verdict", "t", "point", "length", "clearance", "clearance_t", "raise_", "raise_t", "fresnel", "fresnel_t"],
    ["i4", "f8", "3f8", "f8", "f8", "f8", "f8", "f8", "f8", "f8"],
    [<size_t>&s0.verdict, <size_t>&s0.t, <size_t>&s0.point, <size_t>&s0.length, <size_t>&s0.clearance,
     <size_t>&s0.clearance_t, <size_t>&s0.raise_, <size_t>&s0.raise_t, <size_t>&s0.fresnel, <size_t>&s0.fresnel_t],
    sizeof(lf_sight))

STANCE = _struct_dtype(
    ["stands", "grounded", "position", "normal", "forward", "pitch", "roll", "contacts", "gaps"],
    ["?", "i4", "3f8", "3f8", "3f8", "f8", "f8", (HIT, (4,)), "4f8"],
    [<size_t>&st0.stands, <size_t>&st0.grounded, <size_t>&st0.position, <size_t>&st0.normal, <size_t>&st0.forward,
     <size_t>&st0.pitch, <size_t>&st0.roll, <size_t>&st0.contacts, <size_t>&st0.gaps], sizeof(lf_stance))

HORIZON = _struct_dtype(
    ["reason", "elevation_deg", "distance", "point", "hole"], ["i4", "f8", "f8", "3f8", "?"],
    [<size_t>&z0.reason, <size_t>&z0.elevation_deg, <size_t>&z0.distance, <size_t>&z0.point, <size_t>&z0.hole],
    sizeof(lf_horizon))

WALK = np.dtype((np.record, [("end", "i4"), ("reason", "i4"), ("t", "f8"), ("position", "3f8"), ("step", "f8"),
                             ("element", "i8")]))

PROFILE = np.dtype((np.record, [("t", "f8"), ("distance", "f8"), ("ground", "f8"), ("line", "f8")]))


cdef object numbers(value, str name):
    """An array of doubles: the caller's own where it is one."""
    if isinstance(value, np.ma.MaskedArray) and np.ma.is_masked(value):
        raise BadArgument("%s: masked values cannot be asked about" % name)
    try:
        array = np.asarray(value, dtype=np.float64)
    except (TypeError, ValueError) as error:
        raise BadArgument("%s: expected numbers, got %s (%s)" % (name, _brief(value), error)) from None
    return array


def _brief(value):
    if isinstance(value, np.ndarray):
        return "an array of %s" % value.dtype
    text = repr(value)
    return text if len(text) <= 60 else text[:57] + "..."


cdef object points_of(value, str name):
    """Points as an array (..., 3) of doubles."""
    if hasattr(value, "geoms") or hasattr(value, "geom_type") or hasattr(value, "geometry"):
        from landfall._interop import coordinates
        value = coordinates(value, True)
    array = numbers(value, name)
    if array.ndim == 0 or array.shape[array.ndim - 1] != 3:
        raise BadArgument("%s: expected points of 3 numbers (x, y, z) along the last axis, got the shape %s"
                          % (name, array.shape))
    return array


cdef object shape_of(list arrays, list names):
    """The shape that arrays broadcast to."""
    try:
        return np.broadcast(*arrays).shape if len(arrays) > 1 else arrays[0].shape
    except ValueError:
        raise BadArgument("%s: the shapes %s do not broadcast"
                          % (", ".join(names), " and ".join(str(a.shape) for a in arrays))) from None


cdef object flat(array, shape):
    """An array as one axis, broadcast: a view wherever its strides allow it."""
    return np.broadcast_to(array, shape).reshape(-1)


cdef object packed_points(array, shape):
    """Points (shape + (3,)) as one axis of points that lie together: a view with one stride where that is possible."""
    cdef object view = np.broadcast_to(array, tuple(shape) + (3,)).reshape(-1, 3)
    if view.shape[0] and (view.strides[1] != 8 or view.strides[0] < 0 or view.strides[0] % 8 or not view.flags.aligned):
        view = np.ascontiguousarray(view)
    return view


cdef object result_array(out, shape, dtype):
    """The array that takes the answers: a new one, or the caller's."""
    if out is None:
        return np.empty(shape, dtype)
    if not isinstance(out, np.ndarray) or out.dtype != dtype or out.shape != tuple(shape) or not out.flags.carray:
        about = "%s of the shape %s" % (out.dtype, out.shape) if isinstance(out, np.ndarray) else _brief(out)
        name = np.dtype(dtype).name if np.dtype(dtype).names is None else "records"
        raise BadArgument("out: expected a writeable C-contiguous array of %s of the shape %s, got %s" % (name, tuple(shape), about))
    return out.view(np.ndarray)


cdef inline double get(cnp.ndarray array, int64_t i) nogil:
    return (<double *>(<char *>cnp.PyArray_DATA(array) + i * cnp.PyArray_STRIDE(array, 0)))[0]


cdef inline lf_vec3 get_point(cnp.ndarray array, int64_t i) nogil:
    return (<lf_vec3 *>(<char *>cnp.PyArray_DATA(array) + i * cnp.PyArray_STRIDE(array, 0)))[0]


cdef lf_vec3 one_point(value, str name) except *:
    cdef cnp.ndarray array = np.ascontiguousarray(points_of(value, name))
    if array.size != 3:
        raise BadArgument("%s: expected one point (x, y, z), got the shape %s" % (name, (<object>array).shape))
    return (<lf_vec3 *>cnp.PyArray_DATA(array))[0]


cdef double one_number(value, str name) except? -1.25:
    try:
        return float(value)
    except (TypeError, ValueError):
        raise BadArgument("%s: expected a number, got %s" % (name, _brief(value))) from None


cdef int choice(value, dict choices, str name) except -1:
    found = choices.get(value) if isinstance(value, str) else None
    if found is None:
        raise BadArgument("%s: expected one of %s, got %s" % (name, ", ".join(sorted(choices)), _brief(value)))
    return found


cdef str vec_text(lf_vec3 p):
    return "(%r, %r, %r)" % (p.x, p.y, p.z)


cdef lf_pose pose_of(value, str name) except *:
    """A rigid pose: a matrix of 3 x 4 or 4 x 4, or a translation."""
    cdef lf_pose pose = lf_pose_identity()
    if value is None:
        return pose
    array = numbers(value, name)
    if array.shape == (3,):
        pose.translation = vec(array[0], array[1], array[2])
    elif array.shape == (4, 4) or array.shape == (3, 4):
        for k in range(3):
            pose.rows[k] = vec(array[k, 0], array[k, 1], array[k, 2])
        pose.translation = vec(array[0, 3], array[1, 3], array[2, 3])
        if array.shape[0] == 4 and tuple(array[3]) != (0.0, 0.0, 0.0, 1.0):
            raise BadArgument("%s: the last row must be 0, 0, 0, 1, not %s" % (name, array[3]))
    else:
        raise BadArgument("%s: expected a translation (3), or a matrix of 4 x 4 or 3 x 4, got the shape %s"
                          % (name, array.shape))
    if not lf_pose_rigid(&pose):
        raise BadArgument("%s: must be rigid (a rotation without scale or mirror, finite), got %s"
                          % (name, array.tolist()))
    return pose
