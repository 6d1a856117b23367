"""The plugin in PyQGIS without a window, its results compared with the command's."""
import os
import shutil
import subprocess
from types import SimpleNamespace

import numpy as np
import pytest
from osgeo import gdal
from qgis.core import (QgsApplication, QgsFeature, QgsGeometry, QgsPointXY, QgsProcessingContext, QgsProcessingException,
                       QgsProcessingFeedback, QgsProject, QgsRasterLayer, QgsVectorLayer)

COMMAND = os.environ["LANDFALL_COMMAND"]
PLACES = [(500900.0, 6500950.0), (501800.0, 6501700.0), (502600.0, 6500700.0)]


@pytest.fixture(scope="session")
def application():
    app = QgsApplication([], True)
    app.initQgis()
    from processing.core.Processing import Processing
    Processing.initialize()
    from landfall_terrain.provider import LandfallProvider
    provider = LandfallProvider()
    assert QgsApplication.processingRegistry().addProvider(provider)
    yield app
    QgsApplication.processingRegistry().removeProvider(provider)
    app.exitQgis()


@pytest.fixture(scope="session")
def raster(application, tmp_path_factory):
    path = str(tmp_path_factory.mktemp("data") / "hills.tif")
    row, column = np.mgrid[0:120, 0:150]
    heights = 300 + 80 * np.sin(column / 11) * np.cos(row / 13) + 20 * np.sin(row / 3 + column / 4)
    heights[100:104, 120:126] = -9999
    made = gdal.GetDriverByName("GTiff").Create(path, 150, 120, 1, gdal.GDT_Float32)
    made.SetGeoTransform((500000, 20, 0, 6502400, 0, -20))
    from osgeo import osr
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(32633)
    made.SetProjection(crs.ExportToWkt())
    made.GetRasterBand(1).WriteArray(heights.astype("f4"))
    made.GetRasterBand(1).SetNoDataValue(-9999)
    del made
    return path


def layer_of(kind, geometries, fields="", values=(), crs="EPSG:32633"):
    layer = QgsVectorLayer(f"{kind}?crs={crs}{fields}", "input", "memory")
    features = []
    for k, geometry in enumerate(geometries):
        feature = QgsFeature(layer.fields())
        feature.setGeometry(geometry)
        if values:
            feature.setAttributes(list(values[k]))
        features.append(feature)
    layer.dataProvider().addFeatures(features)
    return layer


def points(fields="", values=(), places=PLACES):
    return layer_of("Point", [QgsGeometry.fromPointXY(QgsPointXY(*place)) for place in places], fields, values)


def line():
    return layer_of("LineString", [QgsGeometry.fromPolylineXY([QgsPointXY(*PLACES[0]), QgsPointXY(*PLACES[1])])])


def run(name, **parameters):
    import processing
    return processing.run(f"landfall:{name}", parameters, feedback=QgsProcessingFeedback())["OUTPUT"]


def command(*words):
    done = subprocess.run([COMMAND, *map(str, words)], text=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, check=False)
    assert done.returncode in (0, 1), done.stderr
    return done.stdout


def values(path):
    return gdal.Open(path).ReadAsArray()


def at(place):
    return f"{place[0]},{place[1]}"


@pytest.mark.parametrize("mode", ["visible", "ground", "dem", "angle", "distance"])
def test_viewshed_equals_the_command(raster, tmp_path, mode):
    modes = ["visible", "ground", "dem", "angle", "distance"]
    ours = run("viewshed", INPUT=raster, OBSERVER=f"{at(PLACES[0])} [EPSG:32633]", HEIGHT=12, MODE=modes.index(mode),
               RANGE_MAX=1500, OUTPUT=str(tmp_path / "ours.tif"))
    command("viewshed", raster, "--at", at(PLACES[0]), "--eye", 12, "--mode", mode, "--range", 1500, "-o", tmp_path / "theirs.tif",
            "-q")
    a, b = values(ours), values(str(tmp_path / "theirs.tif"))
    assert a.dtype == b.dtype and a.tobytes() == b.tobytes()
    about, other = gdal.Open(ours), gdal.Open(str(tmp_path / "theirs.tif"))
    assert about.GetGeoTransform() == other.GetGeoTransform() and about.GetSpatialRef().IsSame(other.GetSpatialRef())
    assert str(about.GetRasterBand(1).GetNoDataValue()) == str(other.GetRasterBand(1).GetNoDataValue())


