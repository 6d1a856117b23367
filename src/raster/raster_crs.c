/// What x, y and heights of a raster are: its coordinate reference system and its units.
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_string.h>
#include <math.h>
#include <string.h>

// ---------------------------------------------------------------------------------------------------
// Units of length
// ---------------------------------------------------------------------------------------------------

#define FOOT 0.3048
#define US_FOOT (1200.0 / 3937.0)

/// Names as they occur in files, as lower case letters only.
static const struct {
    const char *name;
    double metres;
} lengths[] = {
    {"m", 1},
    {"metre", 1},
    {"metres", 1},
    {"meter", 1},
    {"meters", 1},
    {"ft", FOOT},
    {"foot", FOOT},
    {"feet", FOOT},
    {"fts", FOOT},
    {"footinternational", FOOT},
    {"ftus", US_FOOT},
    {"usft", US_FOOT},
    {"usfoot", US_FOOT},
    {"usfeet", US_FOOT},
    {"footus", US_FOOT},
    {"ussurveyfoot", US_FOOT},
    {"ussurveyfeet", US_FOOT},
    {"surveyfoot", US_FOOT},
    {"surveyfeet", US_FOOT},
    {"sfoot", US_FOOT},
    {"ussurveyft", US_FOOT},
    {"mm", 0.001},
    {"millimetre", 0.001},
    {"millimeter", 0.001},
    {"millimetres", 0.001},
    {"millimeters", 0.001},
    {"cm", 0.01},
    {"centimetre", 0.01},
    {"centimeter", 0.01},
    {"centimetres", 0.01},
    {"centimeters", 0.01},
    {"dm", 0.1},
    {"decimetre", 0.1},
    {"decimeter", 0.1},
    {"decimetres", 0.1},
    {"decimeters", 0.1},
    {"km", 1000},
    {"kilometre", 1000},
    {"kilometer", 1000},
    {"kilometres", 1000},
    {"kilometers", 1000},
    {"yd", 0.9144},
    {"yard", 0.9144},
    {"yards", 0.9144},
    {"fathom", 1.8288},
    {"fathoms", 1.8288},
    {"inch", 0.0254},
    {"inches", 0.0254},
};

/// The letters of the first `length` characters of a text, in lower case.
static void letters_of(const char *text, size_t length, char *letters, size_t capacity) {
    size_t used = 0;
    for (size_t i = 0; i < length && used + 1 < capacity; i++) {
        char c = text[i] >= 'A' && text[i] <= 'Z' ? (char)(text[i] - 'A' + 'a') : text[i];
        if (c >= 'a' && c <= 'z')
            letters[used++] = c;
    }
    letters[used] = '\0';
}

static double length_named(const char *text, size_t length) {
    char letters[40];
    letters_of(text, length, letters, sizeof letters);
    for (size_t i = 0; i < sizeof lengths / sizeof *lengths; i++)
        if (strcmp(letters, lengths[i].name) == 0)
            return lengths[i].metres;
    return 0;
}

/// Whether a text continues with what heights are measured from.
static bool continues_above(const char *text) {
    static const char *const words[] = {"above", "over", "a.s.l", "asl", "amsl", "a.m.s.l"};
    text += strspn(text, " _");
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (STARTS_WITH_CI(text, words[i]))
            return true;
    return false;
}

double lf__length_unit(const char *name) {
    size_t bare = strcspn(name, "(,["), first = strcspn(name, " _");
    // Square metres and metres per second are not heights.
    if (strcspn(name, "0123456789/*^") < bare)
        return 0;
    double metres = length_named(name, strlen(name)); // "foot (International)"
    if (metres == 0)
        metres = length_named(name, bare); // "m (NAVD88)"
    if (metres == 0 && continues_above(name + first))
        metres = length_named(name, first); // "Meters above sea level"
    return metres;
}

// ---------------------------------------------------------------------------------------------------
// The CRS
// ---------------------------------------------------------------------------------------------------

