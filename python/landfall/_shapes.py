"""Shapes and instances of scenes, and eyes."""
from __future__ import annotations

import enum
from dataclasses import dataclass, replace
from typing import Any, Optional

import numpy as np

Vector = tuple[float, float, float]


class EventKind(enum.IntEnum):
    """What happened to two things that are watched."""

    BEGIN = 0
    STAY = 1
    END = 2
    PREDICTED = 3
    CLEARED = 4


@dataclass(frozen=True)
class Eye:
    """An eye and what it looks at: angles are whole opening angles in radians, distances along forward in metres.

    >>> import landfall as lf
    >>> lf.Eye(at=(0, 0, 2), forward=(1, 0, 0)).across
    1.5707963267948966
    """

    at: Any = (0.0, 0.0, 0.0)
    forward: Any = (0.0, 1.0, 0.0)
    up: Any = (0.0, 0.0, 1.0)
    across: float = 1.5707963267948966
    upright: float = 1.0471975511965976
    nearest: float = 0.0
    farthest: float = float("inf")
    smallest: float = 0.0


@dataclass(frozen=True)
class Shape:
    """A part of a thing in a :class:`Scene`: made by box, sphere, cylinder, rectangle or model.

    >>> import landfall as lf
    >>> lf.Shape.sphere(0.5).moved(0, 0, 2).coloured(1, 0, 0).tagged("lamp").at
    (0, 0, 2)
    """

    kind: str
    size: Any = (1.0, 1.0, 1.0)
    radius: float = 0.5
    of: Any = None
    at: Any = (0.0, 0.0, 0.0)
    colour: Optional[Any] = None
    tag: Optional[str] = None

    @staticmethod
    def box(x: float, y: float, z: float) -> "Shape":
        """A box around its origin."""
        return Shape("box", size=(x, y, z))

    @staticmethod
    def sphere(radius: float) -> "Shape":
        """A sphere around its origin."""
        return Shape("sphere", radius=radius)

    @staticmethod
    def cylinder(radius: float, length: float) -> "Shape":
        """A cylinder along z around its origin."""
        return Shape("cylinder", size=(1.0, 1.0, length), radius=radius)

    @staticmethod
    def rectangle(x: float, y: float) -> "Shape":
        """A flat rectangle, its front +z."""
        return Shape("rectangle", size=(x, y, 1.0))

    @staticmethod
    def model(model: Any) -> "Shape":
        """A :class:`Model`, which the scene keeps."""
        return Shape("model", of=model)

    def moved(self, x: float, y: float, z: float) -> "Shape":
        """The same shape elsewhere in its thing."""
        return replace(self, at=(x, y, z))

    def coloured(self, red: float, green: float, blue: float) -> "Shape":
        """The same shape in another colour, each 0 .. 1."""
        return replace(self, colour=(red, green, blue))

    def tagged(self, tag: str) -> "Shape":
        """The same shape with a tag, for watches."""
        return replace(self, tag=tag)


class Instance:
    """A thing in a scene, by its id. Made by Scene.add and Scene[id]."""

    def __init__(self, scene: Any, id: int) -> None:
        self.scene = scene
        self.id = int(id)

    def __eq__(self, other: object) -> bool:
        return isinstance(other, Instance) and other.scene is self.scene and other.id == self.id

    def __hash__(self) -> int:
        return hash(self.id)

    def __repr__(self) -> str:
        return f"<landfall.Instance {self.id & 0xffffffff}>"

    @property
    def pose(self) -> Any:
        """Where it is: a matrix (4, 4). Set: it goes straight from where it was, and what it meets on that way is reported."""
        return self.scene._info(self.id)["pose"]

    @pose.setter
    def pose(self, pose: Any) -> None:
        self.scene._change(self.id, "pose", pose)

    @property
    def position(self) -> Any:
        return self.pose[:3, 3]

    @property
    def velocity(self) -> Any:
        """Given or measured, metres per second."""
        return self.scene._info(self.id)["velocity"]

    @property
    def spin(self) -> Any:
        """Radians per second about its origin."""
        return self.scene._info(self.id)["spin"]

    @property
    def box(self) -> Any:
        """Its box in the world: (2, 3)."""
        return self.scene._box(self.id)

    @property
    def user(self) -> int:
        return int(self.scene._info(self.id)["user"])

    @property
    def name(self) -> str:
        return str(self.scene._info(self.id)["name"])

    @property
    def stance(self) -> Any:
        """How it stood when it was last set on its ground; None: it follows none."""
        return self.scene._info(self.id)["stance"]

    def jump(self, pose: Any) -> None:
        """Put it elsewhere, with nothing between."""
        self.scene._change(self.id, "jump", pose)

    def move(self, by: Any) -> None:
        """Move it by a vector."""
        self.scene._change(self.id, "move", by)

    def turn(self, axis: Any, angle: float) -> None:
        """Turn it about its own origin, radians."""
        self.scene._change(self.id, "turn", axis, angle)

    def carry(self, velocity: Optional[Any], spin: Any = (0.0, 0.0, 0.0)) -> None:
        """Let the scene carry it by a velocity and a spin; None: the caller moves it."""
        self.scene._change(self.id, "motion", velocity, spin)

    def follow(self, ground: Any, *, base: float = 1.0, track: float = 1.0, lift: float = 0.0, reach: float = 1.0) -> None:
        """Keep it on a ground, at once and at each step, on four contacts; None: no longer.

        reach: how far the ground may rise from one step to the next
        """
        self.scene._follow(self.id, ground, base, track, lift, reach)

    def remove(self) -> None:
        """Take it out of the scene."""
        self.scene._change(self.id, "remove")
