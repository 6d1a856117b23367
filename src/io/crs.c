/// Coordinate reference systems and the ways between them, by PROJ.
#include "io/gdal.h"
#include "io/raster.h"
#include <cpl_string.h>
#include <math.h>

#define SHARE 4096 // points taken along at once

const char *lf_crs_kind_word(lf_crs_kind kind) {
    switch (kind) {
#define WORD(name, value, word) \
    case name:                  \
        return word;
        LF_CRS_KIND_LIST(WORD)
#undef WORD
    }
    return "?";
}

OGRSpatialReferenceH lf__crs_from_text(const char *text) {
    // GDAL would fetch an address from the network.
    if (STARTS_WITH_CI(text, "http"))
        return NULL;
    OGRSpatialReferenceH system = OSRNewSpatialReference(NULL);
    if (system && OSRSetFromUserInput(system, text) != OGRERR_NONE) {
        OSRDestroySpatialReference(system);
        system = NULL;
    }
    if (system)
        OSRSetAxisMappingStrategy(system, OAMS_TRADITIONAL_GIS_ORDER);
    return system;
}

struct lf_crs_way {
    lf_allocator allocator;
    OGRCoordinateTransformationH there, back;
};

static lf_status prepare(lf_crs_way *way, const char *from, const char *to, lf__gdal *gdal, lf_error *error) {
    OGRSpatialReferenceH a = lf__crs_from_text(from), b = a ? lf__crs_from_text(to) : NULL;
    lf_status status = LF_OK;
    if (a && b) {
        way->there = OCTNewCoordinateTransformation(a, b);
        way->back = OCTNewCoordinateTransformation(b, a);
    }
    gdal->path = a ? to : from;
    if (!a || !b)
        status = lf__gdal_fail(gdal, LF_BAD_ARGUMENT, "no coordinate reference system", error);
    else if (!way->there || !way->back)
        status = lf__gdal_fail(gdal, LF_BAD_ARGUMENT, "there is no way to this system", error);
    OSRDestroySpatialReference(b);
    OSRDestroySpatialReference(a);
    return status;
}

lf_status lf_crs_way_create(const char *from, const char *to, const lf_host *host, lf_crs_way **way,
                            lf_error *error) {
    if (!from || !to || !way)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "from, to or way is NULL");
    lf_allocator allocator = lf__allocator_of(host);
    lf_crs_way *made = lf__take(&allocator, sizeof *made, LF__CACHE_LINE);
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (lf_crs_way){.allocator = allocator};
    lf__gdal gdal;
    lf__gdal_begin(&gdal, from, host);
    lf_status status = prepare(made, from, to, &gdal, error);
    lf__gdal_end(&gdal);
    if (status == LF_OK)
        *way = made;
    else
        lf_crs_way_destroy(made);
    return status;
}

void lf_crs_way_destroy(lf_crs_way *way) {
    if (!way)
        return;
    OCTDestroyCoordinateTransformation(way->there);
    OCTDestroyCoordinateTransformation(way->back);
    lf_allocator allocator = way->allocator;
    lf__give(&allocator, way, sizeof *way, LF__CACHE_LINE);
}

static lf_vec3 *point_at(lf_vec3 *points, size_t stride, int64_t i) {
    return (lf_vec3 *)(void *)((char *)points + (size_t)i * stride);
}

/// Up to SHARE points.
static int64_t go_share(OGRCoordinateTransformationH way, lf_vec3 *points, size_t stride, int64_t count) {
    double x[SHARE], y[SHARE];
    int fine[SHARE];
    int64_t lost = 0;
    for (int64_t i = 0; i < count; i++) {
        x[i] = point_at(points, stride, i)->x;
        y[i] = point_at(points, stride, i)->y;
        fine[i] = 0;
    }
    OCTTransformEx(way, (int)count, x, y, NULL, fine);
    for (int64_t i = 0; i < count; i++) {
        bool there = fine[i] && isfinite(x[i]) && isfinite(y[i]);
        point_at(points, stride, i)->x = there ? x[i] : (double)NAN;
        point_at(points, stride, i)->y = there ? y[i] : (double)NAN;
        lost += !there;
    }
    return lost;
}

int64_t lf_crs_way_go(lf_crs_way *way, lf_vec3 *points, size_t stride, int64_t count, bool back) {
    size_t step = stride ? stride : sizeof(lf_vec3);
    int64_t lost = 0;
    lf__gdal gdal;
    lf__gdal_begin(&gdal, "", NULL);
    for (int64_t i = 0; i < count; i += SHARE)
        lost += go_share(back ? way->back : way->there, point_at(points, step, i), step,
                         count - i < SHARE ? count - i : SHARE);
    lf__gdal_end(&gdal);
    return lost;
}