lf_status lf__raster_text(lf_raster *raster, const char *text, char **kept) {
    size_t size = strlen(text) + 1;
    *kept = lf__allocate(&raster->allocator, size, LF__CACHE_LINE);
    if (*kept)
        memcpy(*kept, text, size);
    return *kept ? LF_OK : LF_NO_MEMORY;
}

/// NetCDF without a CRS may still declare that its axes are degrees.
static bool declares_degrees(GDALDatasetH dataset) {
    static const char *const words[] = {"degrees_east", "degree_east", "degrees_E", "degree_E"};
    char **items = GDALGetMetadata(dataset, NULL);
    for (; items && *items; items++) {
        const char *units = strstr(*items, "#units=");
        for (size_t i = 0; units && i < sizeof words / sizeof *words; i++)
            if (EQUAL(units + 7, words[i]))
                return true;
    }
    return false;
}

static bool northwards(OGRAxisOrientation axis) {
    return axis == OAO_North || axis == OAO_South;
}

static bool eastwards(OGRAxisOrientation axis) {
    return axis == OAO_East || axis == OAO_West;
}

/// Whether the x of the file is the northing of the CRS. Two axes that both point north meet at a pole: x is
/// x there.
static bool axes_swapped(OGRSpatialReferenceH system) {
    const char *part = OSRIsGeographic(system) ? "GEOGCS" : "PROJCS";
    int count = 0;
    const int *axes = OSRGetDataAxisToSRSAxisMapping(system, &count);
    OGRAxisOrientation x = OAO_Other, y = OAO_Other;
    if (count < 2 || axes[0] < 1 || axes[1] < 1)
        return false;
    OSRGetAxis(system, part, axes[0] - 1, &x);
    OSRGetAxis(system, part, axes[1] - 1, &y);
    return northwards(x) && eastwards(y);
}

/// Convert a CRS in feet to metres. Its vertical part is removed, because the text must no longer mention
/// feet.
static bool make_metric(OGRSpatialReferenceH system) {
    char *unit = NULL;
    OSRStripVertical(system);
    if (OSRIsLocal(system))
        OSRSetLinearUnits(system, "metre", 1.0);
    else
        OSRSetLinearUnitsAndUpdateParameters(system, "metre", 1.0);
    return OSRGetLinearUnits(system, &unit) == 1.0;
}

static lf_status read_kind(lf__raster_source *source, lf_raster *raster, OGRSpatialReferenceH system,
                           lf_error *error) {
    lf_raster_info *info = &raster->info;
    const char *path = source->gdal.path;
    char *unit = NULL;
    if (OSRIsGeocentric(system))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: its CRS is earth-centred, not a map", path);
    if (OSRIsGeographic(system)) {
        info->kind = LF_CRS_DEGREES;
        double degree = 0.017453292519943295, angle = OSRGetAngularUnits(system, &unit);
        if (fabs(angle - degree) > 1e-12)
            return lf__fail(error, LF_UNSUPPORTED, -1, "%s: its CRS counts in %s, not in degrees", path,
                            unit ? unit : "?");
        return LF_OK;
    }
    info->kind = OSRIsProjected(system) ? LF_CRS_PROJECTED : LF_CRS_ENGINEERING;
    info->xy_unit = OSRGetLinearUnits(system, &unit);
    if (!(info->xy_unit > 0) || !isfinite(info->xy_unit))
        return lf__fail(error, LF_BAD_FORMAT, -1, "%s: its CRS has a unit \"%s\" without a length", path,
                        unit ? unit : "");
    if (info->xy_unit == 1)
        return LF_OK;
    lf__log(&raster->host, LF_LOG_NOTE, "%s: x and y are in %s, converted to metres", path,
            unit ? unit : "another unit");
    if (!make_metric(system))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: the unit of its CRS cannot be converted to metres",
                        path);
    return LF_OK;
}

static void read_ellipsoid(lf_raster *raster, OGRSpatialReferenceH system) {
    OGRErr first = OGRERR_NONE, second = OGRERR_NONE;
    double radius = OSRGetSemiMajor(system, &first), inverse = OSRGetInvFlattening(system, &second);
    if (first == OGRERR_NONE && second == OGRERR_NONE && radius > 0 && isfinite(radius) &&
        (inverse == 0 || inverse > 1))
        raster->info.ellipsoid = (lf_ellipsoid){radius, inverse > 0 ? 1 / inverse : 0};
}

