/// Maps of polygons: every sample of a pixel takes the topmost polygon there.
#include "picture/picture.h"

#define FINE 3       // samples per pixel, each way
#define BAND_ROWS 48 // rows of pixels that are drawn at a time

/// Samples of a part of the map.
typedef struct samples {
    int64_t width, rows;
    double per_pixel;
    double first_row; ///< its upper edge, in samples from the top of the relief
    float *z;
    int64_t *owner; ///< polygon, or -1; NULL for heights alone
} samples;

typedef struct map {
    lf__relief relief;
    lf_canvas *canvas;
    const lf_map_axes *axes;
    const lf_polygons *polygons;
    uint8_t *flips; ///< a row of samples: where the inside of a polygon begins or ends
    samples fine;
} map;

static int64_t first_corner(const lf_polygons *polygons, int64_t i) {
    return polygons->starts ? polygons->starts[i] : 3 * i;
}

/// A corner in samples from the upper left, and its height.
static lf_vec3 corner_at(const map *map, const samples *samples, int64_t corner) {
    lf_vec3 p = map->polygons->vertices[map->polygons->corners[corner]];
    lf_vec2 pixel = lf_map_axes_to_pixel(map->axes, p.x, p.y);
    lf_vec3 at = {(pixel.x - (double)map->relief.place.x0) * samples->per_pixel,
                  (pixel.y - (double)map->relief.place.y0) * samples->per_pixel - samples->first_row, p.z};
    return at;
}

/// The rows and columns of samples whose centres a polygon can cover; false when there are none.
static bool reach_of(const map *map, const samples *samples, int64_t i, lf__pixels *reach) {
    lf_vec2 low = {LF_INFINITY, LF_INFINITY}, high = {-LF_INFINITY, -LF_INFINITY};
    for (int64_t k = first_corner(map->polygons, i); k < first_corner(map->polygons, i + 1); k++) {
        lf_vec3 at = corner_at(map, samples, k);
        if (!lf_vec3_finite(at))
            return false;
        low.x = fmin(low.x, at.x), low.y = fmin(low.y, at.y);
        high.x = fmax(high.x, at.x), high.y = fmax(high.y, at.y);
    }
    reach->x0 = (int64_t)fmax(0, fmin(ceil(low.x - 0.5), (double)samples->width));
    reach->y0 = (int64_t)fmax(0, fmin(ceil(low.y - 0.5), (double)samples->rows));
    reach->x1 = (int64_t)fmax(0, fmin(floor(high.x - 0.5) + 1, (double)samples->width));
    reach->y1 = (int64_t)fmax(0, fmin(floor(high.y - 0.5) + 1, (double)samples->rows));
    return reach->x0 < reach->x1 && reach->y0 < reach->y1;
}

/// The area vector in samples and metres, turned upwards.
static lf_vec3 normal_of(const map *map, const samples *samples, int64_t i) {
    int64_t first = first_corner(map->polygons, i), last = first_corner(map->polygons, i + 1);
    lf_vec3 sum = {0, 0, 0}, origin = corner_at(map, samples, first);
    for (int64_t k = first + 1; k + 1 < last; k++) {
        lf_vec3 a = lf_vec3_sub(corner_at(map, samples, k), origin);
        lf_vec3 b = lf_vec3_sub(corner_at(map, samples, k + 1), origin);
        sum = lf_vec3_add(sum, lf_vec3_cross(a, b));
    }
    return sum.z < 0 ? lf_vec3_scale(sum, -1) : sum;
}

static void flip_crossings(map *map, const samples *samples, int64_t i, const lf__pixels *reach, double y) {
    int64_t first = first_corner(map->polygons, i), last = first_corner(map->polygons, i + 1);
    for (int64_t k = first; k < last; k++) {
        lf_vec3 a = corner_at(map, samples, k), b = corner_at(map, samples, k + 1 < last ? k + 1 : first);
        if ((a.y <= y) == (b.y <= y))
            continue;
        // The same sum from both sides of a shared edge, so that neighbours leave no gap and no overlap.
        lf_vec3 low = a.y < b.y ? a : b, high = a.y < b.y ? b : a;
        double x = ceil(low.x + (high.x - low.x) * ((y - low.y) / (high.y - low.y)) - 0.5);
        if (x < (double)reach->x1)
            map->flips[x > (double)reach->x0 ? (int64_t)x : reach->x0] ^= 1;
    }
}

