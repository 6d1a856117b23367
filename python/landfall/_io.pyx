# cython: language_level=3, embedsignature=True, binding=True
"""Files, coordinate reference systems and the sun: what needs landfall-io, and with it GDAL."""
cimport numpy as cnp
from libc.stdint cimport int64_t, uint64_t
from libc.stdlib cimport free, malloc
from libc.string cimport memset

from landfall.capi cimport *

import os
import warnings

import numpy as np

from landfall import _core
from landfall._core import _error_of
from landfall._errors import BadArgument, Error

cnp.import_array()


cdef extern from "landfall/io.h" nogil:
    ctypedef enum lf_crs_kind:
        LF_CRS_NONE
        LF_CRS_ENGINEERING
        LF_CRS_PROJECTED
        LF_CRS_DEGREES
    const char *lf_crs_kind_name(lf_crs_kind kind)
    ctypedef enum lf_encoding:
        LF_ENCODING_NONE
    ctypedef struct lf_raster_def:
        lf_host host
        int band
        lf_encoding encoding
        cbool nodata_given
        double nodata, z_scale
        const char *z_unit
        const char *crs
        lf_window window
        cbool thin
    lf_raster_def lf_raster_def_default()
    ctypedef struct lf_raster
    ctypedef struct lf_raster_info:
        const char *format
        const char *stored
        int band, band_count
        cbool georeferenced, point
        lf_crs_kind kind
        const char *crs
        const char *crs_name
        lf_ellipsoid ellipsoid
        double xy_unit, z_unit
        cbool z_unit_known, masked
    lf_status lf_source_open_vsi(const char *path, const lf_host *host, lf_source *source, lf_error *error)
    lf_status lf_raster_read(const char *path, const lf_raster_def *definition, lf_raster **raster, lf_error *error)
    void lf_raster_close(lf_raster *raster)
    lf_raster_info lf_raster_describe(const lf_raster *raster)
    lf_grid_def lf_raster_grid_def(const lf_raster *raster)
    lf_pixels lf_raster_pixels(const lf_raster *raster)
    ctypedef struct lf_polygon_file_def:
        lf_host host
        double tolerance
    lf_polygon_file_def lf_polygon_file_def_default()
    ctypedef struct lf_polygon_file
    lf_status lf_polygon_file_read(const char *path, const lf_polygon_file_def *definition, lf_polygon_file **file,
                                   lf_error *error)
    void lf_polygon_file_close(lf_polygon_file *file)
    lf_polygons lf_polygon_file_polygons(const lf_polygon_file *file)
    ctypedef struct lf_polygon_file_info:
        int64_t name_count
    lf_polygon_file_info lf_polygon_file_describe(const lf_polygon_file *file)
    const char *lf_polygon_file_name(const lf_polygon_file *file, int64_t index)
    ctypedef struct lf_points_def:
        lf_host host
        const char *crs
    lf_points_def lf_points_def_default()
    ctypedef struct lf_points
    ctypedef struct lf_point:
        lf_vec2 at
        double height
        const char *name
    lf_status lf_points_read(const char *path, const lf_points_def *definition, lf_points **points, lf_error *error)
    void lf_points_close(lf_points *points)
    int64_t lf_points_count(const lf_points *points)
    lf_point lf_points_get(const lf_points *points, int64_t index)
    ctypedef struct lf_crs_transform
    lf_status lf_crs_transform_create(const char *source, const char *to, const lf_host *host, lf_crs_transform **transform,
                                      lf_error *error)
    void lf_crs_transform_destroy(lf_crs_transform *transform)
    int64_t lf_crs_transform_points(lf_crs_transform *transform, lf_vec3 *points, size_t stride, int64_t count, cbool back)
    int64_t lf_crs_transform_compass(lf_crs_transform *transform, const lf_vec2 *places, int64_t count,
                                     lf_compass *compasses, lf_vec2 *lon_lat)
    double lf_compass_to_map(const lf_compass *compass, double azimuth_deg)
    lf_status lf_time_read(const char *text, double *unix_seconds, lf_error *error)
    lf_status lf_sun_at(double lon_deg, double lat_deg, double unix_seconds, cbool refraction, lf_sun *sun)
    ctypedef struct lf_sun_day_def:
        double lon_deg, lat_deg, start, hours, step_minutes, lowest_deg
        cbool refraction
    lf_sun_day_def lf_sun_day_def_default()
    lf_status lf_sun_day(const lf_sun_day_def *definition, lf_sun *suns, int64_t capacity, int64_t *count, lf_error *error)
    ctypedef struct lf_tile_folder
    lf_status lf_tile_folder_open(const char *path, const lf_host *host, lf_tile_folder **folder, lf_error *error)
    void lf_tile_folder_close(lf_tile_folder *folder)
    lf_globe_provider lf_tile_folder_provider(lf_tile_folder *folder, int *level_count)
    ctypedef struct lf_globe_rasters
    lf_status lf_globe_rasters_open(const char **paths, int64_t count, const lf_raster_def *definition, int cells,
                                    lf_globe_rasters **rasters, lf_error *error)
    void lf_globe_rasters_close(lf_globe_rasters *rasters)
    lf_globe_def lf_globe_rasters_def(const lf_globe_rasters *rasters)
    ctypedef struct lf_world_file
    ctypedef struct lf_world_file_info:
        const lf_ground *ground
        const lf_grid *terrain
        lf_globe *globe
        lf_ellipsoid ellipsoid
        const char *crs
        const char *vertical
        int64_t part_count, building_count
    lf_status lf_world_file_open(const char *path, const lf_host *host, lf_world_file **world, lf_error *error)
    void lf_world_file_close(lf_world_file *world)
    lf_world_file_info lf_world_file_describe(const lf_world_file *world)