static lf_status keep_crs(lf_raster *raster, OGRSpatialReferenceH system) {
    static const char *const options[] = {"FORMAT=WKT2_2019", "MULTILINE=NO", NULL};
    char *text = NULL;
    const char *name = OSRGetName(system);
    lf_status status = LF_OK;
    if (OSRExportToWktEx(system, &text, options) == OGRERR_NONE && text && *text)
        status = lf__raster_text(raster, text, &raster->crs);
    if (status == LF_OK && raster->crs)
        status = lf__raster_text(raster, name && *name ? name : "unnamed", &raster->crs_name);
    CPLFree(text);
    return status;
}

/// Read the vertical part. One that is not in metres upwards is removed, because the heights are converted to
/// that.
static void read_vertical(lf__raster_source *source, OGRSpatialReferenceH system) {
    OGRAxisOrientation axis = OAO_Up;
    char *unit = NULL;
    if (!OSRIsCompound(system) || !OSRIsVertical(system))
        return;
    OSRGetAxis(system, "VERT_CS", 0, &axis);
    source->crs_z_unit = OSRGetTargetLinearUnits(system, "VERT_CS", &unit);
    if (axis == OAO_Down)
        source->crs_z_unit = -source->crs_z_unit;
    if (source->crs_z_unit != 1)
        OSRStripVertical(system);
}

/// A clone of the CRS of the file, or the one of the def; NULL without a CRS.
static lf_status find_crs(lf__raster_source *source, OGRSpatialReferenceH *system, lf_error *error) {
    OGRSpatialReferenceH own = GDALGetSpatialRef(source->dataset);
    if (source->def->crs) {
        *system = lf__crs_from_text(source->def->crs);
        if (!*system)
            return lf__fail(error, LF_BAD_ARGUMENT, -1, "\"%s\" is no coordinate reference system%s%s",
                            source->def->crs, source->gdal.text[0] ? ": " : "", source->gdal.text);
        return LF_OK;
    }
    *system = own ? OSRClone(own) : NULL;
    return LF_OK;
}