def test_viewshed_of_another_crs(raster, tmp_path):
    """An observer in degrees is the same place."""
    from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform
    transform = QgsCoordinateTransform(QgsCoordinateReferenceSystem("EPSG:32633"), QgsCoordinateReferenceSystem("EPSG:4326"),
                                       QgsProject.instance())
    place = transform.transform(QgsPointXY(*PLACES[0]))
    ours = run("viewshed", INPUT=raster, OBSERVER=f"{place.x():.12f},{place.y():.12f} [EPSG:4326]", HEIGHT=12,
               OUTPUT=str(tmp_path / "a.tif"))
    theirs = run("viewshed", INPUT=raster, OBSERVER=at(PLACES[0]), HEIGHT=12, OUTPUT=str(tmp_path / "b.tif"))
    assert (values(ours) == values(theirs)).mean() > 0.999


def test_count_and_who_equal_the_command(raster, tmp_path):
    import processing
    observers = points("&field=height:double", [(5.0,), (10.0,), (15.0,)])
    found = processing.run("landfall:viewshedcount", dict(INPUT=raster, OBSERVERS=observers, HEIGHT_FIELD="height",
                                                          OUTPUT=str(tmp_path / "count.tif"), WHO=str(tmp_path / "who.tif")))
    given = [word for place, height in zip(PLACES, (5, 10, 15)) for word in ("--at", f"{at(place)},{height}")]
    for name, mode in (("OUTPUT", "count"), ("WHO", "who")):
        command("viewshed", raster, *given, "--mode", mode, "-o", tmp_path / f"{mode}-command.tif", "-q")
        assert np.array_equal(values(found[name]), values(str(tmp_path / f"{mode}-command.tif"))), mode


@pytest.mark.parametrize("value", ["area", "mean", "longest", "open", "inside"])
def test_total_viewshed_equals_the_command(raster, tmp_path, value):
    number = ["area", "mean", "longest", "open", "inside"].index(value)
    ours = values(run("totalviewshed", INPUT=raster, VALUE=number, RANGE_MAX=2500, AZIMUTHS=36, OUTPUT=str(tmp_path / "a.tif")))
    more = [] if value in ("area", "inside") else ["--values", value]
    command("total", raster, "--range", "2500", "--azimuths", "36", *more, "--check", "0", "-o", tmp_path / "b.tif", "-q")
    theirs = values(str(tmp_path / "b.tif"))[0 if value == "area" else 1]  # doubles where there are places, too
    assert ours.dtype == np.float32 and np.array_equal(ours, theirs.astype(np.float32), equal_nan=True)


@pytest.mark.parametrize("name, options, words", [
    ("shadow", {"AZIMUTH": 120, "ALTITUDE": 12}, ("shadow", "--sun", "120,12", "--north", "grid")),
    ("horizonmap", {"AZIMUTH": 75}, ("horizon", "--map", "75", "--north", "grid")),
    ("skyview", {"DIRECTIONS": 8}, ("horizon", "--sky", "8", "--north", "grid"))])
def test_sun_and_sky_equal_the_command(raster, tmp_path, name, options, words):
    ours = values(run(name, INPUT=raster, OUTPUT=str(tmp_path / "a.tif"), **options))
    command(words[0], raster, *words[1:], "-o", tmp_path / "b.tif", "-q")
    theirs = values(str(tmp_path / "b.tif"))
    assert ours.dtype == theirs.dtype and ours.tobytes() == theirs.tobytes()


