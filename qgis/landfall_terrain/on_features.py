"""Algorithms whose answer is features: lines of sight, profiles, networks, heights and walks."""
import numpy as np
from qgis.core import (NULL, QgsCoordinateTransform, QgsFeature, QgsFeatureSink, QgsField, QgsFields, QgsGeometry, QgsPoint,
                       QgsPointXY, QgsProcessing, QgsProcessingException, QgsProcessingParameterFeatureSink,
                       QgsProcessingParameterFeatureSource, QgsProcessingParameterField, QgsWkbTypes)
from qgis.PyQt.QtCore import QVariant

from . import ground
from .algorithm import Algorithm

KINDS = {float: QVariant.Double, int: QVariant.LongLong, str: QVariant.String}


def fields_of(names, own=None):
    """Fields of an output: those of the input, and new ones."""
    fields = QgsFields(own) if own is not None else QgsFields()
    for name, kind in names.items():
        fields.append(QgsField(name, KINDS[kind]))
    return fields


def number(value):
    """NULL for what has no answer."""
    return NULL if np.isnan(value) else float(value)


class FeatureAlgorithm(Algorithm):
    def sink(self, fields, kind, text="OUTPUT"):
        sink, name = self.parameterAsSink(self.parameters, text, self.context, fields, kind, self.crs)
        if sink is None:
            raise QgsProcessingException(self.invalidSinkError(self.parameters, text))
        return sink, name

    def add_feature(self, sink, fields, geometry, values):
        feature = QgsFeature(fields)
        if geometry is not None:
            feature.setGeometry(geometry)
        feature.setAttributes(values)
        sink.addFeature(feature, QgsFeatureSink.FastInsert)

    def lines(self):
        """Lines of the input in the CRS of the raster: feature and corners (n, 2)."""
        source = self.source("LINES")
        transform = QgsCoordinateTransform(source.sourceCrs(), self.crs, self.context.transformContext())
        total = max(1, source.featureCount())
        for k, feature in enumerate(source.getFeatures()):
            if self.feedback.isCanceled():
                raise QgsProcessingException("cancelled")
            self.feedback.setProgress(100.0 * k / total)
            geometry = feature.geometry()
            if geometry.isNull() or geometry.isEmpty():
                raise QgsProcessingException(f"feature {feature.id()}: has no geometry")
            geometry.transform(transform)
            for line in geometry.asMultiPolyline() if geometry.isMultipart() else [geometry.asPolyline()]:
                yield feature, np.array([(point.x(), point.y()) for point in line])

    def ends(self, where, line, heights):
        """The ends of a line, each so high above the ground."""
        ends = where.point_above(line[:, 0], line[:, 1], heights)
        for place, end in zip(line, ends):
            if np.isnan(end[2]):
                raise QgsProcessingException(f"{place[0]}, {place[1]}: there is no ground")
        return ends


