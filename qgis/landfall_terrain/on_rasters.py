"""Algorithms whose answer is a raster."""
import numpy as np
from qgis.core import (QgsProcessing, QgsProcessingException, QgsProcessingParameterDateTime, QgsProcessingParameterEnum,
                       QgsProcessingParameterFeatureSink, QgsProcessingParameterFeatureSource, QgsProcessingParameterField,
                       QgsProcessingParameterPoint, QgsProcessingParameterRasterDestination, QgsFeature, QgsField, QgsFields,
                       QgsGeometry, QgsPointXY, QgsWkbTypes, QgsFeatureSink)
from qgis.PyQt.QtCore import QVariant, Qt

from . import ground
from .algorithm import SURFACES, Algorithm

MODES = ["visible", "ground", "dem", "angle", "distance"]
TOTAL_VALUES = ["area", "mean", "longest", "open", "inside"]
NAN = float("nan")


TARGET_ON = ["roofs", "the ground"]


class RasterAlgorithm(Algorithm):
    def output(self, text):
        self.building_parameters()
        self.advanced(QgsProcessingParameterEnum("TARGET_ON", "With buildings, heights of targets are above", TARGET_ON,
                                                 defaultValue=0))
        self.addParameter(QgsProcessingParameterRasterDestination("OUTPUT", text))

    def ground_and_grid(self, **options):
        """What is asked, the grid on whose samples, and the options that say so."""
        grid = self.grid(**options)
        if self.parameters.get("BUILDINGS") is None:
            return grid, grid, {}
        on = ["top", "ground"][self.parameterAsEnum(self.parameters, "TARGET_ON", self.context)]
        return self.any_ground(), grid, {"lattice": grid, "target_on": on}

    def limits(self):
        """Range and azimuth, of viewsheds."""
        self.number("RANGE_MIN", "Least distance, metres", 0.0, 0.0)
        self.number("RANGE_MAX", "Greatest distance, metres", None, 0.0, optional=True)
        self.number("AZIMUTH_FROM", "Azimuth from, degrees clockwise from north", None, optional=True)
        self.number("AZIMUTH_TO", "Azimuth to", None, optional=True)
        self.north_parameter()

    def limit_options(self, place):
        far = self.given("RANGE_MAX")
        azimuths = self.given("AZIMUTH_FROM"), self.given("AZIMUTH_TO")
        if (azimuths[0] is None) != (azimuths[1] is None):
            raise QgsProcessingException("AZIMUTH_FROM, AZIMUTH_TO: both or neither must be given")
        return {"range": (self.value("RANGE_MIN"), np.inf if far is None else far),
                "azimuth": None if azimuths[0] is None else tuple(a + self.north(place) for a in azimuths)}

    def codes(self, values):
        """Codes of visibility as the command writes them, in place: 255 is no data."""
        np.putmask(values, values > 2, 255)
        return values