def test_sun_hours_and_time(raster, tmp_path):
    hours = values(run("sunhours", INPUT=raster, DAY="2026-06-21T00:00:00Z", STEP=60, OUTPUT=str(tmp_path / "h.tif")))
    assert 5 < np.nanmax(hours) <= 24
    lit = values(run("shadow", INPUT=raster, TIME="2026-03-21T09:00:00Z", OUTPUT=str(tmp_path / "s.tif")))
    assert set(np.unique(lit)) <= {0, 1, 2, 255} and (lit == 1).any()


def test_sight(raster):
    found = list(run("sight", INPUT=raster, LINES=line(), HEIGHT=10, TARGET=10, OUTPUT="memory:").getFeatures())
    told = command("sight", raster, "--from", f"{at(PLACES[0])},10", "--to", f"{at(PLACES[1])},10")
    assert {feature["verdict"] for feature in found} == {told.split()[0]}
    assert {feature["part"] for feature in found} == {"visible", "hidden"}
    ends = [(feature["start"], feature["end"]) for feature in found]
    assert ends[0][0] == 0 and abs(ends[-1][1] - np.hypot(900, 750)) < 1e-6
    assert all(a < b for a, b in ends) and all(one[1] == other[0] for one, other in zip(ends[:-1], ends[1:]))
    assert all(one["part"] != other["part"] for one, other in zip(found[:-1], found[1:]))
    for start, end in ends:  # on both sides of the place where it turns, and inside
        for distance in (start + 1e-3, (start + end) / 2, end - 1e-3):
            share = distance / np.hypot(900, 750)
            place = [a + share * (b - a) for a, b in zip(*PLACES[:2])]
            told = command("sight", raster, "--from", f"{at(PLACES[0])},10", "--to", f"{place[0]},{place[1]},0").split()[0]
            part = next(feature["part"] for feature in found if feature["start"] <= distance <= feature["end"])
            assert (part == "visible") == (told == "clear"), (distance, told)


def test_profile_and_heights(raster):
    found = list(run("profile", INPUT=raster, LINES=line(), FREQUENCY=900, OUTPUT="memory:").getFeatures())
    distances = [feature["distance"] for feature in found]
    assert distances == sorted(distances) and len(found) > 50 and max(feature["zone"] for feature in found) > 1
    heights = list(run("heights", INPUT=raster, POINTS=points(places=PLACES + [(0.0, 0.0)]), OUTPUT="memory:").getFeatures())
    told = command("height", raster, *[word for place in PLACES for word in ("--at", at(place))])
    assert [feature["ground"] for feature in heights[:3]] == [float(row.split()[2]) for row in told.splitlines()]
    assert heights[3]["reason"] == "outside" and heights[3]["ground"] is None or str(heights[3]["ground"]) == "NULL"


def test_network_walk_and_horizon(raster):
    found = list(run("intervisible", INPUT=raster, POINTS=points(), HEIGHT=30, OUTPUT="memory:").getFeatures())
    assert [(feature["from"], feature["to"]) for feature in found] == [(0, 1), (0, 2), (1, 2)]
    for feature in found:
        told = command("sight", raster, "--from", f"{at(PLACES[feature['from']])},30", "--to", f"{at(PLACES[feature['to']])},30")
        assert feature["clear"] == (told.split()[0] == "clear")
    walks = list(run("walk", INPUT=raster, LINES=line(), OUTPUT="memory:").getFeatures())
    assert len(walks) == 1 and walks[0]["walk"] == "arrived" and abs(walks[0]["length"] - np.hypot(900, 750)) < 1e-6
    assert walks[0]["path"] > walks[0]["length"] and walks[0]["steepest"] > 10
    heights = [float(command("height", raster, "--at", at(place)).split()[2]) for place in PLACES[:2]]
    assert abs(walks[0]["climb"] - walks[0]["descent"] - (heights[1] - heights[0])) < 1e-6
    steep = list(run("walk", INPUT=raster, LINES=line(), SLOPE=8, OUTPUT="memory:").getFeatures())[0]
    assert steep["walk"] == "too_steep" and steep["steepest"] <= 8 and 0 <= steep["length"] < walks[0]["length"]
    skyline = list(run("horizon", INPUT=raster, OBSERVER=at(PLACES[0]), STEP=10, OUTPUT="memory:").getFeatures())
    told = command("horizon", raster, "--at", at(PLACES[0]), "--step", 10, "--north", "grid")
    assert [feature["elevation"] for feature in skyline] == [float(row.split()[1]) for row in told.splitlines()]


