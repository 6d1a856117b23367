#!/usr/bin/python3
"""test_gdal_driver.py FOLDER-OF-PROGRAMS FOLDER-OF-DRIVER: .lf files through GDAL, against the rasters that they were built from."""
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

PROGRAMS, DRIVER = (os.path.abspath(word) for word in sys.argv[1:3])
del sys.argv[1:3]
os.environ["GDAL_DRIVER_PATH"] = DRIVER
os.environ["GDAL_PAM_ENABLED"] = "NO"
try:
    import numpy
    from osgeo import gdal
except ImportError:
    print("skipped: the GDAL driver: Python has no osgeo.gdal (Debian: python3-gdal)")
    sys.exit(0)
gdal.UseExceptions()
NORTH_UP = (400000, 30, 0, 6500000, 0, -30)


def landfall(*words):
    return subprocess.run([os.path.join(PROGRAMS, "landfall"), *words, "-q"], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)


class Driver(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp(prefix="landfall-gdal-")
        self.tif, self.lf = self.folder + "/source.tif", self.folder + "/source.lf"

    def tearDown(self):
        shutil.rmtree(self.folder)

    def make(self, values, place=NORTH_UP, nodata=None, epsg=32633, options=(), metadata=None):
        kinds = {"float32": gdal.GDT_Float32, "float64": gdal.GDT_Float64, "int16": gdal.GDT_Int16, "uint16": gdal.GDT_UInt16}
        made = gdal.GetDriverByName("GTiff").Create(self.tif, values.shape[1], values.shape[0], 1, kinds[str(values.dtype)])
        made.SetGeoTransform(place)
        if epsg:
            from osgeo import osr
            crs = osr.SpatialReference()
            crs.ImportFromEPSG(epsg)
            made.SetProjection(crs.ExportToWkt())
        if metadata:
            made.SetMetadata(metadata)
        if nodata is not None:
            made.GetRasterBand(1).SetNoDataValue(nodata)
        made.GetRasterBand(1).WriteArray(values)
        made = None
        done = landfall("build", self.tif, "-o", self.lf, *options)
        self.assertEqual((done.returncode, done.stderr), (0, ""))
        return gdal.Open(self.tif), gdal.Open(self.lf)

    def same(self, source, ours):
        """Size, place, CRS, and every pixel: the same height, or no data in both."""
        self.assertEqual(ours.GetDriver().ShortName, "LF")
        self.assertEqual((ours.RasterXSize, ours.RasterYSize), (source.RasterXSize, source.RasterYSize))
        for a, b in zip(source.GetGeoTransform(), ours.GetGeoTransform()):
            self.assertAlmostEqual(a, b, delta=1e-9 * max(1, abs(a)))
        if source.GetSpatialRef():
            self.assertTrue(ours.GetSpatialRef().IsSame(source.GetSpatialRef()))
        theirs, mine = (one.ReadAsArray().astype(float) for one in (source, ours))
        for one, array in ((source, theirs), (ours, mine)):
            nodata = one.GetRasterBand(1).GetNoDataValue()
            if nodata is not None:
                array[array == nodata] = numpy.nan
        self.assertTrue(numpy.array_equal(theirs, mine, equal_nan=True))

    def values(self, kind, columns=300, rows=200):
        numbers = numpy.random.default_rng(1)
        x, y = numpy.meshgrid(numpy.arange(columns), numpy.arange(rows))
        return (1000 + 3 * x + 2 * y + numbers.integers(0, 50, (rows, columns))).astype(kind)

    def test_types(self):
        for kind, nodata in (("float32", -9999.0), ("float64", None), ("int16", -32768), ("uint16", 0), ("float32", None)):
            with self.subTest(kind=kind, nodata=nodata):
                values = self.values(kind)
                if nodata is not None:
                    values[17:30, 40:90] = nodata
                if kind == "float64":
                    values += 0.1
                source, ours = self.make(values, nodata=nodata)
                self.same(source, ours)
                band = ours.GetRasterBand(1)
                self.assertEqual(band.GetNoDataValue(), nodata)
                self.assertEqual((band.GetMinimum(), band.GetMaximum()), tuple(source.GetRasterBand(1).ComputeRasterMinMax(False)))
                self.assertEqual(band.GetUnitType(), "m")
                if kind in ("float32", "float64"):
                    self.assertEqual(band.DataType, source.GetRasterBand(1).DataType)
                for a, b in zip(band.ComputeStatistics(False), source.GetRasterBand(1).ComputeStatistics(False)):
                    self.assertAlmostEqual(a, b, places=6)

    def test_nodata_that_is_nan(self):
        values = self.values("float32")
        values[5, 7] = numpy.nan
        source, ours = self.make(values, nodata=numpy.nan)
        self.same(source, ours)
        self.assertTrue(numpy.isnan(ours.GetRasterBand(1).GetNoDataValue()))

    def test_orientations(self):
        """South up, east to west, and rows along x: pixels are where they were in the source."""
        for place in (NORTH_UP, (400000, 30, 0, 6500000, 0, 30), (400000, -30, 0, 6500000, 0, -30), (400000, 0, 30, 6500000, -30, 0), (400000, 0, -30, 6500000, 30, 0)):
            with self.subTest(place=place):
                for kind in ("float32", "int16"):  # raw, compressed; more than one block in both directions
                    values = self.values(kind, 1100, 517)
                    values[200:290, 500:530] = -9999
                    source, ours = self.make(values, place=place, nodata=-9999)
                    self.same(source, ours)
                    for window in ((37, 150, 101, 13), (505, 249, 530, 260), (1099, 516, 1, 1)):
                        self.assertTrue(numpy.array_equal(source.ReadAsArray(*window), ours.ReadAsArray(*window)))
                    for i, band in enumerate(ours.GetRasterBand(1).GetOverview(i) for i in range(3)):
                        self.assertTrue(numpy.array_equal(band.ReadAsArray(), values[::2 ** (i + 1), ::2 ** (i + 1)]))

    def test_degrees_points_and_none(self):
        self.same(*self.make(self.values("float32"), place=(7, 0.001, 0, 46, 0, -0.001), epsg=4326))
        source, ours = self.make(self.values("float32"), metadata={"AREA_OR_POINT": "Point"})
        self.same(source, ours)
        self.assertEqual(ours.GetMetadataItem("AREA_OR_POINT"), "Point")
        source, ours = self.make(self.values("float32"), epsg=None)
        self.same(source, ours)
        self.assertIsNone(ours.GetSpatialRef())

    def test_compressed(self):
        values = self.values("int16", 700, 500)
        for codec in ("pack", "maxplus"):
            with self.subTest(codec=codec):
                source, ours = self.make(values, options=("--codec", codec))
                self.same(source, ours)
                self.assertEqual(ours.GetMetadataItem("COMPRESSION", "IMAGE_STRUCTURE"), codec)

    def test_overviews(self):
        values = self.values("float32", 1100, 517)
        source, ours = self.make(values)
        band = ours.GetRasterBand(1)
        self.assertEqual(band.GetOverviewCount(), 3)
        for i in range(3):
            self.assertTrue(numpy.array_equal(band.GetOverview(i).ReadAsArray(), values[::2 ** (i + 1), ::2 ** (i + 1)]))

    def test_tools(self):
        if not shutil.which("gdal_translate"):
            print("skipped: gdal_translate is not installed (Debian: gdal-bin)")
            return
        self.make(self.values("float32"))
        tif = self.folder + "/again.tif"
        subprocess.run(["gdal_translate", "-q", self.lf, tif], check=True)
        source, again = gdal.Open(self.tif), gdal.Open(tif)
        self.same(source, gdal.Open(self.lf))
        self.assertEqual(again.GetRasterBand(1).Checksum(), source.GetRasterBand(1).Checksum())
        text = subprocess.run(["gdalinfo", "-stats", self.lf], check=True, stdout=subprocess.PIPE, text=True).stdout
        for part in ("Driver: LF/landfall grid", "UTM zone 33N", "STATISTICS_MEAN=", "Type=Float32"):
            self.assertIn(part, text)

    def test_rasterio(self):
        values = self.values("float32")
        self.make(values)
        script = "import rasterio, sys; one = rasterio.open(sys.argv[1]); print(one.driver, one.crs.to_epsg(), one.read(1)[3, 5])"
        done = subprocess.run(["/usr/bin/python3", "-c", script, self.lf], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        if "No module named 'rasterio'" in done.stderr:
            print("skipped: rasterio is not installed")
            return
        self.assertEqual(done.stdout.split(), ["LF", "32633", str(values[3, 5])], done.stderr)

    def test_refused(self):
        self.make(self.values("float32"))
        landfall("make", "park", "-o", self.folder + "/park.ply")
        landfall("build", self.folder + "/park.ply", "-o", self.folder + "/park.lf")
        with self.assertRaisesRegex(RuntimeError, "park.lf: holds a mesh: expected a grid"):
            gdal.Open(self.folder + "/park.lf")
        with self.assertRaisesRegex(RuntimeError, "only reads"):
            gdal.Open(self.lf, gdal.GA_Update)
        with open(self.lf, "r+b") as file:
            whole = file.read()
            file.seek(len(whole) * 2 // 3)
            file.write(b"\x55" * 4096)
        with self.assertRaises(RuntimeError):
            gdal.Open(self.lf).ReadAsArray()
        for size in (0, 8, 127, 200, 5000, len(whole) - 1):
            with open(self.lf, "wb") as file:
                file.write(whole[:size])
            with self.assertRaises(RuntimeError):
                gdal.Open(self.lf)


if __name__ == "__main__":
    unittest.main()
