"""The QGIS plugin of landfall: a Processing provider and map tools."""


def classFactory(iface):  # noqa: N802 (the name that QGIS calls)
    from .plugin import LandfallPlugin

    return LandfallPlugin(iface)