static void draw_polygon(map *map, samples *samples, int64_t i) {
    lf__pixels reach;
    if (!reach_of(map, samples, i, &reach))
        return;
    lf_vec3 normal = normal_of(map, samples, i),
            origin = corner_at(map, samples, first_corner(map->polygons, i));
    if (!(normal.z > 1e-9 * lf_vec3_length(normal)))
        return;
    for (int64_t row = reach.y0; row < reach.y1; row++) {
        double y = (double)row + 0.5;
        bool inside = false;
        flip_crossings(map, samples, i, &reach, y);
        for (int64_t column = reach.x0; column < reach.x1; column++) {
            inside = inside != (map->flips[column] != 0);
            map->flips[column] = 0;
            if (!inside)
                continue;
            double x = (double)column + 0.5;
            float z = (float)(origin.z - ((x - origin.x) * normal.x + (y - origin.y) * normal.y) / normal.z);
            int64_t at = row * samples->width + column;
            if (samples->z[at] >= z)
                continue;
            samples->z[at] = z;
            if (samples->owner)
                samples->owner[at] = i;
        }
    }
}

static void draw_all(map *map, samples *samples) {
    for (int64_t i = 0; i < samples->width * samples->rows; i++) {
        samples->z[i] = -INFINITY;
        if (samples->owner)
            samples->owner[i] = -1;
    }
    for (int64_t i = 0; i < map->polygons->polygon_count; i++)
        draw_polygon(map, samples, i);
}

static lf_colour base_colour(const map *map, int64_t owner, double z) {
    const lf_relief_def *def = map->relief.def;
    uint64_t user = map->polygons->users ? map->polygons->users[owner] : 0;
    if (user < (uint64_t)def->palette_count)
        return def->palette[user];
    return lf__relief_tint(&map->relief, z);
}

/// The unit normal in the world: samples run down where y runs up.
static lf_vec3 world_normal(const map *map, int64_t owner) {
    lf_vec3 area = normal_of(map, &map->fine, owner);
    double metre = map->fine.per_pixel / map->relief.pixel * map->relief.def->exaggeration;
    lf_vec3 normal = {area.x * metre, -area.y * metre, area.z};
    return lf_vec3_scale(normal, 1 / lf_vec3_length(normal));
}

/// Does another polygon begin within `width` samples to the right or below?
static bool on_edge(const samples *samples, int64_t x, int64_t y, int64_t width) {
    int64_t owner = samples->owner[y * samples->width + x];
    if (x + width < samples->width && samples->owner[y * samples->width + x + width] != owner)
        return true;
    return y + width < samples->rows && samples->owner[(y + width) * samples->width + x] != owner;
}

/// The mean of a pixel's samples. Light is computed once per polygon in the pixel.
static lf_colour pixel_colour(const map *map, int64_t x, int64_t row, int64_t y, float *cover) {
    const lf_stroke *edges = &map->relief.def->edges;
    int64_t known = -1, edge = edges->width * FINE > 2 ? (int64_t)(edges->width * FINE / 2) : 1;
    double sum[3] = {0, 0, 0}, light = 1;
    int count = 0;
    for (int64_t k = 0; k < FINE * FINE; k++) {
        int64_t sx = x * FINE + k % FINE, sy = row * FINE + k / FINE, at = sy * map->fine.width + sx;
        int64_t owner = map->fine.owner[at];
        if (owner < 0)
            continue;
        double z = (double)map->fine.z[at];
        if (owner != known) {
            light = lf__relief_light(&map->relief, world_normal(map, owner),
                                     lf__relief_sunlit(&map->relief, x, y, z));
            known = owner;
        }
        lf_colour colour = lf__relief_lit(&map->relief, base_colour(map, owner, z), light);
        if (edges->colour.alpha > 0 && on_edge(&map->fine, sx, sy, edge))
            lf__colour_over(&colour, edges->colour, 1);
        sum[0] += colour.red, sum[1] += colour.green, sum[2] += colour.blue;
        count++;
    }
    *cover = (float)count / (FINE * FINE);
    double share = count > 0 ? 1.0 / count : 0;
    lf_colour mean = {(uint8_t)(sum[0] * share + 0.5), (uint8_t)(sum[1] * share + 0.5),
                      (uint8_t)(sum[2] * share + 0.5), 255};
    return mean;
}

typedef struct band {
    map *map;
    int64_t top; ///< its first row in the relief
} band;

