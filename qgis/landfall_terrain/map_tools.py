"""Map tools: a viewshed that follows the pointer, and a profile between two clicks."""
import numpy as np
from qgis.core import QgsCoordinateTransform, QgsCsException, QgsProject, QgsRasterLayer
from qgis.gui import QgsMapCanvasItem, QgsMapTool, QgsRubberBand
from qgis.PyQt.QtCore import QPointF, QRectF, Qt
from qgis.PyQt.QtGui import QColor, QImage, QPainter, QPen, QPolygonF
from qgis.PyQt.QtWidgets import QDockWidget, QDoubleSpinBox, QFormLayout, QVBoxLayout, QWidget

from . import ground

VISIBLE = (255, 190, 0, 120)
SAMPLES = 4_000_000  # of a viewshed that is computed while the pointer moves


def places(transform, x, y):
    """Columns and rows, with fractions, of places in the CRS of a raster with this transform."""
    a, b, c, d, e, f = transform
    x, y = x - c, y - f
    return (e * x - b * y) / (a * e - b * d), (a * y - d * x) / (a * e - b * d)


class Overlay(QgsMapCanvasItem):
    """What is visible, drawn over the map in whatever CRS and rotation that has."""
    STEP = 32  # pixels of the canvas between places that are transformed; those between are interpolated

    def __init__(self, canvas):
        super().__init__(canvas)
        self.canvas, self.visible, self.transform, self.crs = canvas, None, None, None

    def show_visible(self, visible, transform, crs):
        """visible: bools (rows, columns), of a raster with this transform and CRS."""
        self.visible, self.transform, self.crs = visible, transform, crs
        self.updatePosition()
        self.show()
        self.update()

    def updatePosition(self):  # noqa: N802 (after every change of the map's extent)
        self.setRect(self.canvas.extent())

    def boundingRect(self):  # noqa: N802
        return QRectF(0, 0, self.canvas.width(), self.canvas.height())

    def corners(self):
        """Columns and rows of the raster at every STEP-th pixel of the canvas; NaN where they have no place in its CRS."""
        to_map, settings = self.canvas.getCoordinateTransform(), self.canvas.mapSettings()
        transform = QgsCoordinateTransform(settings.destinationCrs(), self.crs, QgsProject.instance())
        found = np.full((self.canvas.height() // self.STEP + 2, self.canvas.width() // self.STEP + 2, 2), np.nan)
        for j, i in np.ndindex(found.shape[:2]):
            try:
                point = transform.transform(to_map.toMapCoordinates(i * self.STEP, j * self.STEP))
            except QgsCsException:
                continue
            found[j, i] = point.x(), point.y()
        return places(self.transform, found[..., 0], found[..., 1])

    def image(self):
        rows, columns = self.canvas.height(), self.canvas.width()
        j, i = (np.arange(n) + 0.5 for n in (rows, columns))
        y, x = (np.divmod(n / self.STEP, 1) for n in (j, i))
        (top, v), (left, u) = ((k.astype(int), part) for k, part in (y, x))
        cells = []
        for corner in self.corners():
            low, high = ((1 - u) * corner[k][:, left] + u * corner[k][:, left + 1] for k in (top, top + 1))
            cells.append(np.floor((1 - v[:, None]) * low + v[:, None] * high))
        column, row = cells
        inside = (column >= 0) & (row >= 0) & (column < self.visible.shape[1]) & (row < self.visible.shape[0])  # NaN is not
        seen = np.zeros((rows, columns), bool)
        seen[inside] = self.visible[row[inside].astype(int), column[inside].astype(int)]
        colours = np.zeros((rows, columns, 4), np.uint8)
        colours[seen] = VISIBLE
        return QImage(colours.tobytes(), columns, rows, 4 * columns, QImage.Format_RGBA8888).copy()

    def paint(self, painter, option=None, widget=None):
        if self.visible is not None:
            painter.drawImage(QPointF(0, 0), self.image())


class NumbersDock(QDockWidget):
    """The dock of a tool: what can be chosen, and a picture below."""

    def __init__(self, title, numbers, changed, view=None):
        super().__init__(title)
        inside, form = QWidget(), QFormLayout()
        self.view = view
        self.numbers = {}
        for name, text, value, least in numbers:
            box = QDoubleSpinBox()
            box.setRange(least, 1e6)
            box.setValue(value)
            box.valueChanged.connect(lambda _: changed())
            self.numbers[name] = box
            form.addRow(text, box)
        layout = QVBoxLayout(inside)
        layout.addLayout(form)
        if view is not None:
            layout.addWidget(view, 1)
        self.setWidget(inside)

    def __getitem__(self, name):
        return self.numbers[name].value()


class GroundTool(QgsMapTool):
    """A tool on the active raster layer, which is opened once, with a dock: TITLE, and NUMBERS that can be chosen (name, text, value,
    least). show_answer() answers where the pointer was last."""

    def __init__(self, iface):
        super().__init__(iface.mapCanvas())
        self.iface = iface
        self.opened = self.dock = None

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
        transform = QgsCoordinateTransform(self.canvas().mapSettings().destinationCrs(), ground.crs_of(layer), QgsProject.instance())
        try:
            point = transform.transform(event.mapPoint())
        except QgsCsException as error:
            self.say(str(error))
            return None
        return point.x(), point.y()

    def open_dock(self, area, view=None):
        """The dock of the tool, with the numbers that were chosen in it."""
        if self.dock is None:
            self.dock = NumbersDock(self.TITLE, self.NUMBERS, self.show_answer, view() if view else None)
            self.iface.addDockWidget(area, self.dock)
        self.dock.show()
        return self.dock

    def clear(self):
        self.opened = None
        if self.dock is not None:
            self.iface.removeDockWidget(self.dock)
            self.dock = None

    def deactivate(self):
        self.clear()
        super().deactivate()


class ViewshedTool(GroundTool):
    """Click or drag: the viewshed of the pointer's place follows it."""
    TITLE = "landfall viewshed"
    NUMBERS = (("height", "height of the observer above ground, m", 2.0, 0.0), ("target", "height of targets above ground, m", 0.0, 0.0),
               ("range", "greatest distance, m (0: none)", 0.0, 0.0))

    def __init__(self, iface):
        super().__init__(iface)
        self.overlay = self.seen = self.observer = None

    def canvasPressEvent(self, event):  # noqa: N802
        self.follow(event)

    def canvasMoveEvent(self, event):  # noqa: N802
        if event.buttons() & Qt.LeftButton:
            self.follow(event)

    def follow(self, event):
        opened = self.grid()
        if opened is not None:
            self.observer = self.place(event, opened[0]) or self.observer
            self.show_answer()

    def show_answer(self):
        if self.observer is None or self.grid() is None:
            return
        layer, grid = self.opened
        ask = self.open_dock(Qt.RightDockWidgetArea)
        window = self.window(grid)
        coefficient, radius = ground.curvature_of(layer, None)
        try:
            self.seen = grid.viewshed(self.observer, ask["height"], target=ask["target"], range=ask["range"] or None,
                                      curvature=coefficient, radius=radius, window=window)
        except ground.landfall().Error as error:
            self.say(str(error))
            return
        (rows, columns), (a, b, c, d, e, f) = window, grid.transform
        i, j = columns.start, rows.start
        if self.overlay is None:
            self.overlay = Overlay(self.canvas())
        self.overlay.show_visible(self.seen.visible, (a, b, c + a * i + b * j, d, e, f + d * i + e * j),
                                  ground.crs_of(layer))

    def window(self, grid):
        """All of the raster, or as much around the observer as follows the pointer."""
        rows, columns = grid.shape
        if rows * columns <= SAMPLES:
            return slice(0, rows), slice(0, columns)
        (column, row), half = (int(n) for n in places(grid.transform, *self.observer)), int(SAMPLES**0.5 / 2)
        return (slice(max(0, min(row - half, rows - 2)), max(2, min(row + half, rows))),
                slice(max(0, min(column - half, columns - 2)), max(2, min(column + half, columns))))

    def clear(self):
        super().clear()
        self.observer = None
        if self.overlay is not None:
            self.canvas().scene().removeItem(self.overlay)
            self.overlay = None


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


class ProfileTool(GroundTool):
    """Two clicks: the profile between them, in a dock."""
    TITLE = "landfall profile"
    NUMBERS = (("from", "height of the first point above ground, m", 10.0, 0.0), ("to", "height of the last point above ground, m", 10.0, 0.0),
               ("frequency", "frequency, MHz (0: none)", 900.0, 0.0))

    def __init__(self, iface):
        super().__init__(iface)
        self.band = self.profile = None
        self.points = []

    def canvasReleaseEvent(self, event):  # noqa: N802
        opened = self.grid()
        place = self.place(event, opened[0]) if opened is not None else None
        if place is None:
            return
        if len(self.points) == 2:
            self.points = []
        self.points.append(place)
        if self.band is None:
            self.band = QgsRubberBand(self.canvas())
            self.band.setColor(QColor(200, 0, 0))
            self.band.setWidth(2)
        if len(self.points) == 1:
            self.band.reset()
        self.band.addPoint(event.mapPoint())
        self.show_answer()

    def show_answer(self):
        if len(self.points) < 2 or self.grid() is None:
            return
        layer, grid = self.opened
        ask = self.open_dock(Qt.BottomDockWidgetArea, ProfileView)
        coefficient, radius = ground.curvature_of(layer, None)
        (ax, ay), (bx, by) = self.points
        ends = grid.point_above([ax, bx], [ay, by], [ask["from"], ask["to"]])
        if np.isnan(ends).any():
            self.say("there is no ground under one of the points")
            return
        try:
            self.profile = grid.profile(ends[0], ends[1], curvature=coefficient, radius=radius, frequency_mhz=ask["frequency"])
        except ground.landfall().Error as error:
            self.say(str(error))
            return
        ask.view.show_profile(self.profile)

    def clear(self):
        super().clear()
        self.points = []
        if self.band is not None:
            self.canvas().scene().removeItem(self.band)
            self.band = None
