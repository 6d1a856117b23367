"""Map tools: a viewshed that follows the pointer, and a profile between two clicks."""
import numpy as np
from qgis.core import QgsCoordinateTransform, QgsPointXY, QgsProject, QgsRasterLayer, QgsRectangle
from qgis.gui import QgsMapCanvasItem, QgsMapTool, QgsRubberBand
from qgis.PyQt.QtCore import QPointF, QRectF, Qt
from qgis.PyQt.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from qgis.PyQt.QtWidgets import QDockWidget, QDoubleSpinBox, QFormLayout, QVBoxLayout, QWidget

from . import ground

VISIBLE = (255, 190, 0, 120)
SAMPLES = 4_000_000  # of a viewshed that is computed while the pointer moves


class Overlay(QgsMapCanvasItem):
    """An image over a rectangle of the map."""

    def __init__(self, canvas):
        super().__init__(canvas)
        self.image = None
        self.extent = QgsRectangle()

    def show_image(self, image, extent):
        self.image, self.extent = image, extent
        self.setRect(extent)
        self.show()
        self.update()

    def paint(self, painter, option=None, widget=None):
        if self.image is not None:
            painter.drawImage(QRectF(self.boundingRect()), self.image)

    def boundingRect(self):  # noqa: N802
        low = self.toCanvasCoordinates(QgsPointXY(self.extent.xMinimum(), self.extent.yMaximum())) - self.pos()
        high = self.toCanvasCoordinates(QgsPointXY(self.extent.xMaximum(), self.extent.yMinimum())) - self.pos()
        return QRectF(low, high)


class GroundTool(QgsMapTool):
    """A tool on the active raster layer, which is opened once."""

    def __init__(self, iface):
        super().__init__(iface.mapCanvas())
        self.iface = iface
        self.opened = None

    def grid(self):
        """The active raster layer and its grid, or None with a message."""
        layer = self.iface.activeLayer()
        if not isinstance(layer, QgsRasterLayer):
            self.say("choose a raster layer of heights first")
            return None
        if self.opened is None or self.opened[0] is not layer:
            try:
                self.opened = layer, ground.open_grid(layer, 1)
            except Exception as error:  # noqa: BLE001 (shown to the user)
                self.say(str(error))
                return None
        return self.opened

    def say(self, text):
        self.iface.messageBar().pushWarning("landfall", text)

    def place(self, event, layer):
        """Where the pointer is, in the CRS of the layer."""
        transform = QgsCoordinateTransform(self.canvas().mapSettings().destinationCrs(), layer.crs(), QgsProject.instance())
        point = transform.transform(event.mapPoint())
        return point.x(), point.y()

    def clear(self):
        self.opened = None


class ViewshedTool(GroundTool):
    """Click or drag: the viewshed of the pointer's place follows it."""

    def __init__(self, iface):
        super().__init__(iface)
        self.overlay = None
        self.height = 2.0
        self.seen = None

    def canvasPressEvent(self, event):  # noqa: N802
        self.look(event)

    def canvasMoveEvent(self, event):  # noqa: N802
        if event.buttons() & Qt.LeftButton:
            self.look(event)

    def look(self, event):
        opened = self.grid()
        if opened is None:
            return
        layer, grid = opened
        if self.canvas().mapSettings().destinationCrs() != layer.crs() and layer.crs().isValid():
            self.say("set the map's CRS to that of the raster to see its viewshed")
            return
        x, y = self.place(event, layer)
        window = self.window(grid, x, y)
        coefficient, radius = ground.curvature_of(layer, None)
        try:
            self.seen = grid.viewshed((x, y), self.height, curvature=coefficient, radius=radius, window=window)
        except ground.landfall().Error as error:
            self.say(str(error))
            return
        rows, columns = window
        a, _, c, _, e, f = grid.transform
        self.draw(self.seen, QgsRectangle(c + a * columns.start, f + e * rows.stop, c + a * columns.stop, f + e * rows.start))

    def window(self, grid, x, y):
        """All of the raster, or as much around the observer as follows the pointer."""
        rows, columns = grid.shape
        if rows * columns <= SAMPLES:
            return slice(0, rows), slice(0, columns)
        a, _, c, _, e, f = grid.transform
        row, column, half = int((y - f) / e), int((x - c) / a), int(SAMPLES**0.5 / 2)
        return (slice(max(0, min(row - half, rows - 2)), max(2, min(row + half, rows))),
                slice(max(0, min(column - half, columns - 2)), max(2, min(column + half, columns))))

    def draw(self, seen, extent):
        colours = np.zeros(seen.shape + (4,), np.uint8)
        colours[seen.visible] = VISIBLE
        image = QImage(colours.tobytes(), seen.shape[1], seen.shape[0], 4 * seen.shape[1], QImage.Format_RGBA8888).copy()
        if self.overlay is None:
            self.overlay = Overlay(self.canvas())
        self.overlay.show_image(image, extent)

    def clear(self):
        super().clear()
        if self.overlay is not None:
            self.canvas().scene().removeItem(self.overlay)
            self.overlay = None

    def deactivate(self):
        self.clear()
        super().deactivate()


