# cython: language_level=3, embedsignature=True, binding=True
# cython: cdivision=True
"""The compiled part of landfall: grounds and their questions, over the public C API."""
cimport cython
cimport numpy as cnp
from cpython.exc cimport PyErr_CheckSignals
from cpython.float cimport PyFloat_AS_DOUBLE, PyFloat_Check
from libc.math cimport INFINITY, NAN, isnan, isfinite
from libc.stdint cimport int32_t, int64_t, uint8_t, uint32_t, uint64_t, SIZE_MAX, UINT32_MAX
from libc.stdlib cimport calloc, free, malloc
from libc.string cimport memcpy, memset, strlen
from posix.time cimport CLOCK_MONOTONIC, clock_gettime, timespec

from landfall.capi cimport *

import contextlib
import os
import sys
import threading

import numpy as np

from landfall import _errors
from landfall._errors import BadArgument, Cancelled, Closed, Error, Reason

cnp.import_array()

include "base.pxi"
include "arrays.pxi"
include "ground.pxi"
include "sight.pxi"
include "rasters.pxi"
include "grid.pxi"
include "mesh.pxi"
include "model.pxi"
include "pairs.pxi"
include "scene.pxi"
include "globe.pxi"
include "world.pxi"