def test_buildings(raster):
    x, y = (PLACES[0][0] + PLACES[1][0]) / 2, (PLACES[0][1] + PLACES[1][1]) / 2
    square = QgsGeometry.fromPolygonXY([[QgsPointXY(x + dx, y + dy) for dx, dy in ((-60, -60), (60, -60), (60, 60), (-60, 60))]])
    houses = layer_of("Polygon", [square], "&field=height:double", [(500.0,)])
    open_, blocked = (list(run("sight", INPUT=raster, LINES=line(), HEIGHT=150, TARGET=150, OUTPUT="memory:", **options)
                           .getFeatures())[0]["verdict"]
                      for options in ({}, {"BUILDINGS": houses, "BUILDING_HEIGHT": "height"}))
    assert (open_, blocked) == ("clear", "blocked")
    roof = list(run("heights", INPUT=raster, POINTS=points(places=[(x, y)]), BUILDINGS=houses, BUILDING_HEIGHT="height",
                    OUTPUT="memory:").getFeatures())[0]["ground"]
    ground = list(run("heights", INPUT=raster, POINTS=points(places=[(x, y)]), OUTPUT="memory:").getFeatures())[0]["ground"]
    assert 400 < roof - ground <= 500


@pytest.mark.parametrize("name, options, words", [
    ("viewshed", {"OBSERVER": at(PLACES[0]), "HEIGHT": 12}, ("viewshed", "--at", at(PLACES[0]), "--eye", 12)),
    ("viewshed", {"OBSERVER": at(PLACES[0]), "HEIGHT": 12, "TARGET_ON": 1},
     ("viewshed", "--at", at(PLACES[0]), "--eye", 12, "--target-on", "ground")),
    ("shadow", {"AZIMUTH": 120, "ALTITUDE": 12}, ("shadow", "--sun", "120,12", "--north", "grid")),
    ("skyview", {"DIRECTIONS": 8}, ("horizon", "--sky", "8", "--north", "grid"))])
def test_rasters_with_buildings_equal_the_command(raster, tmp_path, name, options, words):
    x, y = PLACES[0][0] + 150, PLACES[0][1] + 150
    square = QgsGeometry.fromPolygonXY([[QgsPointXY(x + dx, y + dy) for dx, dy in ((-60, -60), (60, -60), (60, 60), (-60, 60))]])
    houses = layer_of("Polygon", [square], "&field=height:double", [(90.0,)])
    options["CURVATURE"] = 0.75
    ours = values(run(name, INPUT=raster, OUTPUT=str(tmp_path / "a.tif"), BUILDINGS=houses, BUILDING_HEIGHT="height", **options))
    without = values(run(name, INPUT=raster, OUTPUT=str(tmp_path / "b.tif"), **options))
    assert ours.shape == without.shape and (ours != without).any()
    ring = ", ".join(f"[{p.x()}, {p.y()}]" for p in square.asPolygon()[0])
    (tmp_path / "houses.json").write_text(
        '{"type": "FeatureCollection", "crs": {"type": "name", "properties": {"name": "EPSG:32633"}}, "features": [{"type": "Feature", '
        f'"properties": {{"height": 90}}, "geometry": {{"type": "Polygon", "coordinates": [[{ring}]]}}}}]}}')
    (tmp_path / "town.world.json").write_text(
        f'{{"landfall_world": 1, "parts": [{{"raster": "{raster}"}}, {{"buildings": {{"file": "houses.json", "height": "height"}}}}]}}')
    command(words[0], tmp_path / "town.world.json", *words[1:], "--cc", 0.75, "-o", tmp_path / "c.tif", "-q")
    assert ours.tobytes() == values(str(tmp_path / "c.tif")).tobytes()