class Viewshed(RasterAlgorithm):
    NAME, TITLE, GROUP = "viewshed", "Viewshed", "Sight"
    HELP = """What can be seen from a place, exact for every sample of the raster.

visible: 1 visible, 0 hidden, 2 unknown (a void in the way), 255 no data. ground: least height above ground that would be visible. dem: the same above datum. angle: degrees above level at which the target appears. distance: metres to a visible target.

Heights and distances are metres. The result equals that of the command "landfall viewshed"."""
    STYLES = {"OUTPUT": "viewshed.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterPoint("OBSERVER", "Observer"))
        self.number("HEIGHT", "Height of the observer above ground, metres", 2.0)
        self.number("TARGET", "Height of targets above ground, metres", 0.0)
        self.addParameter(QgsProcessingParameterEnum("MODE", "Mode", MODES, defaultValue=0))
        self.limits()
        self.sight_parameters()
        self.output("Viewshed")

    def answer(self, package):
        # Targets below ground, and surfaces of other pieces, get a line for each sample: these use all bounds.
        sweeps = self.value("TARGET") >= 0 and self.choice("SURFACE", SURFACES) in ("falling", "rising")
        asked, grid, where = self.ground_and_grid(leaf=ground.ONE_SWEEP if sweeps else 0)
        at = self.point("OBSERVER")
        mode = self.choice("MODE", MODES)
        seen = asked.viewshed((at.x(), at.y()), self.value("HEIGHT"), mode=mode, target=self.value("TARGET"),
                              progress=self.progress(), **self.rules(), **self.limit_options(at), **where)
        self.feedback.pushInfo(repr(seen))
        if mode != "visible":
            self.STYLES = {"OUTPUT": "amount.qml"}
            return {"OUTPUT": self.write("OUTPUT", [seen.values], grid, NAN, "" if mode == "angle" else "m")}
        return {"OUTPUT": self.write("OUTPUT", [self.codes(seen.values)], grid, 255)}


class Count(RasterAlgorithm):
    NAME, TITLE, GROUP = "viewshedcount", "Cumulative viewshed", "Sight"
    HELP = """How many observers see each sample. Optionally also which: bit k % 8 of band k / 8 + 1 is set where observer k sees it, in the order of the features."""
    STYLES = {"OUTPUT": "amount.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterFeatureSource("OBSERVERS", "Observers", [QgsProcessing.TypeVectorPoint]))
        self.addParameter(QgsProcessingParameterField("HEIGHT_FIELD", "Field with the height of observers", None, "OBSERVERS",
                                                      QgsProcessingParameterField.Numeric, optional=True))
        self.number("HEIGHT", "Height of observers without one of their own, metres above ground", 2.0)
        self.number("TARGET", "Height of targets above ground, metres", 0.0)
        self.limits()
        self.sight_parameters()
        self.output("Number of observers")
        self.addParameter(QgsProcessingParameterRasterDestination("WHO", "Which observers", optional=True,
                                                                  createByDefault=False))

    def answer(self, package):
        asked, grid, where = self.ground_and_grid()
        places, features = ground.points_of(self.source("OBSERVERS"), self.crs, self.context)
        field = self.parameterAsString(self.parameters, "HEIGHT_FIELD", self.context)
        heights = ground.heights_of(features, field, self.value("HEIGHT"))
        options = {**self.rules(), **self.limit_options(self.centre()), **where, "target": self.value("TARGET")}
        counts = asked.viewshed_count(places, heights, progress=self.progress(), **options).values
        none = np.isnan(counts)
        numbers = np.where(none, 0, counts).astype(np.uint32)
        numbers[none] = 2**32 - 1
        results = {"OUTPUT": self.write("OUTPUT", [numbers], grid, 2**32 - 1)}
        if self.parameters.get("WHO"):
            planes = asked.viewshed_who(places, heights, progress=self.progress(), **options)
            results["WHO"] = self.write("WHO", planes, grid, None)
        return results


class TotalViewshed(RasterAlgorithm):
    NAME, TITLE, GROUP = "totalviewshed", "Total viewshed", "Sight"
    HELP = """How much is seen from every sample, as if an observer stood on each of them.

area: visible square metres. mean: mean distance of what is visible, metres. longest: metres to the farthest visible place, confirmed by an exact line of sight. open: share of the directions in which the farthest ground within range is seen. inside: share of the circle of the range that is on the raster.

Buildings count as high as they are at the samples of the raster."""
    STYLES = {"OUTPUT": "amount.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterEnum("VALUE", "Value", TOTAL_VALUES, defaultValue=0))
        self.number("HEIGHT", "Height of observers above ground, metres", 1.75)
        self.number("TARGET", "Height above the ground seen, metres", 0.0)
        self.number("RANGE_MAX", "Greatest distance, metres", 10000.0, 0.0)
        self.number("AZIMUTHS", "Directions, 4 to 3600", 360, 4, 3600)
        self.advanced(self.curvature_parameter())
        self.building_parameters()
        self.addParameter(QgsProcessingParameterRasterDestination("OUTPUT", "Total viewshed"))

    def answer(self, package):
        grid = self.grid()
        coefficient, radius = ground.curvature_of(self.layer, self.given("CURVATURE"))
        if self.parameters.get("BUILDINGS") is not None:
            a, b, c, d, e, f = grid.transform
            row, column = np.arange(grid.shape[0])[:, None] + 0.5, np.arange(grid.shape[1]) + 0.5
            roofs = self.any_ground().height(a * column + b * row + c, d * column + e * row + f)
            grid = package.Grid(roofs, grid.transform, nodata=np.nan, degrees=grid.degrees, surface=grid.surface)
        value = self.choice("VALUE", TOTAL_VALUES)
        found = grid.total_viewshed(self.value("HEIGHT"), values=value, target=self.value("TARGET"), range=self.value("RANGE_MAX"),
                                    azimuths=self.whole("AZIMUTHS"), curvature=coefficient, radius=radius, progress=self.progress())
        unit = {"area": "m2", "mean": "m", "longest": "m"}.get(value, "")
        return {"OUTPUT": self.write("OUTPUT", [found.values], grid, NAN, unit)}


class Horizon(RasterAlgorithm):
    NAME, TITLE, GROUP = "horizon", "Horizon of a place", "Sun and sky"
    HELP = """The skyline around a place: a point for each direction, with azimuth, elevation (degrees above level), distance and height."""
    STYLES = {"OUTPUT": "horizon.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterPoint("OBSERVER", "Observer"))
        self.number("HEIGHT", "Height of the observer above ground, metres", 2.0)
        self.number("STEP", "Degrees between directions", 1.0, 0.001, 360.0)
        self.north_parameter()
        self.sight_parameters()
        self.building_parameters()
        self.addParameter(QgsProcessingParameterFeatureSink("OUTPUT", "Skyline", QgsProcessing.TypeVectorPoint))

    def answer(self, package):
        asked = self.any_ground()
        at = self.point("OBSERVER")
        point = asked.point_above(at.x(), at.y(), self.value("HEIGHT"))
        if np.isnan(point[2]):
            raise QgsProcessingException(f"OBSERVER {at.x()}, {at.y()}: there is no ground")
        rules = self.rules()
        azimuths = np.arange(0.0, 360.0, self.value("STEP"))
        found = asked.horizon(point, azimuths + self.north(at), curvature=rules["curvature"], radius=rules["radius"])
        fields = QgsFields()
        for name in ("azimuth", "elevation", "distance", "z"):
            fields.append(QgsField(name, QVariant.Double))
        sink, name = self.parameterAsSink(self.parameters, "OUTPUT", self.context, fields, QgsWkbTypes.Point, self.crs)
        for azimuth, one in zip(azimuths.tolist(), found):
            feature = QgsFeature(fields)
            feature.setAttributes([azimuth] + [None if np.isnan(v) else float(v)
                                               for v in (one.elevation_deg, one.distance, one.point[2])])
            if not np.isnan(one.distance):
                feature.setGeometry(QgsGeometry.fromPointXY(QgsPointXY(one.point[0], one.point[1])))
            sink.addFeature(feature, QgsFeatureSink.FastInsert)
        return {"OUTPUT": name}


class HorizonMap(RasterAlgorithm):
    NAME, TITLE, GROUP = "horizonmap", "Horizon map", "Sun and sky"
    HELP = "Elevation of the horizon in one direction, degrees above level, for every sample."
    STYLES = {"OUTPUT": "amount.qml"}

    def add(self):
        self.number("AZIMUTH", "Direction, degrees clockwise from north", 180.0)
        self.north_parameter()
        self.number("HEIGHT", "Height above ground, metres", 0.0)
        self.sight_parameters()
        self.output("Horizon")

    def answer(self, package):
        (asked, grid, where), rules = self.ground_and_grid(), self.rules()
        azimuth = self.value("AZIMUTH") + self.north(self.centre())
        found = asked.horizon_map(azimuth, height=self.value("HEIGHT"), curvature=rules["curvature"], radius=rules["radius"],
                                  progress=self.progress(), **where)
        return {"OUTPUT": self.write("OUTPUT", [found.values], grid, NAN)}


class SkyView(RasterAlgorithm):
    NAME, TITLE, GROUP = "skyview", "Sky view", "Sun and sky"
    HELP = "The share of the sky that each sample sees, 0 to 1, averaged over directions."
    STYLES = {"OUTPUT": "amount.qml"}

    def add(self):
        self.number("DIRECTIONS", "Number of directions", 16, 1, 720)
        self.number("HEIGHT", "Height above ground, metres", 0.0)
        self.sight_parameters()
        self.output("Sky view")

    def answer(self, package):
        (asked, grid, where), rules = self.ground_and_grid(), self.rules()
        found = asked.sky_view(self.whole("DIRECTIONS"), height=self.value("HEIGHT"), curvature=rules["curvature"],
                               radius=rules["radius"], progress=self.progress(), **where)
        return {"OUTPUT": self.write("OUTPUT", [found.values], grid, NAN)}


class Sun(RasterAlgorithm):
    def day(self, package, start, hours, step):
        """Suns over the middle of the raster, with azimuths of its map."""
        centre, crs = self.centre(), self.crs
        if not crs.isValid():
            raise QgsProcessingException(f"{self.layer.name()}: has no CRS: give azimuth and altitude of the sun instead")
        lon, lat = package.transform_points([centre.x(), centre.y()], crs.toWkt())
        when = start.toUTC().toString(Qt.ISODate).rstrip("Z") + "Z"
        return package.sun_day(float(lon), float(lat), when, hours=hours, step_minutes=step, crs=crs.toWkt(),
                               at=(centre.x(), centre.y()))


class Shadow(Sun):
    NAME, TITLE, GROUP = "shadow", "Shadow", "Sun and sky"
    HELP = """Which samples the sun lights: 1 lit, 0 in shadow, 2 unknown, 255 no data. The sun is given by a time, over the middle of the raster, or by azimuth and altitude."""
    STYLES = {"OUTPUT": "viewshed.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterDateTime("TIME", "Time", optional=True))
        self.number("AZIMUTH", "Or azimuth of the sun, degrees clockwise from north", None, optional=True)
        self.north_parameter()
        self.number("ALTITUDE", "and altitude, degrees above level", None, -90, 90, optional=True)
        self.number("HEIGHT", "Height above ground, metres", 0.0)
        self.sight_parameters()
        self.output("Shadow")

    def answer(self, package):
        azimuth, altitude = self.given("AZIMUTH"), self.given("ALTITUDE")
        if azimuth is None or altitude is None:
            if self.parameters.get("TIME") is None:
                raise QgsProcessingException("TIME: must be given, or AZIMUTH and ALTITUDE")
            suns = self.day(package, self.parameterAsDateTime(self.parameters, "TIME", self.context), 1 / 60, 1.0)
            if not len(suns):
                raise QgsProcessingException("TIME: the sun is below the horizon then")
            azimuth, altitude = suns[0, 0], suns[0, 1]
        else:
            azimuth += self.north(self.centre())
        self.feedback.pushInfo(f"sun: azimuth {azimuth:.2f}, altitude {altitude:.2f} degrees")
        asked, grid, where = self.ground_and_grid()
        lit = asked.sun_shade(azimuth, altitude, height=self.value("HEIGHT"), progress=self.progress(), **self.rules(), **where)
        return {"OUTPUT": self.write("OUTPUT", [self.codes(lit.values)], grid, 255)}


class SunHours(Sun):
    NAME, TITLE, GROUP = "sunhours", "Hours of sun", "Sun and sky"
    HELP = "Hours of sun of every sample over a day, with the sun over the middle of the raster."
    STYLES = {"OUTPUT": "amount.qml"}

    def add(self):
        self.addParameter(QgsProcessingParameterDateTime("DAY", "Day, from this time on"))
        self.number("STEP", "Minutes between suns", 30.0, 1.0, 720.0)
        self.number("HEIGHT", "Height above ground, metres", 0.0)
        self.sight_parameters()
        self.output("Hours of sun")

    def answer(self, package):
        suns = self.day(package, self.parameterAsDateTime(self.parameters, "DAY", self.context), 24.0, self.value("STEP"))
        asked, grid, where = self.ground_and_grid()
        hours = asked.sun_hours(suns, height=self.value("HEIGHT"), progress=self.progress(), **self.rules(), **where)
        return {"OUTPUT": self.write("OUTPUT", [hours.values], grid, NAN, "h")}
