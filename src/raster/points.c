/// Named points from text and vector files.
#include "base/containers.h"
#include "raster/raster.h"
#include <cpl_conv.h>
#include <cpl_vsi.h>
#include <math.h>
#include <ogr_api.h>
#include <string.h>
#include <strings.h>

/// A point, with its name as a position in all names.
typedef struct stored_point {
    lf_vec2 at;
    double height;
    int64_t name; ///< position of the name; -1: no name
} stored_point;

struct lf_points {
    lf_allocator allocator;
    lf__array list;  ///< of stored_point
    lf__array names; ///< char: every name with its closing zero
};

/// What a column or a field can be.
typedef enum point_field { POINT_X, POINT_Y, POINT_HEIGHT, POINT_NAME, POINT_FIELDS } point_field;

/// The meaning of the name of a column; POINT_FIELDS for other names.
static point_field field_named(const char *name, size_t length) {
    static const struct {
        const char *word;
        point_field field;
    } words[] = {{"x", POINT_X},           {"lon", POINT_X},      {"long", POINT_X},
                 {"longitude", POINT_X},   {"easting", POINT_X},  {"y", POINT_Y},
                 {"lat", POINT_Y},         {"latitude", POINT_Y}, {"northing", POINT_Y},
                 {"height", POINT_HEIGHT}, {"eye", POINT_HEIGHT}, {"h", POINT_HEIGHT},
                 {"name", POINT_NAME},     {"id", POINT_NAME}};
    for (size_t i = 0; i < sizeof words / sizeof *words; i++)
        if (strlen(words[i].word) == length && strncasecmp(words[i].word, name, length) == 0)
            return words[i].field;
    return POINT_FIELDS;
}

/// A text in a file. In a quoted one, two quotes stand for one.
typedef struct column {
    const char *text; ///< without the quotes around it
    size_t length;
    bool quoted;
} column;

/// Copy a name, with its closing zero; returns how many bytes were written.
static int64_t copy_name(column name, char *copy) {
    int64_t count = 0;
    for (size_t i = 0; i < name.length; i++) {
        copy[count++] = name.text[i];
        i += name.quoted && name.text[i] == '"'; // the second one
    }
    copy[count++] = '\0';
    return count;
}

