/// Generated polygons: the calls that make them, landscapes as triangles, closed models and the city.
#include "base/base.h"
#include "samples/sample_parts.h"
#include <math.h>
#include <string.h>

LF__ENUM_NAME(lf_made_name, lf_made_kind, LF_MADE_LIST, LF__NAME_CASE_5)

typedef struct triangle_job {
    lf_heights heights;
    lf_vec3 *vertices;
    int64_t *starts, *corners;
} triangle_job;

static void fill_vertices(void *user, int64_t first, int64_t last, int worker) {
    const triangle_job *job = user;
    (void)worker;
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i < job->heights.columns; i++) {
            lf_vec3 *vertex = job->vertices + j * job->heights.columns + i;
            vertex->x = job->heights.x_low + (double)i * job->heights.spacing;
            vertex->y = job->heights.y_low + (double)j * job->heights.spacing;
            vertex->z = (double)job->heights.values[j * job->heights.stride + i];
        }
}

/// Two triangles per cell. Cell (0, 0) has the diagonal from its low-x high-y to its high-x low-y corner; it
/// flips from cell to cell.
static void fill_triangles(void *user, int64_t first, int64_t last, int worker) {
    const triangle_job *job = user;
    (void)worker;
    int64_t across = job->heights.columns;
    for (int64_t j = first; j < last; j++)
        for (int64_t i = 0; i + 1 < across; i++) {
            int64_t cell = j * (across - 1) + i, *corners = job->corners + 6 * cell;
            int64_t a = j * across + i, b = a + 1, c = b + across, d = a + across;
            int64_t falling[6] = {a, b, d, b, c, d}, rising[6] = {a, b, c, a, c, d};
            memcpy(corners, (i + j) % 2 ? rising : falling, sizeof falling);
            job->starts[2 * cell + 1] = 6 * cell + 3;
            job->starts[2 * cell + 2] = 6 * cell + 6;
        }
}

/// Allocate `count` items that the caller fills in.
static void *allocate_items(lf__builder *builder, lf__array *array, int64_t count, size_t item) {
    if (builder->status == LF_OK)
        builder->status = lf__array_reserve(array, &builder->allocator, count, item);
    if (builder->status != LF_OK)
        return NULL;
    array->count = count;
    return array->items;
}

lf_status lf_make_landscape_polygons(const lf_make_heights_def *given, lf_made_polygons **made,
                                     lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    lf_made_heights *heights = NULL;
    if (!made)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "made is NULL");
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    int64_t cells;
    if (def.columns < 2 || def.rows < 2)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld x %lld samples: triangles need at least 2 x 2",
                        (long long)def.columns, (long long)def.rows);
    if (__builtin_mul_overflow(def.columns - 1, def.rows - 1, &cells) || cells > INT64_MAX / 64)
        return lf__fail_plain(error, LF_TOO_LARGE);
    status = lf_make_heights(&def, &heights, error);
    if (status != LF_OK)
        return status;
    lf__builder builder;
    lf__builder_start(&builder, &def.host);
    int64_t name = lf__builder_name(&builder, lf_landscape_name(def.landscape));
    triangle_job job = {.heights = lf_made_heights_view(heights)};
    job.vertices = allocate_items(&builder, &builder.vertices, def.columns * def.rows, sizeof(lf_vec3));
    job.starts = allocate_items(&builder, &builder.starts, 2 * cells + 1, sizeof(int64_t));
    job.corners = allocate_items(&builder, &builder.corners, 6 * cells, sizeof(int64_t));
    uint64_t *users = allocate_items(&builder, &builder.users, 2 * cells, sizeof(uint64_t));
    if (builder.status == LF_OK) {
        job.starts[0] = 0;
        for (int64_t i = 0; i < 2 * cells; i++)
            users[i] = (uint64_t)name;
        lf__run(def.host.tasks, def.rows, 16, fill_vertices, &job);
        lf__run(def.host.tasks, def.rows - 1, 16, fill_triangles, &job);
    }
    lf_made_heights_destroy(heights);
    return lf__builder_finish(&builder, made, error);
}

// ---------------------------------------------------------------------------------------------------
// Closed models: a sphere and a knot
// ---------------------------------------------------------------------------------------------------

/// An octahedron whose faces are cut into n * n triangles each, pushed out to radius 1: 8 n^2 triangles.
/// Vertices are shared, so that the ball is closed.
typedef struct ball {
    lf__builder *builder;
    int64_t n;
} ball;