/// Turn the finished samples of a band into pixels.
static void resolve_rows(void *user, int64_t first, int64_t last, int worker) {
    const band *band = user;
    map *map = band->map;
    (void)worker;
    for (int64_t row = first; row < last; row++)
        for (int64_t x = 0; x < map->relief.width; x++) {
            int64_t y = band->top + row;
            float cover;
            lf_colour colour = pixel_colour(map, x, row, y, &cover), pixel = {0, 0, 0, 0};
            lf__colour_over(&pixel, map->relief.def->no_data, 1 - cover);
            lf__colour_over(&pixel, colour, cover);
            lf__layer_set(&map->relief.layer, x, y, pixel);
        }
}

/// First one sample per pixel, for the shadows and the range of heights; then finely, a band at a time.
static void draw_map(map *map) {
    lf__relief *relief = &map->relief;
    samples coarse = {relief->width, relief->height, 1, 0, relief->z, NULL};
    draw_all(map, &coarse);
    for (int64_t i = 0; i < relief->width * relief->height; i++)
        if (relief->z[i] == -INFINITY)
            relief->z[i] = (float)NAN;
    lf__relief_range(relief);
    for (int64_t top = 0; top < relief->height; top += BAND_ROWS) {
        int64_t rows = relief->height - top < BAND_ROWS ? relief->height - top : BAND_ROWS;
        map->fine.first_row = (double)(top * FINE);
        draw_all(map, &map->fine);
        band band = {map, top};
        lf__run(map->canvas->host.tasks, rows, 2, resolve_rows, &band);
    }
}

static lf_status check_polygons(const lf_polygons *polygons, lf_error *error) {
    if (!polygons || polygons->polygon_count < 0 || polygons->vertex_count < 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "polygons is NULL or has a negative count");
    if (polygons->polygon_count > 0 && (!polygons->corners || !polygons->vertices))
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "polygons: corners or vertices is NULL");
    for (int64_t i = 0; i < polygons->polygon_count; i++) {
        if (first_corner(polygons, i) < 0 || first_corner(polygons, i + 1) < first_corner(polygons, i))
            return lf__fail(error, LF_BAD_ARGUMENT, i, "polygon %lld: starts must not decrease",
                            (long long)i);
        for (int64_t k = first_corner(polygons, i); k < first_corner(polygons, i + 1); k++)
            if (polygons->corners[k] < 0 || polygons->corners[k] >= polygons->vertex_count)
                return lf__fail(error, LF_BAD_ARGUMENT, i,
                                "polygon %lld: corner %lld, but there are %lld vertices", (long long)i,
                                (long long)polygons->corners[k], (long long)polygons->vertex_count);
    }
    return LF_OK;
}

lf_status lf_canvas_polygons(lf_canvas *canvas, const lf_map_axes *axes, const lf_polygons *polygons,
                             const lf_relief_def *given, lf_error *error) {
    lf_relief_def def;
    map map = {.canvas = canvas, .axes = axes, .polygons = polygons};
    lf_status status = check_polygons(polygons, error);
    if (status != LF_OK)
        return status;
    status = lf__relief_begin(&map.relief, canvas, axes, &def, given, error);
    if (status != LF_OK || map.relief.width == 0)
        return status;
    // A few more rows than a band, so that edges below its last row are found.
    map.fine = (samples){map.relief.width * FINE, (BAND_ROWS + 4) * FINE, FINE, 0, NULL, NULL};
    int64_t count = map.fine.width * map.fine.rows;
    status = lf__allocate_array(&canvas->allocator, map.fine.width + 1, 1, (void **)&map.flips);
    if (status == LF_OK)
        status = lf__allocate_array(&canvas->allocator, count, sizeof(float), (void **)&map.fine.z);
    if (status == LF_OK)
        status = lf__allocate_array(&canvas->allocator, count, sizeof(int64_t), (void **)&map.fine.owner);
    if (status == LF_OK) {
        for (int64_t i = 0; i <= map.fine.width; i++)
            map.flips[i] = 0;
        draw_map(&map);
    } else {
        lf__fail_plain(error, status);
    }
    lf__free_array(&canvas->allocator, map.fine.owner, count, sizeof(int64_t));
    lf__free_array(&canvas->allocator, map.fine.z, count, sizeof(float));
    lf__free_array(&canvas->allocator, map.flips, map.fine.width + 1, 1);
    lf__relief_end(&map.relief, canvas);
    return status;
}