static lf_status add_point(lf_points *points, lf_vec2 at, double height, column name) {
    stored_point point = {at, height, -1};
    lf_status status = lf__array_reserve(&points->list, &points->allocator, 1, sizeof point);
    if (status == LF_OK && name.text && name.length > 0) {
        status = lf__array_reserve(&points->names, &points->allocator, (int64_t)name.length + 1, 1);
        if (status == LF_OK) {
            point.name = points->names.count;
            points->names.count += copy_name(name, (char *)points->names.items + points->names.count);
        }
    }
    if (status == LF_OK)
        ((stored_point *)points->list.items)[points->list.count++] = point;
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Text: a point per line, columns in a fixed order or as named in the first line
// ---------------------------------------------------------------------------------------------------

#define MOST_COLUMNS 64 // at most; further ones are ignored

typedef struct text_reader {
    const char *path;
    lf_points *points;
    int64_t line;
    int places[POINT_FIELDS]; ///< column of each field; -1: none
    bool started;             ///< the first line that is not empty or a comment has been read
} text_reader;

/// Blanks separate columns only in lines without commas, semicolons and tabs.
static bool has_commas(const char *p, const char *end) {
    for (bool quoted = false; p < end; p++) {
        quoted ^= *p == '"';
        if (!quoted && (*p == ',' || *p == ';' || *p == '\t'))
            return true;
    }
    return false;
}

static bool splits(char c, bool commas) {
    return c == ',' || c == ';' || c == '\t' || (c == ' ' && !commas);
}

static const char *skip_blanks(const char *p, const char *end) {
    while (p < end && (*p == ' ' || *p == '\t'))
        p++;
    return p;
}

/// Skip what separates two columns: blanks with at most one comma, semicolon or tab among them.
static const char *skip_separator(const char *p, const char *end, bool commas) {
    while (p < end && *p == ' ')
        p++;
    if (p < end && splits(*p, commas))
        p++;
    while (p < end && *p == ' ')
        p++;
    return p;
}

static int split_columns(const char *p, const char *end, column *columns) {
    int count = 0;
    bool commas = has_commas(p, end);
    p = skip_blanks(p, end);
    while (p < end && count < MOST_COLUMNS) {
        bool quoted = *p == '"';
        const char *start = p + quoted;
        for (p = start; p < end; p++) {
            bool twice = quoted && p + 1 < end && p[0] == '"' && p[1] == '"';
            if (!twice && (quoted ? *p == '"' : splits(*p, commas)))
                break;
            p += twice;
        }
        const char *stop = p;
        while (!quoted && stop > start && stop[-1] == ' ')
            stop--;
        columns[count++] = (column){start, (size_t)(stop - start), quoted};
        p = skip_separator(p + (quoted && p < end), end, commas);
    }
    return count;
}

static bool number_of(column column, double *value) {
    const char *end = column.text + column.length;
    return lf_number_read(column.text, end, value) == end && column.length > 0 && isfinite(*value);
}

/// The first line names the columns.
static lf_status read_names(text_reader *text_reader, const column *columns, int count, lf_error *error) {
    for (int i = 0; i < POINT_FIELDS; i++)
        text_reader->places[i] = -1;
    for (int i = 0; i < count; i++) {
        point_field field = field_named(columns[i].text, columns[i].length);
        if (field < POINT_FIELDS && text_reader->places[field] < 0)
            text_reader->places[field] = i;
    }
    if (text_reader->places[POINT_X] >= 0 && text_reader->places[POINT_Y] >= 0)
        return LF_OK;
    return lf__fail(error, LF_BAD_FORMAT, text_reader->line,
                    "%s, line %lld: neither numbers nor names of columns with x and y among them",
                    text_reader->path, (long long)text_reader->line);
}

static lf_status number_at(const text_reader *text_reader, const column *columns, int count,
                           point_field field, double *value, lf_error *error) {
    static const char *const words[] = {"x", "y", "height"};
    int place = text_reader->places[field];
    bool required = field != POINT_HEIGHT;
    *value = LF_NAN;
    if (place < 0 || (!required && (place >= count || columns[place].length == 0)))
        return LF_OK;
    if (place < count && number_of(columns[place], value))
        return LF_OK;
    if (place >= count)
        return lf__fail(error, LF_BAD_FORMAT, text_reader->line, "%s, line %lld: has no %s",
                        text_reader->path, (long long)text_reader->line, words[field]);
    return lf__fail(error, LF_BAD_FORMAT, text_reader->line, "%s, line %lld: \"%.*s\" is no %s",
                    text_reader->path, (long long)text_reader->line,
                    (int)(columns[place].length < 40 ? columns[place].length : 40), columns[place].text,
                    words[field]);
}

static lf_status read_point(text_reader *text_reader, const column *columns, int count, lf_error *error) {
    lf_vec2 at;
    double height;
    lf_status status = number_at(text_reader, columns, count, POINT_X, &at.x, error);
    if (status == LF_OK)
        status = number_at(text_reader, columns, count, POINT_Y, &at.y, error);
    if (status == LF_OK)
        status = number_at(text_reader, columns, count, POINT_HEIGHT, &height, error);
    if (status != LF_OK)
        return status;
    int place = text_reader->places[POINT_NAME];
    column name = place >= 0 && place < count ? columns[place] : (column){NULL, 0, false};
    status = add_point(text_reader->points, at, height, name);
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

static lf_status read_line(text_reader *text_reader, const char *line, const char *end, lf_error *error) {
    column columns[MOST_COLUMNS];
    double first;
    text_reader->line++;
    if (text_reader->line == 1 && end - line >= 3 && memcmp(line, "\xef\xbb\xbf", 3) == 0)
        line += 3; // the byte order mark that some editors put before UTF-8
    if (end > line && end[-1] == '\r')
        end--;
    int count = split_columns(line, end, columns);
    if (count == 0 || columns[0].text[0] == '#')
        return LF_OK;
    bool names = !text_reader->started && !number_of(columns[0], &first);
    text_reader->started = true;
    return names ? read_names(text_reader, columns, count, error)
                 : read_point(text_reader, columns, count, error);
}

static lf_status read_text(const char *path, lf_points *points, lf_error *error) {
    text_reader text_reader = {.path = path, .points = points, .places = {0, 1, 2, 3}};
    lf_map map = {0};
    lf_status status = lf_map_open(path, &map, error);
    const char *line = map.data, *end = line ? line + map.size : NULL;
    while (status == LF_OK && line < end) {
        const char *newline = memchr(line, '\n', (size_t)(end - line));
        const char *stop = newline ? newline : end;
        status = read_line(&text_reader, line, stop, error);
        line = newline ? newline + 1 : end;
    }
    lf_map_close(&map);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// Vector files, by GDAL
// ---------------------------------------------------------------------------------------------------

typedef struct vector_reader {
    lf__gdal gdal;
    const lf_points_def *def;
    lf_points *points;
    int fields[POINT_FIELDS];    ///< -1: none
    lf_crs_transform *transform; ///< or NULL
    int64_t feature;
} vector_reader;

static void find_fields(vector_reader *vector_reader, OGRLayerH layer) {
    OGRFeatureDefnH table = OGR_L_GetLayerDefn(layer);
    for (int i = 0; i < POINT_FIELDS; i++)
        vector_reader->fields[i] = -1;
    for (int i = 0; i < OGR_FD_GetFieldCount(table); i++) {
        const char *name = OGR_Fld_GetNameRef(OGR_FD_GetFieldDefn(table, i));
        point_field field = field_named(name, strlen(name));
        if (field < POINT_FIELDS && vector_reader->fields[field] < 0)
            vector_reader->fields[field] = i;
    }
}

/// The transform from the CRS of the layer to the requested one; none between equal ones, because PROJ has none
/// between local systems.
static lf_status find_points_transform(vector_reader *vector_reader, OGRLayerH layer, lf_error *error) {
    OGRSpatialReferenceH system = OGR_L_GetSpatialRef(layer), requested = NULL;
    const lf_points_def *def = vector_reader->def;
    char *text = NULL;
    lf_status status = LF_OK;
    if (!system || !def->crs || lf__crs_undefined(system) || OSRExportToWkt(system, &text) != OGRERR_NONE)
        goto end;
    requested = lf__crs_from_text(def->crs);
    if (requested && OSRIsLocal(requested) && OSRIsSame(system, requested))
        goto end;
    status = lf_crs_transform_create(text, def->crs, &def->host, &vector_reader->transform, error);
    if (status == LF_BAD_ARGUMENT && requested)
        lf__fail(error, status, -1, "%s: no transformation from its CRS, %s, to that of the ground, %s",
                 vector_reader->gdal.path, OSRGetName(system), OSRGetName(requested));
end:
    OSRDestroySpatialReference(requested);
    CPLFree(text);
    return status;
}

static double height_of(const vector_reader *vector_reader, OGRFeatureH feature) {
    int field = vector_reader->fields[POINT_HEIGHT];
    return field >= 0 && OGR_F_IsFieldSetAndNotNull(feature, field) ? OGR_F_GetFieldAsDouble(feature, field)
                                                                    : LF_NAN;
}

static lf_status read_vector_point(const vector_reader *vector_reader, OGRFeatureH feature,
                                   OGRGeometryH point, lf_error *error) {
    lf_vec3 at = {OGR_G_GetX(point, 0), OGR_G_GetY(point, 0), 0};
    int field = vector_reader->fields[POINT_NAME];
    const char *name = field >= 0 && OGR_F_IsFieldSetAndNotNull(feature, field)
                           ? OGR_F_GetFieldAsString(feature, field)
                           : NULL;
    if (vector_reader->transform)
        lf_crs_transform_points(vector_reader->transform, &at, 0, 1, false);
    if (!isfinite(at.x) || !isfinite(at.y))
        return lf__fail(error, LF_BAD_FORMAT, vector_reader->feature,
                        "%s: point number %lld cannot be transformed to the CRS of the ground",
                        vector_reader->gdal.path, (long long)vector_reader->feature);
    lf_vec2 place = {at.x, at.y};
    lf_status status = add_point(vector_reader->points, place, height_of(vector_reader, feature),
                                 (column){name, name ? strlen(name) : 0, false});
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

static lf_status read_feature(const vector_reader *vector_reader, OGRFeatureH feature, lf_error *error) {
    OGRGeometryH shape = OGR_F_GetGeometryRef(feature);
    OGRwkbGeometryType kind = shape ? wkbFlatten(OGR_G_GetGeometryType(shape)) : wkbNone;
    lf_status status = LF_OK;
    if (kind == wkbPoint && !OGR_G_IsEmpty(shape))
        return read_vector_point(vector_reader, feature, shape, error);
    if (kind != wkbMultiPoint)
        return lf__fail(error, LF_BAD_FORMAT, vector_reader->feature,
                        "%s: feature number %lld is no point (%s)", vector_reader->gdal.path,
                        (long long)vector_reader->feature,
                        shape ? OGR_G_GetGeometryName(shape) : "without a shape");
    for (int i = 0; i < OGR_G_GetGeometryCount(shape) && status == LF_OK; i++)
        status = read_vector_point(vector_reader, feature, OGR_G_GetGeometryRef(shape, i), error);
    return status;
}

static lf_status read_layer_points(vector_reader *vector_reader, OGRLayerH layer, lf_error *error) {
    OGRFeatureH feature;
    lf_status status = find_points_transform(vector_reader, layer, error);
    find_fields(vector_reader, layer);
    OGR_L_ResetReading(layer);
    while (status == LF_OK && (feature = OGR_L_GetNextFeature(layer))) {
        vector_reader->feature++;
        status = read_feature(vector_reader, feature, error);
        OGR_F_Destroy(feature);
    }
    if (status == LF_OK && vector_reader->gdal.text[0])
        status = lf__gdal_fail(&vector_reader->gdal, LF_BAD_FORMAT, "", error);
    return status;
}

static lf_status read_vector(vector_reader *vector_reader, lf_error *error) {
    const char *path = vector_reader->gdal.path;
    // Only files: no servers or databases.
    VSILFILE *file = VSIFOpenL(path, "rb");
    if (!file)
        return lf__fail(error, LF_IO_FAILED, -1, "%s: No such file or directory", path);
    VSIFCloseL(file);
    GDALDatasetH dataset =
        GDALOpenEx(path, GDAL_OF_VECTOR | GDAL_OF_READONLY | GDAL_OF_VERBOSE_ERROR, NULL, NULL, NULL);
    if (!dataset) {
        if (strstr(vector_reader->gdal.text, "not recognized"))
            vector_reader->gdal.text[0] = '\0'; // GDAL's message repeats the path
        return lf__gdal_fail(&vector_reader->gdal, LF_BAD_FORMAT,
                             "neither text (.csv, .txt) nor a vector file that GDAL reads", error);
    }
    int layers = GDALDatasetGetLayerCount(dataset);
    lf_status status =
        layers == 1 ? read_layer_points(vector_reader, GDALDatasetGetLayer(dataset, 0), error)
                    : lf__fail(error, LF_BAD_FORMAT, -1, "%s: has %d layers: expected one", path, layers);
    GDALClose(dataset);
    return status;
}

static lf_status read_vector_file(const char *path, const lf_points_def *def, lf_points *points,
                                  lf_error *error) {
    vector_reader vector_reader = {.def = def, .points = points};
    GDALAllRegister();
    lf__gdal_begin(&vector_reader.gdal, path, &def->host);
    lf_status status = read_vector(&vector_reader, error);
    lf__gdal_end(&vector_reader.gdal);
    lf_crs_transform_destroy(vector_reader.transform);
    return status;
}

// ---------------------------------------------------------------------------------------------------
// The calls
// ---------------------------------------------------------------------------------------------------

static bool is_text(const char *path) {
    return lf__path_ends(path, ".csv") || lf__path_ends(path, ".tsv") || lf__path_ends(path, ".txt");
}

lf_status lf_points_read(const char *path, const lf_points_def *given, lf_points **points, lf_error *error) {
    lf_points_def def = lf_points_def_default();
    if (!path || !points)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "path or points is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_points *made = lf__allocate(&allocator, sizeof *made, _Alignof(lf_points));
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_points){.allocator = allocator};
    status = is_text(path) ? read_text(path, made, error) : read_vector_file(path, &def, made, error);
    if (status == LF_OK && made->list.count == 0)
        status = lf__fail(error, LF_BAD_FORMAT, -1, "%s: no points in it", path);
    if (status == LF_OK)
        *points = made;
    else
        lf_points_close(made);
    return status;
}

void lf_points_close(lf_points *points) {
    if (!points)
        return;
    lf_allocator allocator = points->allocator;
    lf__array_free(&points->names, &allocator, 1);
    lf__array_free(&points->list, &allocator, sizeof(stored_point));
    lf__free(&allocator, points, sizeof *points, _Alignof(lf_points));
}

int64_t lf_points_count(const lf_points *points) {
    return points->list.count;
}

lf_point lf_points_get(const lf_points *points, int64_t index) {
    lf_point none = {{LF_NAN, LF_NAN}, LF_NAN, NULL};
    if (index < 0 || index >= points->list.count)
        return none;
    const stored_point *stored = (const stored_point *)points->list.items + index;
    lf_point point = {stored->at, stored->height,
                      stored->name >= 0 ? (const char *)points->names.items + stored->name : NULL};
    return point;
}