cdef void raise_error(int status, lf_error *error, str what) except *:
    text = (<bytes>error.text).decode("utf-8", "replace")
    raise _error_of(status, text or what + ": " + lf_status_text(<lf_status>status).decode(),
                    error.where if text else None)


cdef class RasterFile:
    """A raster in memory, kept by the grid that borrows its samples."""
    cdef lf_raster *raster
    cdef lf_raster_info info
    cdef lf_grid_def definition
    cdef lf_pixels pixels

    def __init__(self, path, *, int band=0, nodata=None, z_unit=None, crs=None, window=None, progress=None):
        cdef lf_raster_def definition = lf_raster_def_default()
        cdef lf_error error
        cdef lf_status status
        cdef bytes name = os.fsencode(path), unit, system
        cdef const char *text = name
        told = _core._Progress(progress)
        definition.host.progress = <const lf_progress *><size_t>told._address()
        definition.host.tasks = <const lf_tasks *><size_t>_core._tasks()
        definition.band = band
        if nodata is not None:
            definition.nodata_given, definition.nodata = True, float(nodata)
        if z_unit is not None:
            unit = z_unit.encode()
            definition.z_unit = unit
        if crs is not None:
            system = crs.encode()
            definition.crs = system
        if window is not None:
            rows, columns = window
            definition.window.row, definition.window.column = rows.start or 0, columns.start or 0
            definition.window.rows = rows.stop - (rows.start or 0)
            definition.window.columns = columns.stop - (columns.start or 0)
        memset(&error, 0, sizeof(lf_error))
        with nogil:
            status = lf_raster_read(text, &definition, &self.raster, &error)
        told._end(status, (<bytes>error.text).decode("utf-8", "replace"), error.where, "open")
        self.info = lf_raster_describe(self.raster)
        self.definition = lf_raster_grid_def(self.raster)
        self.pixels = lf_raster_pixels(self.raster)

    def __dealloc__(self):
        lf_raster_close(self.raster)

    def described(self):
        """What was read: a dict."""
        return {"format": self.info.format.decode(), "stored": self.info.stored.decode(), "band": self.info.band,
                "bands": self.info.band_count, "kind": lf_crs_kind_name(self.info.kind).decode(),
                "crs": None if self.info.crs is NULL else self.info.crs.decode(),
                "crs_name": None if self.info.crs_name is NULL else self.info.crs_name.decode(),
                "xy_unit": self.info.xy_unit, "z_unit": self.info.z_unit, "z_unit_known": bool(self.info.z_unit_known),
                "placed": bool(self.info.georeferenced), "point": bool(self.info.point),
                "ellipsoid": (self.info.ellipsoid.radius, self.info.ellipsoid.flattening)}

    def grid(self, how, surface="falling", bint extend=False, int leaf=0, progress=None):
        """The grid of the raster, which keeps it."""
        about = self.described()
        return _core.Grid._of_raster(self, <size_t>&self.definition, <size_t>&self.pixels, how, surface, extend, leaf,
                                     about["crs"], self.info.kind == LF_CRS_DEGREES, about["ellipsoid"], progress)