def test_true_north(raster):
    """The skyline counted from true north is that of the command, which counts so by default."""
    skyline, plain = (list(run("horizon", INPUT=raster, OBSERVER=at(PLACES[0]), STEP=10, NORTH=north, OUTPUT="memory:").getFeatures())
                      for north in (1, 0))
    told = [float(row.split()[1]) for row in command("horizon", raster, "--at", at(PLACES[0]), "--step", 10).splitlines()]
    found = [feature["elevation"] for feature in skyline]
    assert np.allclose(found, told, atol=1e-3) and found != [feature["elevation"] for feature in plain]


@pytest.mark.parametrize("name, options, text", [
    ("viewshed", {"OBSERVER": "0,0"}, "no ground"), ("viewshed", {"OBSERVER": at(PLACES[0]), "AZIMUTH_FROM": 3}, "AZIMUTH_TO"),
    ("shadow", {}, "TIME"), ("viewshed", {"OBSERVER": at(PLACES[0]), "RANGE_MIN": 500, "RANGE_MAX": 20}, "range 500"),
    ("horizon", {"OBSERVER": "0,0"}, "no ground")])
def test_refused(raster, name, options, text):
    import processing
    with pytest.raises(QgsProcessingException, match=text):
        processing.run(f"landfall:{name}", {"INPUT": raster, "OUTPUT": "TEMPORARY_OUTPUT", **options})


def test_cancel(raster, tmp_path):
    import processing

    class Cancelled(QgsProcessingFeedback):
        def isCanceled(self):  # noqa: N802
            return True

    with pytest.raises(QgsProcessingException):
        processing.run("landfall:skyview", {"INPUT": raster, "OUTPUT": str(tmp_path / "sky.tif")}, feedback=Cancelled())
    assert not (tmp_path / "sky.tif").exists()


def test_everything_has_help_and_style(application):
    provider = QgsApplication.processingRegistry().providerById("landfall")
    folder = os.path.join(os.path.dirname(__file__), "..", "landfall_terrain", "styles")
    assert len(provider.algorithms()) == 13 and provider.warningMessage() == ""
    for algorithm in provider.algorithms():
        assert len(algorithm.shortHelpString()) > 40 and algorithm.displayName() and algorithm.group()
        assert all(os.path.exists(os.path.join(folder, style)) for style in algorithm.STYLES.values())
        assert algorithm.canExecute()[0]


def test_missing_package(application, raster, monkeypatch):
    """Without landfall's Python package the provider and the algorithms say how to install it."""
    import sys
    import processing
    provider = QgsApplication.processingRegistry().providerById("landfall")
    monkeypatch.setitem(sys.modules, "landfall", None)
    assert "python3-landfall" in provider.warningMessage()
    fine, why = provider.algorithm("viewshed").canExecute()
    assert not fine and "./run install" in why
    with pytest.raises(QgsProcessingException, match="python3-landfall"):
        processing.run("landfall:viewshed", dict(INPUT=raster, OBSERVER=at(PLACES[0]), OUTPUT="TEMPORARY_OUTPUT"))


