"""Layers of QGIS as grounds of landfall, and answers as rasters."""
import json
import math
import os
import tempfile

import numpy as np
from osgeo import gdal, gdal_array
from qgis.core import (QgsCoordinateReferenceSystem, QgsCoordinateTransform, QgsDistanceArea, QgsEllipsoidUtils, QgsFeatureRequest,
                       QgsPointXY, QgsProcessingException, QgsRasterFileWriter, QgsUnitTypes, QgsVectorFileWriter)

INSTALL = ("landfall's Python package is not installed for the Python of QGIS: install the Debian package "
           "python3-landfall, run \"./run install\" in landfall's folder, or "
           "\"pip install landfall-*.whl\" with the wheel of \"pip wheel --no-build-isolation python/\"")


def missing():
    """Why the algorithms cannot run here, or None."""
    try:
        import landfall  # noqa: F401
    except ImportError as error:
        return f"{INSTALL} ({error})"
    return None


def landfall():
    """The package."""
    why = missing()
    if why:
        raise QgsProcessingException(why)
    import landfall as package

    return package


def progress_of(feedback):
    """landfall's progress as that of an algorithm, which may be cancelled."""
    def report(_, done, total):
        feedback.setProgress(100.0 * done / total if total else 0.0)
        return not feedback.isCanceled()
    return report


ONE_SWEEP = 16  # cells along the smallest squares with bounds: others take longer to make than one viewshed


def open_grid(layer, band, feedback=None, **options):
    """The grid of a raster layer: read, or mapped, by landfall from the layer's own source."""
    package = landfall()
    if layer.dataProvider().name() != "gdal":
        raise QgsProcessingException(f"{layer.name()}: expected a raster file, got a layer of {layer.dataProvider().name()}")
    if layer.source().lower().endswith(".lf"):  # has its bounds, and one band
        options.pop("leaf", None)
    else:
        options["band"] = band
    try:
        return package.open(layer.source(), progress=progress_of(feedback) if feedback else None, **options)
    except package.Cancelled:
        raise QgsProcessingException("cancelled") from None
    except package.Error as error:
        raise QgsProcessingException(f"{layer.name()}: {error}") from None


def crs_of(layer):
    """The CRS of the coordinates of a layer's grid: that of the layer, or the same in metres where that is in feet."""
    own = layer.crs()
    if not own.isValid() or own.isGeographic() or own.mapUnits() == QgsUnitTypes.DistanceMeters:
        return own
    from landfall._io import describe_crs

    return QgsCoordinateReferenceSystem.fromWkt(describe_crs(own.toWkt())["crs"])


def metres(crs, points, context):
    """Lengths of the parts of a line on the map, in metres, also where x and y are degrees."""
    points = np.asarray(points, float)
    if not crs.isGeographic():
        return np.hypot(*np.diff(points[:, :2], axis=0).T)
    measure = QgsDistanceArea()
    measure.setSourceCrs(crs, context.transformContext())
    measure.setEllipsoid(crs.ellipsoidAcronym())
    corners = [QgsPointXY(x, y) for x, y in points[:, :2].tolist()]
    return np.array([measure.measureLine(a, b) for a, b in zip(corners[:-1], corners[1:])])


def curvature_of(layer, given):
    """The coefficient and the radius of a line of sight, as the command chooses them: light on Earth, flat elsewhere."""
    about = QgsEllipsoidUtils.ellipsoidParameters(layer.crs().ellipsoidAcronym()) if layer.crs().isValid() else None
    if about is None or not about.valid or about.semiMajor <= 0:
        return ("flat" if given is None else given), None
    if abs(about.semiMajor - 6378137) < 64000:
        return ("light" if given is None else given), None
    flattening = 1 / about.inverseFlattening if about.inverseFlattening else 0.0
    return ("flat" if given is None else given), about.semiMajor * (1 - flattening / 3)


def true_north(layer, x, y, context):
    """Degrees clockwise from the map's y axis to true north at a place."""
    if not layer.crs().isValid():
        raise QgsProcessingException(f"{layer.name()}: has no CRS: true north is not known")
    transform = QgsCoordinateTransform(crs_of(layer), QgsCoordinateReferenceSystem("EPSG:4326"), context.transformContext())
    place = transform.transform(x, y)
    south, north = (transform.transform(place.x(), place.y() + step, QgsCoordinateTransform.ReverseTransform) for step in (-1e-4, 1e-4))
    return math.degrees(math.atan2(north.x() - south.x(), north.y() - south.y()))