def describe_crs(crs):
    """What a coordinate reference system is: kind, crs (WKT), crs_name, xy_unit, ellipsoid."""
    text = ("<VRTDataset rasterXSize='2' rasterYSize='2'><GeoTransform>0,1,0,0,0,-1</GeoTransform>"
            "<VRTRasterBand dataType='Byte' band='1'/></VRTDataset>")
    try:
        return RasterFile(text, crs=str(crs), z_unit="m").described()
    except Error as error:
        message = error.message.split("</VRTDataset>: ")[-1]
        raise BadArgument("crs %s: %s" % (str(crs) if len(str(crs)) < 80 else str(crs)[:77] + "...", message)) from None


def read_polygons(path, double tolerance=0.001, progress=None):
    """The polygons of a file: vertices (n, 3), corners, starts, the number of each polygon's name or None, and names."""
    cdef lf_polygon_file_def definition = lf_polygon_file_def_default()
    cdef lf_polygon_file *file = NULL
    cdef lf_polygons polygons
    cdef lf_error error
    cdef lf_status status
    cdef bytes name = os.fsencode(path)
    cdef const char *text = name
    cdef int64_t k
    told = _core._Progress(progress)
    definition.host.progress = <const lf_progress *><size_t>told._address()
    definition.tolerance = tolerance
    memset(&error, 0, sizeof(lf_error))
    with nogil:
        status = lf_polygon_file_read(text, &definition, &file, &error)
    told._end(status, (<bytes>error.text).decode("utf-8", "replace"), error.where, "open")
    try:
        polygons = lf_polygon_file_polygons(file)
        vertices = np.array(<double[:polygons.vertex_count, :3]><double *>polygons.vertices)
        if polygons.starts is NULL:
            starts = 3 * np.arange(polygons.polygon_count + 1, dtype=np.int64)
        else:
            starts = np.array(<int64_t[:polygons.polygon_count + 1]><int64_t *>polygons.starts)
        corners = np.array(<int64_t[:starts[polygons.polygon_count]]><int64_t *>polygons.corners)
        users = None
        if polygons.users is not NULL:
            users = np.array(<uint64_t[:polygons.polygon_count]><uint64_t *>polygons.users)
        names = [lf_polygon_file_name(file, k).decode() for k in range(lf_polygon_file_describe(file).name_count)]
        return vertices, corners, starts, users, names
    finally:
        lf_polygon_file_close(file)


def open_source(path):
    """The address of a source of GDAL's virtual file systems, in memory of malloc, for landfall._core."""
    cdef lf_source *source = <lf_source *>malloc(sizeof(lf_source))
    cdef lf_error error
    cdef lf_status status
    cdef bytes name = os.fsencode(path)
    cdef const char *text = name
    memset(&error, 0, sizeof(lf_error))
    with nogil:
        status = lf_source_open_vsi(text, NULL, source, &error)
    if status < 0:
        free(source)
        raise_error(status, &error, "open")
    return <size_t>source


def read_points(path, crs=None):
    """Named points of a text or vector file: places (n, 2), heights (NaN without one), names.

    crs: transform the points of a file with a CRS of its own to this one
    """
    cdef lf_points_def definition = lf_points_def_default()
    cdef lf_points *points = NULL
    cdef lf_error error
    cdef lf_status status
    cdef lf_point point
    cdef bytes name = os.fsencode(path), system
    cdef const char *text = name
    if crs is not None:
        system = str(crs).encode()
        definition.crs = system
    memset(&error, 0, sizeof(lf_error))
    with nogil:
        status = lf_points_read(text, &definition, &points, &error)
    if status < 0:
        raise_error(status, &error, "read_points")
    try:
        places, heights, names = [], [], []
        for k in range(lf_points_count(points)):
            point = lf_points_get(points, k)
            places.append((point.at.x, point.at.y))
            heights.append(point.height)
            names.append(None if point.name is NULL else point.name.decode())
        return np.array(places), np.array(heights), names
    finally:
        lf_points_close(points)