def test_feet(raster, tmp_path):
    """A raster whose CRS is in feet: places of any CRS, and the result lies where the raster lies."""
    path = str(tmp_path / "feet.tif")
    gdal.Translate(path, raster, outputSRS="EPSG:2277", outputBounds=(3000000, 10010000, 3010000, 10002000))
    made = gdal.Open(path, gdal.GA_Update)
    made.GetRasterBand(1).SetUnitType("m")
    del made
    ours = run("viewshed", INPUT=path, OBSERVER="3005000,10006000", HEIGHT=5, OUTPUT=str(tmp_path / "a.tif"))
    unit = 1200 / 3937
    command("viewshed", path, "--at", f"{3005000 * unit!r},{10006000 * unit!r}", "--eye", 5, "-o", tmp_path / "b.tif", "-q")
    one, other, source = gdal.Open(ours), gdal.Open(str(tmp_path / "b.tif")), gdal.Open(path)
    assert (one.ReadAsArray() == other.ReadAsArray()).mean() > 0.999
    assert one.GetSpatialRef().GetLinearUnits() == 1 and np.allclose(one.GetGeoTransform(), np.array(source.GetGeoTransform()) * unit)
    places = layer_of("Point", [QgsGeometry.fromPointXY(QgsPointXY(3005000, 10006000))], crs="EPSG:2277")
    found = next(run("heights", INPUT=path, POINTS=places, OUTPUT="memory:").getFeatures())
    assert abs(found.geometry().asPoint().x() - 3005000 * unit) < 1e-6 and found["reason"] == "answered"


def test_degrees(application, tmp_path):
    """Lengths are metres where x and y are degrees."""
    path = str(tmp_path / "degrees.tif")
    made = gdal.GetDriverByName("GTiff").Create(path, 60, 60, 1, gdal.GDT_Float32)
    made.SetGeoTransform((11, 0.001, 0, 57.06, 0, -0.001))
    from osgeo import osr
    crs = osr.SpatialReference()
    crs.ImportFromEPSG(4326)
    made.SetProjection(crs.ExportToWkt())
    made.GetRasterBand(1).WriteArray(np.full((60, 60), 5, "f4"))
    del made
    lines = layer_of("LineString", [QgsGeometry.fromPolylineXY([QgsPointXY(11.01, 57.03), QgsPointXY(11.05, 57.03)])], crs="EPSG:4326")
    metres = 2428.93  # on WGS 84
    for name, field in (("walk", "length"), ("walk", "path"), ("sight", "end"), ("profile", "distance")):
        found = list(run(name, INPUT=path, LINES=lines, OUTPUT="memory:").getFeatures())
        assert abs(found[-1][field] - metres) < 1, (name, field)
    near, far = (list(run("intervisible", INPUT=path, RANGE=reach, POINTS=layer_of(
        "Point", [QgsGeometry.fromPointXY(QgsPointXY(x, 57.03)) for x in (11.01, 11.05)], crs="EPSG:4326"), OUTPUT="memory:").getFeatures())
                 for reach in (2400, 2500))
    assert (len(near), len(far)) == (0, 1)


def test_lf_layer(raster, tmp_path):
    """A .lf file, opened by landfall's GDAL driver, as a layer."""
    if gdal.GetDriverByName("LF") is None:
        pytest.skip("landfall's GDAL driver is not built here")
    command("build", raster, "-o", tmp_path / "hills.lf", "-q")
    assert QgsRasterLayer(str(tmp_path / "hills.lf"), "hills").isValid()
    for options in ({}, {"RANGE_MAX": 900.0}):
        ours, theirs = (values(run("viewshed", INPUT=path, OBSERVER=at(PLACES[0]), OUTPUT=str(tmp_path / name), **options))
                        for path, name in ((str(tmp_path / "hills.lf"), "a.tif"), (raster, "b.tif")))
        assert np.array_equal(ours, theirs)