def points_of(source, crs, context):
    """Points of a source in another CRS: places (n, 2) and features."""
    transform = QgsCoordinateTransform(source.sourceCrs(), crs, context.transformContext())
    places, features = [], []
    for feature in source.getFeatures(QgsFeatureRequest()):
        geometry = feature.geometry()
        if geometry.isNull() or geometry.isEmpty():
            raise QgsProcessingException(f"feature {feature.id()}: has no geometry")
        geometry.transform(transform)
        point = geometry.asPoint() if not geometry.isMultipart() else geometry.asMultiPoint()[0]
        places.append((point.x(), point.y()))
        features.append(feature)
    if not places:
        raise QgsProcessingException("the points: there are none")
    return np.array(places), features


def heights_of(features, field, height):
    """Heights of features: of a field where it has a number, else the same for all."""
    found = []
    for feature in features:
        value = feature[field] if field else None
        try:
            found.append(float(value) if value is not None and str(value) != "NULL" else height)
        except (TypeError, ValueError):
            raise QgsProcessingException(f"feature {feature.id()}: {field} {value!r}: expected a number") from None
    return np.array(found)


def open_world(layer, band, buildings, field, context):
    """The raster with the polygons of a layer as buildings on it, as one ground."""
    package = landfall()
    if band != 1 and layer.bandCount() > 1:
        raise QgsProcessingException(f"band {band}: with buildings the raster must have one band, or heights in the first")
    folder = tempfile.mkdtemp(prefix="landfall-")
    options = QgsVectorFileWriter.SaveVectorOptions()
    options.driverName = "GPKG"
    options.ct = QgsCoordinateTransform(buildings.sourceCrs(), crs_of(layer), context.transformContext())
    path = os.path.join(folder, "buildings.gpkg")
    layer_of_buildings = buildings.materialize(QgsFeatureRequest())
    written = QgsVectorFileWriter.writeAsVectorFormatV3(layer_of_buildings, path, context.transformContext(), options)
    if written[0] != QgsVectorFileWriter.NoError:
        raise QgsProcessingException(f"buildings: {written[1]}")
    world = os.path.join(folder, "scene.world.json")
    with open(world, "w", encoding="utf-8") as file:
        json.dump({"landfall_world": 1, "parts": [
            {"raster": os.path.abspath(layer.source()), "band": band},
            {"buildings": {"file": "buildings.gpkg", "height": field, "outside": "skip"}, "crs": "world"}]}, file)
    try:
        return package.World.open(world)
    except package.Error as error:
        raise QgsProcessingException(f"buildings: {str(error).replace(folder + os.sep, '')}") from None
    finally:
        for name in os.listdir(folder):
            os.remove(os.path.join(folder, name))
        os.rmdir(folder)


def write_raster(path, bands, grid, crs, nodata, unit=""):
    """Write arrays as the bands of a raster that lies on the pixels of a grid: whole, or not at all."""
    values = np.ascontiguousarray(bands)
    made = gdal_array.OpenArray(values)
    a, b, c, d, e, f = grid.transform
    made.SetGeoTransform((c, a, b, f, d, e))
    if crs.isValid():
        made.SetProjection(crs.toWkt())
    for number in range(1, len(bands) + 1):
        band = made.GetRasterBand(number)
        if nodata is not None:
            band.SetNoDataValue(nodata)
        if unit:
            band.SetUnitType(unit)
    name = QgsRasterFileWriter.driverForExtension(os.path.splitext(path)[1].lstrip(".")) or "GTiff"
    # Bytes are mostly long runs of one value: DEFLATE would take as long as a viewshed.
    compress = "COMPRESS=PACKBITS" if values.dtype == np.uint8 else "COMPRESS=DEFLATE"
    options = [compress, "TILED=YES", "BIGTIFF=IF_SAFER"] if name == "GTiff" else []
    if gdal.GetDriverByName(name).CreateCopy(path, made, options=options) is None:
        if os.path.exists(path):
            os.remove(path)
        raise QgsProcessingException(f"{path}: {gdal.GetLastErrorMsg()}")