/// Number of the vertex in ring r (0 is the north pole, 2 n the south pole), k-th from the x axis.
static int64_t ball_vertex(const ball *ball, int64_t r, int64_t k) {
    int64_t n = ball->n, size = 4 * (r <= n ? r : 2 * n - r);
    if (size == 0)
        return r == 0 ? 0 : 4 * n * n + 1;
    int64_t before = r <= n ? 1 + 2 * r * (r - 1) : 4 * n * n + 1 - 2 * (2 * n - r) * (2 * n - r + 1);
    return before + k % size;
}

static void add_ball_ring(const ball *ball, int64_t r) {
    int64_t n = ball->n, m = r <= n ? r : 2 * n - r;
    for (int64_t k = 0; k < (m > 0 ? 4 * m : 1); k++) {
        int64_t side = m > 0 ? k / m : 0, step = m > 0 ? k % m : 0;
        double a = (double)(m - step), b = (double)step, z = (double)(n - r);
        double x = side == 0 ? a : side == 1 ? -b : side == 2 ? -a : b;
        double y = side == 0 ? b : side == 1 ? a : side == 2 ? -b : -a;
        double scale = 1 / sqrt(x * x + y * y + z * z);
        lf__builder_vertex(ball->builder, x * scale, y * scale, z * scale);
    }
}

/// The triangles between ring r and the next: on each of four sides a strip of up and down triangles.
static void add_ball_strip(const ball *ball, int64_t r, int64_t name) {
    bool north = r < ball->n;
    int64_t upper = north ? r : 2 * ball->n - r, lower = north ? r + 1 : 2 * ball->n - r - 1;
    int64_t small = north ? upper : lower, small_ring = north ? r : r + 1, large_ring = north ? r + 1 : r;
    for (int64_t side = 0; side < 4; side++)
        for (int64_t k = 0; k <= small; k++) {
            int64_t inner = ball_vertex(ball, small_ring, side * small + k);
            int64_t outer = ball_vertex(ball, large_ring, side * (small + 1) + k);
            int64_t next = ball_vertex(ball, large_ring, side * (small + 1) + k + 1);
            lf__builder_triangle(ball->builder, name, inner, north ? outer : next, north ? next : outer);
            if (k == small)
                continue;
            int64_t beyond = ball_vertex(ball, small_ring, side * small + k + 1);
            lf__builder_triangle(ball->builder, name, inner, north ? next : beyond, north ? beyond : next);
        }
}

static void make_sphere(lf__builder *builder, int64_t count) {
    ball ball = {builder, lf__floor(sqrt((double)count / 8) + 0.5)};
    if (ball.n < 1)
        ball.n = 1;
    int64_t name = lf__builder_name(builder, "sphere");
    for (int64_t r = 0; r <= 2 * ball.n && builder->status == LF_OK; r++)
        add_ball_ring(&ball, r);
    for (int64_t r = 0; r < 2 * ball.n && builder->status == LF_OK; r++)
        add_ball_strip(&ball, r, name);
}

/// The spine of a trefoil: twice around the axis while going three times up and down.
static lf_vec3 knot_spine(double turns) {
    double radius = 1 + 0.4 * lf__cosine(3 * turns);
    lf_vec3 p = {radius * lf__cosine(2 * turns), radius * lf__sine(2 * turns), 0.4 * lf__sine(3 * turns)};
    return p;
}

static lf_vec3 unit_vector(lf_vec3 a) {
    return lf_vec3_scale(a, 1 / lf_vec3_length(a));
}

/// A ring of the tube around the spine. The directions across it come from the axis of the knot, which is
/// never parallel to the spine: there is no twist where the ends meet.
static void add_knot_ring(lf__builder *builder, double turns, int64_t sides) {
    lf_vec3 middle = knot_spine(turns),
            along = unit_vector(lf_vec3_sub(knot_spine(turns + 1e-4), knot_spine(turns - 1e-4)));
    lf_vec3 axis = {0, 0, 1}, right = unit_vector(lf_vec3_cross(axis, along)),
            up = lf_vec3_cross(along, right);
    for (int64_t k = 0; k < sides; k++) {
        double angle = (double)k / (double)sides;
        lf_vec3 p = lf_vec3_along(middle, 0.2 * lf__cosine(angle), right);
        p = lf_vec3_along(p, 0.2 * lf__sine(angle), up);
        lf__builder_vertex(builder, p.x, p.y, p.z);
    }
}