@pytest.mark.parametrize("name, options, labels", [
    ("sight", {"LINES": line}, ["visible", "hidden"]), ("intervisible", {"POINTS": points}, ["clear", "blocked"]),
    ("walk", {"LINES": line}, ["walked to its end", "stopped before"]), ("profile", {"LINES": line}, ["ground below the line", "ground above the line"]),
    ("heights", {"POINTS": points}, ["height of the ground", "no ground"]), ("horizon", {"OBSERVER": lambda: at(PLACES[0])}, [""])])
def test_styles_of_features(raster, name, options, labels):
    """Every feature of an output has a symbol."""
    import processing
    from qgis.core import QgsExpressionContextUtils, QgsRenderContext
    context = QgsProcessingContext()
    context.setProject(QgsProject.instance())
    given = {key: value() for key, value in options.items()}
    found = processing.run(f"landfall:{name}", dict(INPUT=raster, OUTPUT="TEMPORARY_OUTPUT", **given), context=context)["OUTPUT"]
    layer = found if isinstance(found, QgsVectorLayer) else context.getMapLayer(found)
    renderer = layer.renderer()
    assert [item.label() for item in renderer.legendSymbolItems()] == labels
    assert layer.labelsEnabled() == (name == "heights")
    drawn = QgsRenderContext()
    drawn.expressionContext().appendScopes(QgsExpressionContextUtils.globalProjectLayerScopes(layer))
    renderer.startRender(drawn, layer.fields())
    for feature in layer.getFeatures():
        drawn.expressionContext().setFeature(feature)
        assert renderer.symbolForFeature(feature, drawn) is not None, feature.attributes()
    renderer.stopRender(drawn)


def test_styles(raster):
    """Outputs that a project loads are coloured: codes by name, numbers from the least to the greatest."""
    import processing
    for mode, kind in ((0, "paletted"), (4, "singlebandpseudocolor")):
        context = QgsProcessingContext()
        context.setProject(QgsProject.instance())
        found = processing.run("landfall:viewshed", dict(INPUT=raster, OBSERVER=at(PLACES[0]), MODE=mode,
                                                         OUTPUT="TEMPORARY_OUTPUT"), context=context)
        layer = context.temporaryLayerStore().mapLayers().values()
        layer = next(iter(layer), None) or context.getMapLayer(found["OUTPUT"])
        assert layer.renderer().type() == kind
        if mode:
            assert 300 < layer.renderer().classificationMax() < 3000


