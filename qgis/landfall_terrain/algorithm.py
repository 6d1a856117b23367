"""What all algorithms share: parameters, cancelling, errors and styles."""
import os

from qgis.core import (QgsCoordinateTransform, QgsProcessing, QgsProcessingAlgorithm, QgsProcessingException, QgsProcessingParameterBand,
                       QgsProcessingParameterDefinition, QgsProcessingParameterEnum, QgsProcessingParameterFeatureSource,
                       QgsProcessingParameterField, QgsProcessingParameterNumber, QgsProcessingParameterRasterLayer,
                       QgsProcessingUtils, QgsRasterBandStats)

from . import ground

SURFACES = ["falling", "rising", "alternating", "bilinear", "posts"]
VOIDS = ["unknown", "pass", "stop"]
NORTHS = ["the map's y axis", "true north at the observer, or over the middle of the raster"]


def stretch(layer):
    """Colours from the least to the greatest value."""
    about = layer.dataProvider().bandStatistics(1, QgsRasterBandStats.Min | QgsRasterBandStats.Max)
    renderer = layer.renderer()
    colours = renderer.shader().rasterShaderFunction()
    for thing, low, high in ((renderer, "setClassificationMin", "setClassificationMax"), (colours, "setMinimumValue", "setMaximumValue")):
        getattr(thing, low)(about.minimumValue)
        getattr(thing, high)(about.maximumValue)
    colours.classifyColorRamp(5, 1)


class Algorithm(QgsProcessingAlgorithm):
    """NAME, TITLE, GROUP and HELP of each algorithm; add() its parameters; answer() runs it."""
    NAME = TITLE = GROUP = HELP = ""
    STYLES = {}  # of outputs: the name of a file in styles

    def name(self):
        return self.NAME

    def displayName(self):  # noqa: N802
        return self.TITLE

    def group(self):
        return self.GROUP

    def groupId(self):  # noqa: N802
        return self.GROUP.lower()

    def shortHelpString(self):  # noqa: N802
        return self.HELP

    def createInstance(self):  # noqa: N802
        return type(self)()

    def canExecute(self):  # noqa: N802
        why = ground.missing()
        return why is None, why or ""

    def initAlgorithm(self, configuration=None):  # noqa: N802
        self.addParameter(QgsProcessingParameterRasterLayer("INPUT", "Raster of heights"))
        self.addParameter(QgsProcessingParameterBand("BAND", "Band", 1, "INPUT", True))
        self.add()
        self.advanced(QgsProcessingParameterEnum("SURFACE", "Surface between samples", SURFACES, defaultValue=0,
                                                 usesStaticStrings=False))

    def number(self, name, text, default, least=None, most=None, optional=False):
        numeric = QgsProcessingParameterNumber(name, text, QgsProcessingParameterNumber.Double, default, optional)
        if least is not None:
            numeric.setMinimum(least)
        if most is not None:
            numeric.setMaximum(most)
        self.addParameter(numeric)

    def advanced(self, parameter):
        parameter.setFlags(parameter.flags() | QgsProcessingParameterDefinition.FlagAdvanced)
        self.addParameter(parameter)

    def curvature_parameter(self):
        return QgsProcessingParameterNumber(
            "CURVATURE", "Curvature coefficient (0 flat, 0.857 light, 0.75 radio; empty: light where the raster has a CRS)",
            QgsProcessingParameterNumber.Double, None, True)

    def sight_parameters(self):
        """Curvature and voids, of everything that looks."""
        self.advanced(self.curvature_parameter())
        self.advanced(QgsProcessingParameterEnum("VOIDS", "What a void in the way means", VOIDS, defaultValue=0))

    def north_parameter(self):
        self.advanced(QgsProcessingParameterEnum("NORTH", "North of azimuths", NORTHS, defaultValue=0))

    def building_parameters(self):
        self.addParameter(QgsProcessingParameterFeatureSource("BUILDINGS", "Buildings", [QgsProcessing.TypeVectorPolygon],
                                                              optional=True))
        self.addParameter(QgsProcessingParameterField("BUILDING_HEIGHT", "Field with the height of buildings, metres", None,
                                                      "BUILDINGS", QgsProcessingParameterField.Numeric, optional=True))

    def processAlgorithm(self, parameters, context, feedback):  # noqa: N802
        self.parameters, self.context, self.feedback = parameters, context, feedback
        self.layer = self.parameterAsRasterLayer(parameters, "INPUT", context)
        if self.layer is None:
            raise QgsProcessingException(self.invalidRasterError(parameters, "INPUT"))
        package = ground.landfall()
        self.crs = ground.crs_of(self.layer)
        try:
            self.results = self.answer(package)
        except package.Cancelled:
            raise QgsProcessingException("cancelled") from None
        except package.Error as error:
            raise QgsProcessingException(str(error)) from None
        return self.results

    def postProcessAlgorithm(self, context, feedback):  # noqa: N802
        for output, style in self.STYLES.items():
            layer = QgsProcessingUtils.mapLayerFromString(str(self.results.get(output, "")), context)
            if layer is not None:
                layer.loadNamedStyle(os.path.join(os.path.dirname(__file__), "styles", style))
                if style == "amount.qml":
                    stretch(layer)
        return self.results

    # ---- Values of parameters

    def value(self, name):
        return self.parameterAsDouble(self.parameters, name, self.context)

    def given(self, name):
        """A number, or None where the field is empty."""
        return None if self.parameters.get(name) is None else self.value(name)

    def whole(self, name):
        return self.parameterAsInt(self.parameters, name, self.context)

    def choice(self, name, values):
        return values[self.parameterAsEnum(self.parameters, name, self.context)]

    def source(self, name):
        found = self.parameterAsSource(self.parameters, name, self.context)
        if found is None:
            raise QgsProcessingException(self.invalidSourceError(self.parameters, name))
        return found

    def in_crs(self, point):
        """A point of the layer's CRS in that of its grid."""
        return QgsCoordinateTransform(self.layer.crs(), self.crs, self.context.transformContext()).transform(point)

    def point(self, name):
        return self.in_crs(self.parameterAsPoint(self.parameters, name, self.context, self.layer.crs()))

    def centre(self):
        return self.in_crs(self.layer.extent().center())

    def progress(self):
        return ground.progress_of(self.feedback)

    def grid(self, **options):
        return ground.open_grid(self.layer, self.whole("BAND"), self.feedback, surface=self.choice("SURFACE", SURFACES), **options)

    def any_ground(self):
        """The raster, with buildings where they are given."""
        if self.parameters.get("BUILDINGS") is None:
            return self.grid()
        field = self.parameterAsString(self.parameters, "BUILDING_HEIGHT", self.context)
        if not field:
            raise QgsProcessingException("BUILDING_HEIGHT: must be given with buildings")
        return ground.open_world(self.layer, self.whole("BAND"), self.source("BUILDINGS"), field, self.context)

    def north(self, place):
        """What is added to azimuths at a place so that they count from the map's y axis."""
        if self.parameterAsEnum(self.parameters, "NORTH", self.context) == 0:
            return 0.0
        return ground.true_north(self.layer, place.x(), place.y(), self.context)

    def rules(self):
        """Options of lines of sight."""
        coefficient, radius = ground.curvature_of(self.layer, self.given("CURVATURE"))
        return {"curvature": coefficient, "radius": radius, "voids": self.choice("VOIDS", VOIDS)}

    def write(self, name, bands, grid, nodata, unit=""):
        path = self.parameterAsOutputLayer(self.parameters, name, self.context)
        ground.write_raster(path, bands, grid, self.crs, nodata, unit)
        return path