class Sight(FeatureAlgorithm):
    NAME, TITLE, GROUP = "sight", "Line of sight", "Sight"
    HELP = """Whether the end of each line is visible from its start, and which parts of the ground between are: a feature for each visible and hidden part, in order.

Fields: verdict of the line (clear, blocked, unknown), clearance (least metres of the line above ground), part (visible or hidden ground), start and end (metres along the line). Parts that are shorter than the step may be missed. Buildings block sight too; the parts are those of the ground with them."""
    STYLES = {"OUTPUT": "sight.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("LINES", "Lines", [QgsProcessing.TypeVectorLine]))
        self.number("HEIGHT", "Height of the observer, at the first point, above ground, metres", 2.0)
        self.number("TARGET", "Height of the target, at the last point, above ground, metres", 0.0)
        self.number("STEP", "Metres between tested places along the line (empty: the size of a pixel)", None, 1e-6, optional=True)
        self.building_parameters()
        self.sight_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Visible and hidden parts", QgsProcessing.TypeVectorLine))

    def seen_ground(self, where, eye, a, b, share):
        """Is the ground visible at these shares of the line from a to b?"""
        places = a + share[:, None] * (b - a)
        targets = where.point_above(places[:, 0], places[:, 1], 0.0)
        known = np.isfinite(targets[:, 2])
        seen = np.zeros(len(share), bool)
        seen[known] = where.visible(eye, targets[known], **self.rules())
        return seen

    def parts(self, where, eye, a, b, steps):
        """The shares of a line where visible and hidden parts begin, then 1, and whether the first part is visible."""
        share = np.linspace(0, 1, steps)
        seen = self.seen_ground(where, eye, a, b, share)
        turns = np.flatnonzero(seen[1:] != seen[:-1])
        low, high, before = share[turns], share[turns + 1], seen[turns]
        for _ in range(40 if len(turns) else 0):  # where it turns, to a millionth of a millionth of the step
            middle = (low + high) / 2
            same = self.seen_ground(where, eye, a, b, middle) == before
            low, high = np.where(same, middle, low), np.where(same, high, middle)
        return [0.0, *((low + high) / 2).tolist(), 1.0], bool(seen[0])

    def answer(self, package):
        where, rules = self.any_ground(), self.rules()
        source = self.source("LINES")
        fields = fields_of({"verdict": str, "clearance": float, "part": str, "start": float, "end": float}, source.fields())
        sink, name = self.sink(fields, QgsWkbTypes.LineString)
        pixel = np.array([self.layer.rasterUnitsPerPixelX(), 0]), np.array([0, self.layer.rasterUnitsPerPixelY()])
        for feature, line in self.lines():
            a, b = line[0], line[-1]
            ends = self.ends(where, np.array([a, b]), [self.value("HEIGHT"), self.value("TARGET")])
            sight = where.sight(ends[0], ends[1], **rules)
            verdict = package.Verdict(int(sight.verdict)).name.lower()
            length = float(ground.metres(self.crs, [a, b], self.context)[0])
            step = self.given("STEP") or min(float(ground.metres(self.crs, [a, a + side], self.context)[0]) for side in pixel)
            starts, visible = self.parts(where, ends[0], a, b, min(1000000, max(2, int(np.ceil(length / step)) + 1)))
            for start, end in zip(starts[:-1], starts[1:]):
                self.add_feature(sink, fields, QgsGeometry.fromPolylineXY([QgsPointXY(*(a + share * (b - a))) for share in (start, end)]),
                                 feature.attributes() + [verdict, number(sight.clearance), "visible" if visible else "hidden",
                                                         start * length, end * length])
                visible = not visible
        return {"OUTPUT": name}


class Profile(FeatureAlgorithm):
    NAME, TITLE, GROUP = "profile", "Profile", "Sight"
    HELP = """The ground under the line from the first to the last point of each line: a point for every break of the surface, with distance, ground, line (metres) and zone (radius of the first Fresnel zone)."""
    STYLES = {"OUTPUT": "profile.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("LINES", "Lines", [QgsProcessing.TypeVectorLine]))
        self.number("HEIGHT", "Height of the first point above ground, metres", 2.0)
        self.number("TARGET", "Height of the last point above ground, metres", 2.0)
        self.number("FREQUENCY", "Frequency, MHz (0: none)", 0.0, 0.0)
        self.number("STEPS", "Equal steps (0: every break of the surface; 1000 with buildings)", 0, 0)
        self.building_parameters()
        self.sight_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Profile", QgsProcessing.TypeVectorPoint))

    def answer(self, package):
        where, rules = self.any_ground(), self.rules()
        steps = self.whole("STEPS") or (0 if isinstance(where, package.Grid) else 1000)
        source = self.source("LINES")
        fields = fields_of({"distance": float, "ground": float, "line": float, "zone": float}, source.fields())
        sink, name = self.sink(fields, QgsWkbTypes.PointZ)
        for feature, line in self.lines():
            ends = self.ends(where, line[[0, -1]], [self.value("HEIGHT"), self.value("TARGET")])
            profile = where.profile(ends[0], ends[1], steps=steps, frequency_mhz=self.value("FREQUENCY"), **rules)
            places = line[0] + profile.t[:, None] * (line[-1] - line[0])
            for k, (x, y) in enumerate(places):
                z = profile.ground[k]
                self.add_feature(sink, fields, QgsGeometry(QgsPoint(x, y, z)), feature.attributes() + [
                    float(profile.distance[k]), number(z), number(profile.line[k]), number(profile.zone[k])])
        return {"OUTPUT": name}


class Intervisible(FeatureAlgorithm):
    NAME, TITLE, GROUP = "intervisible", "Intervisibility network", "Sight"
    HELP = """Which of many points see one another: a line for each pair that does (or for all pairs), with the positions of both features (from, to), clear (1 or 0) and clearance in metres."""
    STYLES = {"OUTPUT": "network.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("POINTS", "Points", [QgsProcessing.TypeVectorPoint]))
        self.addParameter(QgsProcessingParameterField("HEIGHT_FIELD", "Field with the height above ground", None, "POINTS",
                                                      QgsProcessingParameterField.Numeric, optional=True))
        self.number("HEIGHT", "Height of points without one of their own, metres above ground", 2.0)
        self.number("RANGE", "Greatest distance, metres", None, 0.0, optional=True)
        self.building_parameters()
        self.sight_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Network", QgsProcessing.TypeVectorLine))

    def answer(self, package):
        where = self.any_ground()
        places, features = ground.points_of(self.source("POINTS"), self.crs, self.context)
        field = self.parameterAsString(self.parameters, "HEIGHT_FIELD", self.context)
        ends = self.ends(where, places, ground.heights_of(features, field, self.value("HEIGHT")))
        i, j = np.triu_indices(len(ends), 1)
        far = self.given("RANGE")
        if far is not None:
            near = [ground.metres(self.crs, (places[a], places[b]), self.context)[0] <= far for a, b in zip(i, j)]
            i, j = i[near], j[near]
        fields = fields_of({"from": int, "to": int, "clear": int, "clearance": float})
        sink, name = self.sink(fields, QgsWkbTypes.LineString)
        sights = where.sight(ends[i], ends[j], **self.rules()) if len(i) else []
        for a, b, sight in zip(i.tolist(), j.tolist(), sights):
            line = QgsGeometry.fromPolylineXY([QgsPointXY(*places[a]), QgsPointXY(*places[b])])
            clear = int(sight.verdict) == package.Verdict.CLEAR
            self.add_feature(sink, fields, line, [a, b, int(clear), number(sight.clearance)])
        return {"OUTPUT": name}


class Heights(FeatureAlgorithm):
    NAME, TITLE, GROUP = "heights", "Heights at points", "Ground"
    HELP = """The height of the ground at each point, exact on the surface between samples, as field "ground" and as z; and why there is none (outside, hole)."""
    STYLES = {"OUTPUT": "heights.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("POINTS", "Points", [QgsProcessing.TypeVectorPoint]))
        self.building_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Heights", QgsProcessing.TypeVectorPoint))

    def answer(self, package):
        where, source = self.any_ground(), self.source("POINTS")
        places, features = ground.points_of(source, self.crs, self.context)
        heights, reasons = where.height(places[:, 0], places[:, 1], reason=True)
        fields = fields_of({"ground": float, "reason": str}, source.fields())
        sink, name = self.sink(fields, QgsWkbTypes.PointZ)
        for (x, y), z, reason, feature in zip(places, heights, reasons, features):
            self.add_feature(sink, fields, QgsGeometry(QgsPoint(x, y, z)),
                             feature.attributes() + [number(z), package.Reason(int(reason)).name.lower()])
        return {"OUTPUT": name}


class Walk(FeatureAlgorithm):
    NAME, TITLE, GROUP = "walk", "Walk along lines", "Ground"
    HELP = """How far one can walk along each line, over steps and slopes within limits: the part that was walked, as it lies on the ground.

Fields: walk (arrived, step_up, step_down, no_ground, too_steep, ...), length (metres on the map), path (metres on the ground), climb and descent (metres), steepest (degrees, along the line), step (metres, the one that was refused)."""
    STYLES = {"OUTPUT": "walk.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("LINES", "Lines", [QgsProcessing.TypeVectorLine]))
        self.number("STEP", "Highest step, metres", 0.3, 0.0)
        self.number("DROP", "Highest drop, metres (empty: as the step)", None, 0.0, optional=True)
        self.number("SLOPE", "Steepest slope up or down, degrees (empty: any)", None, 0.0, 90.0, optional=True)
        self.building_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Walks", QgsProcessing.TypeVectorLine))

    def go(self, where, ends):
        """The way along corners, until it ends: points (n, 3) and the last walk."""
        path, walk = [tuple(ends[0])], None
        for a, b in zip(ends[:-1], ends[1:]):
            walk, points = where.walk(path[-1], b, step=self.value("STEP"), drop=self.given("DROP"), path=True)
            path += [tuple(point) for point in points[1:]]
            if walk.t < 1:
                break
        return np.array(path), walk

    def answer(self, package):
        where, source, most = self.any_ground(), self.source("LINES"), self.given("SLOPE")
        fields = fields_of({"walk": str, "length": float, "path": float, "climb": float, "descent": float, "steepest": float,
                            "step": float}, source.fields())
        sink, name = self.sink(fields, QgsWkbTypes.LineStringZ)
        for feature, line in self.lines():
            path, walk = self.go(where, self.ends(where, line, 0.0))
            end = package.WalkEnd(int(walk.end)).name.lower()
            flat, rise = ground.metres(self.crs, path, self.context), np.diff(path[:, 2])
            slopes = np.degrees(np.arctan2(np.abs(rise), flat)) * (flat > 0)  # steps have a limit of their own
            steep = np.flatnonzero(slopes > most) if most is not None else []
            if len(steep):
                end, last = "too_steep", int(steep[0])
                path, flat, rise, slopes = path[:last + 1], flat[:last], rise[:last], slopes[:last]
            geometry = QgsGeometry.fromPolyline([QgsPoint(*point) for point in path]) if len(path) > 1 else None
            self.add_feature(sink, fields, geometry, feature.attributes() + [
                end, float(flat.sum()), float(np.hypot(flat, rise).sum()), float(rise[rise > 0].sum()), float(-rise[rise < 0].sum()),
                float(slopes.max(initial=0.0)), number(walk.step)])
        return {"OUTPUT": name}
