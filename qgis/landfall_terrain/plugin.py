"""What QGIS loads: the provider of algorithms, and in its window a toolbar with the map tools."""
from qgis.core import QgsApplication
from qgis.PyQt.QtWidgets import QAction

from .provider import LandfallProvider


class LandfallPlugin:
    def __init__(self, iface):
        self.iface = iface
        self.provider = None
        self.actions = []
        self.tools = []

    def initProcessing(self):  # noqa: N802
        self.provider = LandfallProvider()
        QgsApplication.processingRegistry().addProvider(self.provider)

    def initGui(self):  # noqa: N802
        from .map_tools import ProfileTool, ViewshedTool

        self.initProcessing()
        for kind, text in ((ViewshedTool, "Viewshed from here"), (ProfileTool, "Profile between two clicks")):
            tool = kind(self.iface)
            action = QAction(text, self.iface.mainWindow())
            action.setCheckable(True)
            tool.setAction(action)
            action.triggered.connect(lambda _, tool=tool: self.iface.mapCanvas().setMapTool(tool))
            self.iface.addPluginToRasterMenu("landfall", action)
            self.tools.append(tool)
            self.actions.append(action)

    def unload(self):
        for tool in self.tools:
            tool.clear()
            self.iface.mapCanvas().unsetMapTool(tool)
        for action in self.actions:
            self.iface.removePluginRasterMenu("landfall", action)
        if self.provider is not None:
            QgsApplication.processingRegistry().removeProvider(self.provider)
