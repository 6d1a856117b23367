"""Exceptions and enumerations of landfall."""
from __future__ import annotations

import enum
from typing import Optional


class Error(Exception):
    """Base class of all errors of landfall.

    Attributes:
        status:  the name of the C library's status, such as ``"LF_BAD_ARGUMENT"``
        message: what is wrong, with the offending value
        index:   the index of the offending point, observer, polygon, line ...; None where there is no such place

    >>> import landfall as lf
    >>> grid = lf.Grid([[0.0, 1.0], [2.0, 3.0]])
    >>> try:
    ...     grid.height([0.0, float("nan")], [0.0, 0.0])
    ... except lf.Error as error:
    ...     print(type(error).__name__, error.status, error.index)
    BadArgument LF_BAD_ARGUMENT 1
    """

    status: str = "LF_?"

    def __init__(self, message: str, index: Optional[int] = None) -> None:
        super().__init__(message)
        self.message = message
        self.index = index

    def __str__(self) -> str:
        return self.message

    def __reduce__(self) -> tuple[type, tuple[str, Optional[int]]]:
        return type(self), (self.message, self.index)


class BadArgument(Error, ValueError):
    """An argument is out of its bounds: NaN, a negative range, a wrong shape, an observer without ground."""

    status = "LF_BAD_ARGUMENT"


class Closed(BadArgument):
    """The ground has been closed."""


class NoMemory(Error, MemoryError):
    """Out of memory."""

    status = "LF_NO_MEMORY"


class TooLarge(Error, OverflowError):
    """A size is beyond what can be held."""

    status = "LF_TOO_LARGE"


class IOFailed(Error, OSError):
    """A file could not be read or written."""

    status = "LF_IO_FAILED"


class BadFormat(Error, ValueError):
    """The content of a file is not what its format asks for."""

    status = "LF_BAD_FORMAT"


class BadGeometry(Error, ValueError):
    """Geometry that cannot be ground: NaN vertices, concave or bent polygons."""

    status = "LF_BAD_GEOMETRY"


class Unsupported(Error, NotImplementedError):
    """This build or this format does not offer that."""

    status = "LF_UNSUPPORTED"


class Cancelled(Error):
    """The progress callback returned False."""

    status = "LF_CANCELLED"


class Reason(enum.IntEnum):
    """Why there is no answer."""

    ANSWERED = 0
    OUTSIDE = 1
    HOLE = 2
    NONE = 3
    NOT_LOADED = 4


class Visibility(enum.IntEnum):
    """What a viewshed or a shade says of a sample."""

    HIDDEN = 0
    VISIBLE = 1
    UNKNOWN = 2
    HOLE = 3
    BEYOND = 4


class Verdict(enum.IntEnum):
    """What a line of sight is."""

    CLEAR = 0
    BLOCKED = 1
    UNKNOWN = 2


class WalkEnd(enum.IntEnum):
    """How a walk ended."""

    ARRIVED = 0
    NO_GROUND = 1
    STEP_UP = 2
    STEP_DOWN = 3