/// The CRS of a file that is read without GDAL, by its code.
static lf_status keep_plain_crs(const lf__geotiff *tiff, lf_raster *raster, lf_error *error) {
    raster->info.kind = tiff->kind;
    raster->info.ellipsoid.flattening = 1 / tiff->inverse_flattening;
    if (tiff->kind == LF_CRS_NONE)
        return LF_OK;
    lf_status status = lf__raster_text(raster, tiff->crs, &raster->crs);
    if (status == LF_OK)
        status = lf__raster_text(raster, tiff->crs, &raster->crs_name);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

lf_status lf__raster_crs(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    OGRSpatialReferenceH system = NULL;
    raster->info.ellipsoid = lf_ellipsoid_wgs84();
    raster->info.xy_unit = 1;
    if (source->plain)
        return keep_plain_crs(source->plain, raster, error);
    lf_status status = find_crs(source, &system, error);
    if (status != LF_OK)
        return status;
    if (!system) {
        raster->info.kind = declares_degrees(source->dataset) ? LF_CRS_DEGREES : LF_CRS_NONE;
        return LF_OK;
    }
    source->swapped = axes_swapped(system);
    read_ellipsoid(raster, system);
    read_vertical(source, system);
    status = read_kind(source, raster, system, error);
    if (status == LF_OK) {
        status = keep_crs(raster, system);
        if (status != LF_OK)
            lf__fail_plain(error, status);
    }
    OSRDestroySpatialReference(system);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Heights
// ---------------------------------------------------------------------------------------------------

/// Names that drivers use for an unknown unit, and texts without letters.
static bool names_nothing(const char *name) {
    static const char *const words[] = {"", "unspecified", "unknown", "none", "undefined", "unitless"};
    char letters[40];
    letters_of(name, strlen(name), letters, sizeof letters);
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strcmp(letters, words[i]) == 0)
            return true;
    return false;
}

static const char *band_unit_name(const lf__raster_source *source) {
    return source->plain ? source->plain->unit : GDALGetRasterUnitType(source->bands[0]);
}

/// The unit of the band; 0 when it has none.
static lf_status band_unit(const lf__raster_source *source, double *metres, lf_error *error) {
    const char *name = band_unit_name(source);
    *metres = 0;
    if (source->band_count > 1 || !name || names_nothing(name))
        return LF_OK;
    *metres = lf__length_unit(name);
    if (*metres > 0)
        return LF_OK;
    return lf__fail(
        error, LF_BAD_FORMAT, -1,
        "%s: its values are in \"%s\", which is no unit of height; a unit given by hand overrules it",
        source->gdal.path, name);
}

static lf_status given_unit(const lf__raster_source *source, lf_raster *raster, lf_error *error) {
    raster->info.z_unit = lf__length_unit(source->def->z_unit);
    raster->info.z_unit_known = true;
    if (raster->info.z_unit > 0)
        return LF_OK;
    return lf__fail(error, LF_BAD_ARGUMENT, -1, "\"%s\" is no unit of height: m, ft and us-ft are some",
                    source->def->z_unit);
}

lf_status lf__raster_z_unit(lf__raster_source *source, lf_raster *raster, lf_error *error) {
    const char *path = source->gdal.path;
    double metres, of_crs = source->crs_z_unit;
    if (source->def->z_unit)
        return given_unit(source, raster, error);
    lf_status status = band_unit(source, &metres, error);
    if (status != LF_OK)
        return status;
    if (metres > 0 && of_crs != 0 && fabs(fabs(of_crs) - metres) > 1e-6)
        return lf__fail(
            error, LF_BAD_FORMAT, -1,
            "%s: its band says that heights are in %s, its CRS says otherwise; a unit given by hand decides",
            path, band_unit_name(source));
    raster->info.z_unit_known = metres > 0 || of_crs != 0 || source->band_count > 1;
    if (!raster->info.z_unit_known && raster->info.xy_unit != 1)
        return lf__fail(error, LF_BAD_FORMAT, -1,
                        "%s: its x and y are not in metres, and nothing says what its heights are in; a unit "
                        "given by hand does",
                        path);
    raster->info.z_unit = of_crs != 0 ? of_crs : metres > 0 ? metres : 1;
    if (raster->info.z_unit != 1)
        lf__log(&raster->host, LF_LOG_NOTE, "%s: heights are in %s%s, converted to metres", path,
                metres > 0 ? band_unit_name(source) : "the unit of its CRS", of_crs < 0 ? " downwards" : "");
    return LF_OK;
}

lf_status lf__raster_scale(const lf__raster_source *source, lf_raster *raster, lf_error *error) {
    lf_samples *samples = &raster->samples;
    double factor = raster->info.z_unit * source->def->z_scale;
    double scale = source->plain ? 1 : GDALGetRasterScale(source->bands[0], NULL);
    double offset = source->plain ? 0 : GDALGetRasterOffset(source->bands[0], NULL);
    if (source->def->encoding == LF_ENCODING_TERRAIN_RGB) {
        scale = 0.1;
        offset = -10000;
    } else if (source->def->encoding == LF_ENCODING_TERRARIUM) {
        scale = 1.0 / 256;
        offset = -32768;
    }
    if (source->band_count > 1 && source->def->nodata_given)
        samples->nodata = round((source->def->nodata - offset) / scale);
    samples->scale = scale * factor;
    samples->offset = offset * factor + 0.0;
    if (isfinite(samples->scale) && samples->scale != 0 && isfinite(samples->offset))
        return LF_OK;
    char text[80];
    CPLsnprintf(text, sizeof text, "scale %.9g and offset %.9g", scale, offset);
    return lf__fail(error, LF_BAD_FORMAT, -1, "%s: a %s make no heights", source->gdal.path, text);
}