class ProfileView(QWidget):
    """Ground, line and Fresnel zone of a profile."""

    def __init__(self):
        super().__init__()
        self.profile = None
        self.setMinimumSize(320, 160)

    def show_profile(self, profile):
        self.profile = profile
        self.update()

    def paintEvent(self, event):  # noqa: N802
        painter = QPainter(self)
        painter.fillRect(self.rect(), Qt.white)
        if self.profile is None:
            return
        painter.setRenderHint(QPainter.Antialiasing)
        p = self.profile
        zone = np.nan_to_num(p.zone)
        low, high = np.nanmin(np.minimum(p.ground, p.line - zone)), np.nanmax(np.maximum(p.ground, p.line + zone))
        margin, width, height = 50, self.width() - 80, self.height() - 50

        def at(distance, z):
            return QPointF(margin + width * distance / p.distance[-1], 20 + height * (high - z) / max(high - low, 1e-9))

        known = np.isfinite(p.ground)
        shape = [at(d, z) for d, z in zip(p.distance[known], p.ground[known])]
        painter.setPen(QPen(QColor(90, 70, 40)))
        painter.setBrush(QColor(200, 180, 140))
        painter.drawPolygon(QPolygonF([at(p.distance[known][0], low), *shape, at(p.distance[known][-1], low)]))
        if p.frequency_mhz:
            painter.setPen(QPen(QColor(0, 90, 200), 1, Qt.DashLine))
            painter.setBrush(QColor(0, 90, 200, 40))
            painter.drawPolygon(QPolygonF([at(d, z) for d, z in zip(p.distance, p.line + zone)] +
                                          [at(d, z) for d, z in zip(p.distance[::-1], (p.line - zone)[::-1])]))
        from landfall import Verdict
        verdict = Verdict(int(p.sight.verdict))
        painter.setPen(QPen(QColor(0, 130, 0) if verdict == Verdict.CLEAR else QColor(200, 0, 0), 2))
        painter.drawPolyline(QPolygonF([at(d, z) for d, z in zip(p.distance, p.line)]))
        painter.setPen(Qt.black)
        text = f"{verdict.name.lower()}, {p.distance[-1]:.0f} m, clearance {p.sight.clearance:.1f} m"
        if p.frequency_mhz:
            text += f", {100 * max(0.0, p.sight.fresnel):.0f} % of the first Fresnel zone free"
        painter.drawText(8, 14, text)
        painter.drawText(2, 32, f"{high:.0f} m")
        painter.drawText(2, 20 + height, f"{low:.0f} m")
        painter.drawText(margin, self.height() - 8, "0 m")
        painter.drawText(self.width() - 68, self.height() - 8, f"{p.distance[-1]:.0f} m")


class ProfileDock(QDockWidget):
    """The dock of the profile tool: heights and frequency, and the picture."""

    def __init__(self, changed):
        super().__init__("landfall profile")
        inside, form = QWidget(), QFormLayout()
        self.view = ProfileView()
        self.numbers = {}
        for name, text, value in (("from", "height of the first point, m", 10.0), ("to", "height of the last point, m", 10.0),
                                  ("frequency", "frequency, MHz", 900.0)):
            box = QDoubleSpinBox()
            box.setMaximum(1e6)
            box.setValue(value)
            box.valueChanged.connect(lambda _: changed())
            self.numbers[name] = box
            form.addRow(text, box)
        layout = QVBoxLayout(inside)
        layout.addLayout(form)
        layout.addWidget(self.view, 1)
        self.setWidget(inside)


class ProfileTool(GroundTool):
    """Two clicks: the profile between them, in a dock."""

    def __init__(self, iface):
        super().__init__(iface)
        self.dock = self.band = self.profile = None
        self.points = []

    def canvasReleaseEvent(self, event):  # noqa: N802
        opened = self.grid()
        if opened is None:
            return
        if len(self.points) == 2:
            self.points = []
        self.points.append(self.place(event, opened[0]))
        if self.band is None:
            self.band = QgsRubberBand(self.canvas())
            self.band.setColor(QColor(200, 0, 0))
            self.band.setWidth(2)
        if len(self.points) == 1:
            self.band.reset()
        self.band.addPoint(event.mapPoint())
        self.show_profile()

    def show_profile(self):
        if len(self.points) < 2 or self.grid() is None:
            return
        layer, grid = self.opened
        if self.dock is None:
            self.dock = ProfileDock(self.show_profile)
            self.iface.addDockWidget(Qt.BottomDockWidgetArea, self.dock)
        ask = self.dock.numbers
        coefficient, radius = ground.curvature_of(layer, None)
        (ax, ay), (bx, by) = self.points
        ends = grid.point_above([ax, bx], [ay, by], [ask["from"].value(), ask["to"].value()])
        if np.isnan(ends).any():
            self.say("there is no ground under one of the points")
            return
        try:
            self.profile = grid.profile(ends[0], ends[1], curvature=coefficient, radius=radius,
                                        frequency_mhz=ask["frequency"].value())
        except ground.landfall().Error as error:
            self.say(str(error))
            return
        self.dock.show()
        self.dock.view.show_profile(self.profile)

    def clear(self):
        super().clear()
        self.points = []
        if self.band is not None:
            self.canvas().scene().removeItem(self.band)
            self.band = None
        if self.dock is not None:
            self.iface.removeDockWidget(self.dock)
            self.dock = None

    def deactivate(self):
        self.clear()
        super().deactivate()