def test_map_tools(raster, tmp_path):
    """A drag of the pointer, and two clicks, on a canvas; with LANDFALL_PICTURES the pictures are kept there."""
    from qgis.core import QgsCoordinateReferenceSystem, QgsCoordinateTransform
    from qgis.gui import QgsMapCanvas, QgsMapMouseEvent
    from qgis.PyQt.QtCore import QEvent, QPoint, Qt
    from landfall_terrain.map_tools import ProfileTool, ViewshedTool
    layer = QgsRasterLayer(raster, "hills")
    canvas = QgsMapCanvas()
    canvas.resize(640, 480)
    canvas.setDestinationCrs(QgsCoordinateReferenceSystem("EPSG:32633"))
    canvas.setLayers([layer])
    canvas.setExtent(layer.extent())
    warnings, docks = [], []
    bar = SimpleNamespace(pushWarning=lambda _, text: warnings.append(text))
    iface = SimpleNamespace(mapCanvas=lambda: canvas, activeLayer=lambda: layer, messageBar=lambda: bar,
                            addDockWidget=lambda _, dock: docks.append(dock), removeDockWidget=docks.remove)
    tool = ViewshedTool(iface)

    def event(kind, place, buttons=Qt.LeftButton):
        point = canvas.getCoordinateTransform().transform(QgsPointXY(*place))
        return QgsMapMouseEvent(canvas, kind, QPoint(round(point.x()), round(point.y())), Qt.LeftButton, buttons)

    canvas.setMapTool(tool)
    tool.canvasPressEvent(event(QEvent.MouseButtonPress, PLACES[0]))
    first = tool.seen.values.copy()
    tool.canvasMoveEvent(event(QEvent.MouseMove, PLACES[1]))
    assert warnings == [] and not np.array_equal(first, tool.seen.values)
    assert len(docks) == 1 and docks[0]["height"] == 2
    before = tool.seen.stats["visible"]
    docks[0].numbers["height"].setValue(60)
    assert tool.seen.stats["visible"] > before
    docks[0].numbers["range"].setValue(300)
    assert tool.seen.stats["beyond"] > 0
    docks[0].numbers["range"].setValue(0)
    # The same samples are drawn in another CRS.
    shares = []
    for crs in ("EPSG:32633", "EPSG:3857", "EPSG:32633"):
        canvas.setDestinationCrs(QgsCoordinateReferenceSystem(crs))
        to_map = QgsCoordinateTransform(layer.crs(), canvas.mapSettings().destinationCrs(), QgsProject.instance())
        canvas.setExtent(to_map.transformBoundingBox(layer.extent()))
        image = tool.overlay.image()
        pixels = np.frombuffer(image.constBits().asstring(4 * 640 * 480), np.uint8).reshape(480, 640, 4)[..., 3] > 0
        inside = 0
        for x, y in np.random.default_rng(3).uniform((500100, 6500100), (502900, 6502300), (400, 2)):
            spot = canvas.getCoordinateTransform().transform(to_map.transform(QgsPointXY(x, y)))
            row, column = int((6502400 - y) // 20), int((x - 500000) // 20)
            inside += pixels[int(spot.y()), int(spot.x())] == tool.seen.visible[row, column]
        shares.append(inside / 400)
    assert min(shares) > 0.93, shares  # but for pixels at the edges of samples
    folder = os.environ.get("LANDFALL_PICTURES", str(tmp_path))
    canvas.waitWhileRendering()
    canvas.refresh()
    canvas.waitWhileRendering()
    QgsApplication.processEvents()
    assert canvas.grab().save(os.path.join(folder, "qgis-viewshed.png"))
    profile = ProfileTool(iface)
    canvas.setMapTool(profile)
    assert tool.overlay is None and docks == []
    for place in PLACES[:2]:
        profile.canvasReleaseEvent(event(QEvent.MouseButtonRelease, place, Qt.NoButton))
    assert len(docks) == 1 and len(profile.profile) > 50 and abs(profile.profile.sight.length - np.hypot(900, 750)) < 40
    docks[0].resize(640, 320)
    assert docks[0].grab().save(os.path.join(folder, "qgis-profile.png"))
    profile.clear()
    assert docks == []
    iface.activeLayer = lambda: None
    tool.canvasPressEvent(event(QEvent.MouseButtonPress, PLACES[0]))
    assert "raster layer" in warnings[-1]


def test_qgis_process(raster, tmp_path):
    """The installed plugin, run by QGIS's own command (Debian's script around it passes an option that it does not know)."""
    program = shutil.which("qgis_process.bin") or "qgis_process"
    enabled = subprocess.run([program, "plugins", "enable", "landfall_terrain"], text=True, stdout=subprocess.PIPE,
                             stderr=subprocess.STDOUT, check=False)
    assert enabled.returncode == 0, enabled.stdout
    done = subprocess.run([program, "run", "landfall:viewshed", "--", f"INPUT={raster}", f"OBSERVER={at(PLACES[0])}",
                           "HEIGHT=12", f"OUTPUT={tmp_path / 'seen.tif'}"], text=True, stdout=subprocess.PIPE,
                          stderr=subprocess.STDOUT, check=False)
    assert done.returncode == 0, done.stdout
    command("viewshed", raster, "--at", at(PLACES[0]), "--eye", 12, "-o", tmp_path / "theirs.tif", "-q")
    assert np.array_equal(values(str(tmp_path / "seen.tif")), values(str(tmp_path / "theirs.tif")))