def transform_points(points, source, to=None):
    """Points (..., 2 or 3) from one coordinate reference system to another; x is always easting or longitude.

    to: None: the longitudes and latitudes that `source` is based on
    Points without a place on the other side become NaN.
    """
    cdef lf_crs_transform *transform = NULL
    cdef lf_error error
    cdef lf_status status
    cdef bytes from_text = str(source).encode(), to_text
    cdef const char *from_ = from_text
    cdef const char *into = NULL
    cdef cnp.ndarray packed
    array = np.asarray(points, np.float64)
    if array.ndim == 0 or array.shape[-1] not in (2, 3):
        raise BadArgument("points: expected 2 or 3 numbers along the last axis, got the shape %s" % (array.shape,))
    if to is not None:
        to_text = str(to).encode()
        into = to_text
    packed = np.zeros((array.size // array.shape[-1], 3))
    packed[:, :array.shape[-1]] = array.reshape(-1, array.shape[-1])
    memset(&error, 0, sizeof(lf_error))
    status = lf_crs_transform_create(from_, into, NULL, &transform, &error)
    if status < 0:
        raise_error(status, &error, "transform_points")
    with nogil:
        lf_crs_transform_points(transform, <lf_vec3 *>cnp.PyArray_DATA(packed), 0, cnp.PyArray_DIM(packed, 0), False)
    lf_crs_transform_destroy(transform)
    return np.ascontiguousarray((<object>packed)[:, :array.shape[-1]]).reshape(array.shape)


cdef double time_of(when) except *:
    """Seconds since 1970 UTC of a text, a datetime or a number."""
    cdef double seconds
    cdef lf_error error
    cdef bytes text
    if isinstance(when, (int, float)):
        return when
    if hasattr(when, "timestamp"):
        if when.tzinfo is None:
            import datetime
            when = when.replace(tzinfo=datetime.timezone.utc)
        return when.timestamp()
    if isinstance(when, np.datetime64):
        return when.astype("datetime64[us]").astype(np.int64) * 1e-6
    text = str(when).encode()
    memset(&error, 0, sizeof(lf_error))
    status = lf_time_read(text, &seconds, &error)
    if status < 0:
        raise_error(status, &error, "time %s" % when)
    return seconds


def sun_at(double lon, double lat, when, *, bint refraction=True):
    """Azimuth (degrees clockwise from true north) and altitude (degrees) of the sun.

    when: "2026-06-21T12:00", a datetime (UTC where it has no zone), a datetime64, or seconds since 1970

    >>> import landfall as lf
    >>> azimuth, altitude = lf.sun_at(18.0, 59.3, "2026-06-21T10:50")
    >>> round(azimuth), round(altitude)
    (180, 54)
    """
    cdef lf_sun sun
    status = lf_sun_at(lon, lat, time_of(when), refraction, &sun)
    if status < 0:
        raise _error_of(status, "sun_at %r, %r: longitude must be finite, latitude within 90 degrees, the year 1000 .. 2999"
                        % (lon, lat))
    return sun.azimuth_deg, sun.altitude_deg


def sun_day(double lon, double lat, start, *, double hours=24.0, double step_minutes=10.0, double lowest=-1.0,
            bint refraction=True, crs=None, at=None):
    """The suns of a day for Grid.sun_hours: an array (n, 3) of azimuth, altitude and hours, one for each step.

    start:  as `when` of :func:`sun_at`; the day begins there
    lowest: suns below this altitude are left out
    crs, at: convert azimuths from true north to the map of this CRS at the place x, y; else they are true ones

    >>> import landfall as lf
    >>> suns = lf.sun_day(18.0, 59.3, "2026-06-21")
    >>> round(suns[:, 2].sum(), 1)
    19.0
    """
    cdef lf_sun_day_def definition = lf_sun_day_def_default()
    cdef lf_error error
    cdef int64_t count = 0
    cdef cnp.ndarray suns = np.empty((0, 3))
    definition.lon_deg, definition.lat_deg, definition.start, definition.hours = lon, lat, time_of(start), hours
    definition.step_minutes, definition.lowest_deg, definition.refraction = step_minutes, lowest, refraction
    memset(&error, 0, sizeof(lf_error))
    status = lf_sun_day(&definition, NULL, 0, &count, &error)
    if status == LF_PARTIAL:
        suns = np.empty((count, 3))
        status = lf_sun_day(&definition, <lf_sun *>cnp.PyArray_DATA(suns), count, &count, &error)
    if status < 0:
        raise_error(status, &error, "sun_day")
    if crs is not None:
        to_map(suns, str(crs), at)
    return suns


cdef int to_map(cnp.ndarray suns, str crs, at) except -1:
    """True azimuths as those of the map at a place."""
    cdef lf_crs_transform *transform = NULL
    cdef lf_error error
    cdef lf_compass compass
    cdef lf_vec2 place
    cdef bytes text = crs.encode()
    cdef double *sun = <double *>cnp.PyArray_DATA(suns)
    cdef int64_t k
    place.x, place.y = at
    memset(&error, 0, sizeof(lf_error))
    status = lf_crs_transform_create(text, NULL, NULL, &transform, &error)
    if status < 0:
        raise_error(status, &error, "crs")
    missing = lf_crs_transform_compass(transform, &place, 1, &compass, NULL)
    lf_crs_transform_destroy(transform)
    if missing:
        raise BadArgument("at %r: has no north on this map" % (at,))
    for k in range(suns.shape[0]):
        sun[3 * k] = lf_compass_to_map(&compass, sun[3 * k])
    return 0


cdef class GlobeSource:
    """What a globe's tiles come from: raster files, or a folder of tiles."""
    cdef lf_globe_rasters *rasters
    cdef lf_tile_folder *folder
    cdef lf_globe_def definition
    cdef object told

    def __init__(self, list paths, int cells=64, progress=None):
        cdef lf_raster_def how = lf_raster_def_default()
        cdef lf_error error
        cdef lf_status status
        cdef const char *names[64]
        cdef int64_t count = len(paths)
        cdef int levels = 0
        kept = [os.fsencode(path) for path in paths]
        told = _core._Progress(progress)
        if count > 64:
            raise BadArgument("paths: %d files are more than 64" % count)
        for k in range(count):
            names[k] = <const char *>(<bytes>kept[k])
        memset(&error, 0, sizeof(lf_error))
        if count == 1 and (os.path.isdir(paths[0]) or os.path.basename(paths[0]) == "layer.json"):
            status = lf_tile_folder_open(names[0], NULL, &self.folder, &error)
            if status >= 0:
                self.definition = lf_globe_def_default()
                self.definition.provider = lf_tile_folder_provider(self.folder, &levels)
                self.definition.level_count = levels
        else:
            how.host.progress = <const lf_progress *><size_t>told._address()
            with nogil:
                status = lf_globe_rasters_open(names, count, &how, cells, &self.rasters, &error)
            if status >= 0:
                self.definition = lf_globe_rasters_def(self.rasters)
        told._end(status, (<bytes>error.text).decode("utf-8", "replace"), error.where, "Globe.open")
        self.told = told

    def __dealloc__(self):
        lf_globe_rasters_close(self.rasters)
        lf_tile_folder_close(self.folder)

    def _address(self):
        return <size_t>&self.definition


cdef class WorldFile:
    """A world read from a file, kept by the World that asks it."""
    cdef lf_world_file *world
    cdef object told

    def __init__(self, path, progress=None):
        cdef lf_host host
        cdef lf_error error
        cdef lf_status status
        cdef bytes name = os.fsencode(path)
        cdef const char *text = name
        self.told = _core._Progress(progress)
        memset(&error, 0, sizeof(lf_error))
        memset(&host, 0, sizeof(lf_host))
        host.progress = <const lf_progress *><size_t>self.told._address()
        with nogil:
            status = lf_world_file_open(text, &host, &self.world, &error)
        self.told._end(status, (<bytes>error.text).decode("utf-8", "replace"), error.where, "World.open")

    def __dealloc__(self):
        lf_world_file_close(self.world)

    def described(self):
        """What it holds: a dict."""
        cdef lf_world_file_info info = lf_world_file_describe(self.world)
        return {"parts": info.part_count, "buildings": info.building_count, "globe": info.globe is not NULL,
                "crs": None if info.crs is NULL else info.crs.decode(),
                "vertical": None if info.vertical is NULL else info.vertical.decode(),
                "ellipsoid": (info.ellipsoid.radius, info.ellipsoid.flattening)}

    def _address(self):
        """Of its ground, for landfall._core."""
        return <size_t>lf_world_file_describe(self.world).ground

    def _terrain(self):
        """The address of the grid whose samples maps have by default, or 0."""
        return <size_t>lf_world_file_describe(self.world).terrain
