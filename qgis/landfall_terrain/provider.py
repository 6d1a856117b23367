"""The Processing provider."""
from qgis.core import QgsProcessingProvider

from .on_features import Heights, Intervisible, Profile, Sight, Walk
from .on_rasters import Count, Horizon, HorizonMap, Shadow, SkyView, SunHours, TotalViewshed, Viewshed
from .ground import missing

ALGORITHMS = (Viewshed, Count, TotalViewshed, Sight, Profile, Intervisible, Horizon, HorizonMap, Shadow, SunHours, SkyView,
              Heights, Walk)


class LandfallProvider(QgsProcessingProvider):
    def id(self):
        return "landfall"

    def name(self):
        return "landfall"

    def longName(self):  # noqa: N802
        return "landfall: sight, sun and heights on terrain"

    def warningMessage(self):  # noqa: N802
        return missing() or ""

    def loadAlgorithms(self):  # noqa: N802
        for kind in ALGORITHMS:
            self.addAlgorithm(kind())