static void make_knot(lf__builder *builder, int64_t count) {
    int64_t sides = lf__floor(sqrt((double)count / 32) + 0.5);
    sides = sides < 3 ? 3 : sides;
    int64_t rings = lf__floor((double)count / (2 * (double)sides) + 0.5);
    rings = rings < 12 ? 12 : rings;
    int64_t name = lf__builder_name(builder, "knot");
    for (int64_t i = 0; i < rings && builder->status == LF_OK; i++)
        add_knot_ring(builder, (double)i / (double)rings, sides);
    for (int64_t i = 0; i < rings && builder->status == LF_OK; i++)
        for (int64_t k = 0; k < sides; k++) {
            int64_t here = i * sides, next = (i + 1) % rings * sides, other = (k + 1) % sides;
            lf__builder_triangle(builder, name, here + k, here + other, next + k);
            lf__builder_triangle(builder, name, here + other, next + other, next + k);
        }
}

// ---------------------------------------------------------------------------------------------------
// The city: streets, kerbs, and blocks of buildings with many-sided roofs
// ---------------------------------------------------------------------------------------------------

#define BLOCK 64.0   // metres from street to street
#define PAVEMENT 5.0 // half a street
#define KERB 0.15

typedef struct lot {
    lf__builder *builder;
    uint64_t bits;
    double x, y; ///< middle
    double half; ///< of its side
} lot;

static double share(uint64_t bits, int shift) {
    return lf__unit(bits << shift);
}

static void add_level(lf__builder *builder, const char *name, double west, double south, double size,
                      double z) {
    lf__patch patch = {{west, south, z}, {size, 0, 0}, {0, size, 0}, 1, 1};
    lf__builder_patch(builder, lf__builder_name(builder, name), &patch);
}

/// The outline of a building: a square, a regular polygon of 6 to 13 sides, or an oval of 16.
static int outline(const lot *lot, lf_vec2 corners[16]) {
    double size = lot->half * (0.72 + 0.2 * share(lot->bits, 3));
    int kind = (int)(lot->bits % 5), sides = kind < 3 ? 4 : kind == 3 ? 6 + (int)(lot->bits >> 8 & 7) : 16;
    double wide = kind < 3 ? size * 1.38 : size, deep = wide * (kind == 4 ? 0.66 : 1);
    for (int i = 0; i < sides; i++) {
        double turns = ((double)i + 0.5) / sides;
        corners[i].x = lot->x + wide * lf__cosine(turns);
        corners[i].y = lot->y + deep * lf__sine(turns);
        if (kind < 3) { // exactly parallel to the streets
            corners[i].x = lot->x + (i == 0 || i == 3 ? size : -size);
            corners[i].y = lot->y + (i < 2 ? size : -size);
        }
    }
    return sides;
}

/// Walls in storeys, from the ground to the roof, and the roof as one polygon or as a pyramid.
static void add_house(const lot *lot) {
    lf_vec2 corners[16];
    int64_t below[16], above[16];
    lf__builder *builder = lot->builder;
    int sides = outline(lot, corners), storeys = 2 + (int)(lot->bits >> 20 & 7);
    if (lot->bits % 23 == 0)
        storeys += 12;
    int64_t wall = lf__builder_name(builder, "wall"), roof = lf__builder_name(builder, "roof");
    for (int i = 0; i < sides; i++)
        below[i] = lf__builder_vertex(builder, corners[i].x, corners[i].y, KERB);
    for (int storey = 1; storey <= storeys; storey++) {
        for (int i = 0; i < sides; i++)
            above[i] = lf__builder_vertex(builder, corners[i].x, corners[i].y, KERB + 3.2 * storey);
        for (int i = 0; i < sides; i++) {
            int next = (i + 1) % sides;
            int64_t quad[4] = {below[i], below[next], above[next], above[i]};
            lf__builder_quad(builder, wall, quad);
        }
        for (int i = 0; i < sides; i++)
            below[i] = above[i];
    }
    if (lot->bits >> 30 & 1) {
        lf__builder_polygon(builder, roof, above, sides);
        return;
    }
    int64_t tip = lf__builder_vertex(builder, lot->x, lot->y, KERB + 3.2 * storeys + 0.5 * lot->half);
    for (int i = 0; i < sides; i++)
        lf__builder_triangle(builder, roof, above[i], above[(i + 1) % sides], tip);
}

