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
        sink, name = self.parameterAsSink(self.parameters, text, self.context, fields, kind, self.layer.crs())
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
        transform = QgsCoordinateTransform(source.sourceCrs(), self.layer.crs(), self.context.transformContext())
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

Fields: verdict of the line (clear, blocked, unknown), clearance (least metres of the line above ground), part (visible or hidden ground), start and end (metres along the line). Buildings block sight too; the parts are those of the ground with them."""
    STYLES = {"OUTPUT": "sight.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("LINES", "Lines", [QgsProcessing.TypeVectorLine]))
        self.number("HEIGHT", "Height of the observer, at the first point, above ground, metres", 2.0)
        self.number("TARGET", "Height of the target, at the last point, above ground, metres", 0.0)
        self.number("STEP", "Metres between tested places along the line (empty: the size of a pixel)", None, 1e-6, optional=True)
        self.building_parameters()
        self.sight_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Visible and hidden parts", QgsProcessing.TypeVectorLine))

    def answer(self, package):
        where, rules = self.any_ground(), self.rules()
        step = self.given("STEP") or min(self.layer.rasterUnitsPerPixelX(), self.layer.rasterUnitsPerPixelY())
        source = self.source("LINES")
        fields = fields_of({"verdict": str, "clearance": float, "part": str, "start": float, "end": float}, source.fields())
        sink, name = self.sink(fields, QgsWkbTypes.LineString)
        for feature, line in self.lines():
            a, b = line[0], line[-1]
            ends = self.ends(where, np.array([a, b]), [self.value("HEIGHT"), self.value("TARGET")])
            sight = where.sight(ends[0], ends[1], **rules)
            verdict = package.Verdict(int(sight.verdict)).name.lower()
            length = float(np.hypot(*(b - a)))
            steps = min(1000000, max(2, int(np.ceil(length / step)) + 1))
            share = np.linspace(0, 1, steps)
            places = a + share[:, None] * (b - a)
            targets = where.point_above(places[:, 0], places[:, 1], 0.0)
            known = np.isfinite(targets[:, 2])
            seen = np.zeros(steps, bool)
            seen[known] = where.visible(ends[0], targets[known], **rules)
            first = 0
            for k in range(1, steps):
                if k < steps - 1 and seen[k] == seen[first]:
                    continue
                last = k if k == steps - 1 else k - 1
                far = places[last if last > first else k]
                self.add_feature(sink, fields, QgsGeometry.fromPolylineXY([QgsPointXY(*places[first]), QgsPointXY(*far)]),
                                 feature.attributes() + [verdict, number(sight.clearance), "visible" if seen[first] else "hidden",
                                                         float(share[first] * length), float(np.hypot(*(far - a)))])
                first = k
        return {"OUTPUT": name}


class Profile(FeatureAlgorithm):
    NAME, TITLE, GROUP = "profile", "Profile", "Sight"
    HELP = """The ground under the line from the first to the last point of each line: a point for every break of the surface, with distance, ground, line (metres) and zone (radius of the first Fresnel zone)."""

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
        places, features = ground.points_of(self.source("POINTS"), self.layer.crs(), self.context)
        field = self.parameterAsString(self.parameters, "HEIGHT_FIELD", self.context)
        ends = self.ends(where, places, ground.heights_of(features, field, self.value("HEIGHT")))
        i, j = np.triu_indices(len(ends), 1)
        far = self.given("RANGE")
        if far is not None:
            near = np.hypot(*(places[i] - places[j]).T) <= far
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

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("POINTS", "Points", [QgsProcessing.TypeVectorPoint]))
        self.building_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Heights", QgsProcessing.TypeVectorPoint))

    def answer(self, package):
        where, source = self.any_ground(), self.source("POINTS")
        places, features = ground.points_of(source, self.layer.crs(), self.context)
        heights, reasons = where.height(places[:, 0], places[:, 1], reason=True)
        fields = fields_of({"ground": float, "reason": str}, source.fields())
        sink, name = self.sink(fields, QgsWkbTypes.PointZ)
        for (x, y), z, reason, feature in zip(places, heights, reasons, features):
            self.add_feature(sink, fields, QgsGeometry(QgsPoint(x, y, z)),
                             feature.attributes() + [number(z), package.Reason(int(reason)).name.lower()])
        return {"OUTPUT": name}


class Walk(FeatureAlgorithm):
    NAME, TITLE, GROUP = "walk", "Walk along lines", "Ground"
    HELP = """How far one can walk along each line over steps that are no higher than a limit: the part that was walked, with end (arrived, step_up, ...), length (metres on the map) and step (metres, the one that was refused)."""

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("LINES", "Lines", [QgsProcessing.TypeVectorLine]))
        self.number("STEP", "Highest step, metres", 0.3, 0.0)
        self.number("DROP", "Highest drop, metres (empty: as the step)", None, 0.0, optional=True)
        self.building_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Walks", QgsProcessing.TypeVectorLine))

    def answer(self, package):
        where, source = self.any_ground(), self.source("LINES")
        fields = fields_of({"walk": str, "length": float, "step": float}, source.fields())
        sink, name = self.sink(fields, QgsWkbTypes.LineStringZ)
        for feature, line in self.lines():
            ends = self.ends(where, line, 0.0)
            path, walk = [tuple(ends[0])], None
            for a, b in zip(ends[:-1], ends[1:]):
                walk, points = where.walk(path[-1], b, step=self.value("STEP"), drop=self.given("DROP"), path=True)
                path += [tuple(point) for point in points[1:]]
                if walk.t < 1:
                    break
            flat = np.array(path)[:, :2]
            self.add_feature(sink, fields, QgsGeometry.fromPolyline([QgsPoint(*point) for point in path]),
                             feature.attributes() + [package.WalkEnd(int(walk.end)).name.lower(),
                                                     float(np.hypot(*np.diff(flat, axis=0).T).sum()), number(walk.step)])
        return {"OUTPUT": name}
