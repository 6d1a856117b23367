/// Coordinate reference systems as keys of GeoTIFF files: those that need no GDAL.
#include "base/base.h"
#include "raster/geotiff.h"
#include "raster/raster.h"
#include <stdio.h>
#include <string.h>

#define GRS80 298.257222101
#define WGS84 298.257223563

bool lf__geotiff_find(int code, lf__geotiff_system *system) {
    static const struct {
        int first, last;
        char side;
        double inverse_flattening;
        const char *datum;
    } zones[] = {{32601, 32660, 'N', WGS84, "WGS 84"},
                 {32701, 32760, 'S', WGS84, "WGS 84"},
                 {25828, 25838, 'N', GRS80, "ETRS89"},
                 {26901, 26923, 'N', GRS80, "NAD83"}};
    *system = (lf__geotiff_system){code, true, WGS84, "WGS 84", "WGS 84"};
    for (size_t i = 0; i < sizeof zones / sizeof *zones; i++)
        if (code >= zones[i].first && code <= zones[i].last) {
            *system = (lf__geotiff_system){code, false, zones[i].inverse_flattening, "", zones[i].datum};
            snprintf(system->name, sizeof system->name, "%s / UTM zone %d%c", zones[i].datum, code % 100,
                     zones[i].side);
            return true;
        }
    return code == 4326;
}

bool lf__geotiff_local_crs(const char *name, char *text, size_t capacity) {
    int length = snprintf(text, capacity,
                          "ENGCRS[\"%s\",EDATUM[\"\"],CS[Cartesian,2],AXIS[\"(E)\",east,ORDER[1],LENGTHUNIT["
                          "\"metre\",1,ID[\"EPSG\",9001]]],"
                          "AXIS[\"(N)\",north,ORDER[2],LENGTHUNIT[\"metre\",1,ID[\"EPSG\",9001]]]]",
                          name);
    return length > 0 && (size_t)length < capacity;
}

/// The code of a CRS: of "EPSG:..." or of WKT2 that ends with it; 0 without one.
static int code_of(const char *crs) {
    size_t length = strlen(crs), digits = 0;
    bool text = STARTS_WITH(crs, "PROJCRS[") || STARTS_WITH(crs, "GEOGCRS[");
    const char *end = crs + length - (text && length > 2 ? 2 : 0);
    if (text ? strcmp(end, "]]") != 0 || strstr(crs, "CS[ellipsoidal,3]") : !STARTS_WITH(crs, "EPSG:"))
        return 0;
    int code = 0;
    for (int unit = 1; digits < 5 && end > crs && end[-1] >= '0' && end[-1] <= '9'; digits++, unit *= 10)
        code += unit * (*--end - '0');
    const char *before = text ? ",ID[\"EPSG\"," : "EPSG:";
    size_t size = strlen(before);
    bool fits =
        (size_t)(end - crs) >= size && memcmp(end - size, before, size) == 0 && (text || end - size == crs);
    return fits && code > 0 && code < 32767 + 32767 ? code : 0;
}

/// The name of a local system in metres as GDAL has it; false for others.
static bool local_name(const char *crs, char name[128]) {
    static const char begin[] = "ENGCRS[\"";
    char same[512];
    const char *first = crs + sizeof begin - 1, *end = STARTS_WITH(crs, begin) ? strchr(first, '"') : NULL;
    if (!end || end == first || end - first >= 127 || memchr(first, '|', (size_t)(end - first)))
        return false;
    memcpy(name, first, (size_t)(end - first));
    name[end - first] = '\0';
    return lf__geotiff_local_crs(name, same, sizeof same) && strcmp(same, crs) == 0;
}

static void add_key(lf__geotiff_key_list *keys, uint16_t id, uint16_t where, uint16_t count, uint16_t value) {
    const uint16_t key[4] = {id, where, count, value};
    keys->count++;
    memcpy(keys->numbers + (ptrdiff_t)4 * keys->count, key, sizeof key);
    keys->numbers[3] = (uint16_t)keys->count;
}

static void add_number(lf__geotiff_key_list *keys, uint16_t id, int value) {
    add_key(keys, id, 0, 1, (uint16_t)value);
}

static void add_name(lf__geotiff_key_list *keys, uint16_t id, const char *name) {
    size_t before = strlen(keys->text);
    int length = snprintf(keys->text + before, sizeof keys->text - before, "%s|", name);
    add_key(keys, id, 34737, (uint16_t)length, (uint16_t)before);
}

/// Earth's axis in metres and the inverse flattening follow the numbers of the keys.
static void add_ellipsoid(lf__geotiff_key_list *keys, double inverse_flattening) {
    keys->doubles[0] = inverse_flattening;
    keys->doubles[1] = 6378137;
    keys->double_count = 2;
    add_key(keys, 2057, 34736, 1, 1);
    add_key(keys, 2059, 34736, 1, 0);
}

bool lf__geotiff_keys(const lf_raster *raster, lf__geotiff_key_list *keys) {
    const lf_raster_info *info = &raster->info;
    lf__geotiff_system system;
    char name[128];
    *keys = (lf__geotiff_key_list){.numbers = {1, 1, 0, 0}};
    if (!raster->crs)
        return !info->point;
    if (local_name(raster->crs, name)) {
        add_number(keys, 1025, info->point ? 2 : 1);
        add_name(keys, 1026, name);
        add_number(keys, 3076, 9001);
        return true;
    }
    if (!lf__geotiff_find(code_of(raster->crs), &system) ||
        info->kind != (system.degrees ? LF_CRS_DEGREES : LF_CRS_PROJECTED) || info->xy_unit != 1)
        return false;
    add_number(keys, 1024, system.degrees ? 2 : 1);
    add_number(keys, 1025, info->point ? 2 : 1);
    if (system.degrees)
        add_number(keys, 2048, system.code);
    else
        add_name(keys, 1026, system.name);
    add_name(keys, 2049, system.datum);
    add_number(keys, 2054, 9102);
    if (system.degrees) {
        add_ellipsoid(keys, system.inverse_flattening);
        return true;
    }
    add_number(keys, 3072, system.code);
    add_number(keys, 3076, 9001);
    return true;
}