/// The raised pavement of a block with its kerb; every seventh block is a green.
static void add_block(lf__builder *builder, uint64_t seed, int64_t i, int64_t j) {
    uint64_t bits = lf__hash(seed, i, j);
    double west = (double)i * BLOCK + PAVEMENT, south = (double)j * BLOCK + PAVEMENT,
           size = BLOCK - 2 * PAVEMENT;
    lf__patch kerbs[4] = {{{west, south, 0}, {size, 0, 0}, {0, 0, KERB}, 1, 1},
                          {{west + size, south, 0}, {0, size, 0}, {0, 0, KERB}, 1, 1},
                          {{west + size, south + size, 0}, {-size, 0, 0}, {0, 0, KERB}, 1, 1},
                          {{west, south + size, 0}, {0, -size, 0}, {0, 0, KERB}, 1, 1}};
    for (int k = 0; k < 4; k++)
        lf__builder_patch(builder, lf__builder_name(builder, "kerb"), &kerbs[k]);
    add_level(builder, bits % 7 == 0 ? "meadow" : "pavement", west, south, size, KERB);
    if (bits % 7 == 0)
        return;
    int64_t lots = 1 + (int64_t)(bits >> 9 & 1) + (int64_t)(bits >> 10 & 1);
    for (int64_t b = 0; b < lots; b++)
        for (int64_t a = 0; a < lots; a++) {
            double half = 0.5 * size / (double)lots;
            lot lot = {builder, lf__hash(bits, a, b), west + half * (double)(2 * a + 1),
                       south + half * (double)(2 * b + 1), half};
            add_house(&lot);
        }
}

/// Blocks row by row, each on its square of street, until there are enough polygons, to the nearest block.
static void make_city(lf__builder *builder, uint64_t seed, int64_t count) {
    seed = lf__hash(0x63697479u, (int64_t)seed, 0);
    double guess = sqrt((double)count / 190.0); // a block has so many polygons on average
    int64_t columns = guess < 1 ? 1 : lf__floor(guess + 0.5), before = 0;
    for (int64_t block = 0; builder->status == LF_OK; block++) {
        int64_t made = lf__builder_count(builder);
        if (made + (made - before) / 2 >= count && made > 0)
            return;
        before = made;
        int64_t i = block % columns, j = block / columns;
        add_level(builder, "street", (double)i * BLOCK, (double)j * BLOCK, BLOCK, 0);
        add_block(builder, seed, i, j);
    }
}

// ---------------------------------------------------------------------------------------------------
// Polygons by kind
// ---------------------------------------------------------------------------------------------------

static int64_t default_count(lf_made_kind kind) {
    switch (kind) {
#define COUNT(name, value, word, count, text) \
    case name:                                \
        return count;
        LF_MADE_LIST(COUNT)
#undef COUNT
    }
    return 0;
}

lf_status lf_make_polygons(const lf_make_polygons_def *given, lf_made_polygons **made, lf_error *error) {
    lf_make_polygons_def def = lf_make_polygons_def_default();
    if (!made)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "made is NULL");
    lf_status status = lf__def_read(&def, sizeof def, given, error);
    if (status != LF_OK)
        return status;
    int64_t least = def.kind == LF_MADE_PARK ? 4000 : def.kind == LF_MADE_CITY ? 100 : 8;
    if (default_count(def.kind) == 0)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "kind of polygons %d: expected %d to %d", (int)def.kind,
                        (int)LF_MADE_PARK, (int)LF_MADE_KNOT);
    int64_t count = def.polygon_count == 0 ? default_count(def.kind) : def.polygon_count;
    if (count < least || count > (int64_t)1 << 31)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "%lld polygons: a %s must have %lld to 2^31",
                        (long long)count, lf_made_name(def.kind), (long long)least);
    if (!lf__report(&def.host, "make", 0, 1))
        return lf__fail_plain(error, LF_CANCELLED);
    lf__builder builder;
    lf__builder_start(&builder, &def.host);
    switch (def.kind) {
    case LF_MADE_PARK:
        lf__make_park(&builder, def.seed, count);
        break;
    case LF_MADE_CITY:
        make_city(&builder, def.seed, count);
        break;
    case LF_MADE_SPHERE:
        make_sphere(&builder, count);
        break;
    case LF_MADE_KNOT:
        make_knot(&builder, count);
        break;
    }
    return lf__builder_finish(&builder, made, error);
}
