"""window.py: run inside QGIS with its window (qgis --code): the plugin is loaded as for a user, its map tools are used with the mouse,
an algorithm runs from the toolbox, and pictures of the window are kept in LANDFALL_PICTURES. What goes wrong is written to the file
failed.txt there; done.txt tells that the end was reached."""
import os
import traceback

from osgeo import gdal
from qgis.core import Qgis, QgsProject, QgsRasterLayer
from qgis.PyQt.QtCore import QPoint, Qt, QTimer
from qgis.PyQt.QtTest import QTest
from qgis.utils import iface, loadPlugin, plugins, startPlugin

FOLDER, RASTER = os.environ["LANDFALL_PICTURES"], os.environ["LANDFALL_RASTER"]


def settle(milliseconds=600):
    iface.mapCanvas().waitWhileRendering()
    QTest.qWait(milliseconds)


def picture(name):
    settle()
    window = iface.mainWindow()
    assert window.grab().save(os.path.join(FOLDER, name)), name


def tool(text):
    """Choose a tool as its menu does."""
    action = next(action for action in plugins["landfall_terrain"].actions if action.text() == text)
    action.trigger()
    assert iface.mapCanvas().mapTool().action() is action


def place(x, y):
    """The pixel of the canvas at a share of its width and height."""
    canvas = iface.mapCanvas()
    return QPoint(int(canvas.width() * x), int(canvas.height() * y))


def drag(start, end):
    view = iface.mapCanvas().viewport()
    QTest.mousePress(view, Qt.LeftButton, Qt.NoModifier, start)
    for k in range(1, 6):
        QTest.mouseMove(view, start + (end - start) * k / 5)
        QTest.qWait(50)
    QTest.mouseRelease(view, Qt.LeftButton, Qt.NoModifier, end)


def play():
    window = iface.mainWindow()
    window.resize(1280, 860)
    iface.messageBar().clearWidgets()
    if "landfall_terrain" not in plugins:
        assert loadPlugin("landfall_terrain") and startPlugin("landfall_terrain")
    placed = os.path.join(FOLDER, "placed.tif")
    gdal.Translate(placed, RASTER, outputSRS="EPSG:32633", outputBounds=(500000, 6521000, 521000, 6500000))
    layer = QgsRasterLayer(placed, "mountains")
    QgsProject.instance().addMapLayer(layer)
    iface.setActiveLayer(layer)
    iface.zoomToActiveLayer()
    settle()
    tool("Viewshed from here")
    drag(place(0.4, 0.4), place(0.55, 0.5))
    seen = iface.mapCanvas().mapTool().seen
    assert seen is not None and seen.stats["visible"] > 0
    picture("qgis-viewshed.png")
    tool("Profile between two clicks")
    for spot in (place(0.25, 0.3), place(0.7, 0.75)):
        QTest.mouseClick(iface.mapCanvas().viewport(), Qt.LeftButton, Qt.NoModifier, spot)
    assert len(iface.mapCanvas().mapTool().profile) > 50
    picture("qgis-profile.png")
    iface.actionPan().trigger()
    import processing
    centre = layer.extent().center()
    found = processing.runAndLoadResults("landfall:viewshed", dict(INPUT=layer, OBSERVER=f"{centre.x()},{centre.y()}", HEIGHT=50,
                                                                   MODE=4, OUTPUT="TEMPORARY_OUTPUT"))
    assert os.path.exists(found["OUTPUT"])
    from qgis.PyQt.QtWidgets import QDockWidget
    toolbox = window.findChild(QDockWidget, "ProcessingToolbox")
    assert toolbox is not None
    toolbox.show()
    toolbox.searchBox.setText("landfall")
    picture("qgis-toolbox.png")


def main():
    try:
        play()
    except BaseException:  # noqa: B036 (all of it is told)
        with open(os.path.join(FOLDER, "failed.txt"), "w", encoding="utf-8") as file:
            file.write(traceback.format_exc())
    with open(os.path.join(FOLDER, "done.txt"), "w", encoding="utf-8") as file:
        file.write(Qgis.version())
    os._exit(0)  # QGIS 3.22 may crash when a script ends it


QTimer.singleShot(3000, main)
