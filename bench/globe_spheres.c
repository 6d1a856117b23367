/// The rival of the paper: spheres around tiles, in each tile a tree of spheres over its cells, and at its leaves triangles.
#include "globe.h"
#include <math.h>
#include <stdlib.h>
#include <string.h>

#define CELLS (GLOBE_POSTS - 1)
#define NODES 341 // 1 + 4 + 16 + 64 + 256

typedef struct sphere {
    lf_vec3 centre;
    double radius;
} sphere;

/// The tree of a tile, made when it is first needed.
typedef struct tile_tree {
    sphere nodes[NODES];
    lf_vec3 samples[GLOBE_POSTS * GLOBE_POSTS];
} tile_tree;

/// A node over tiles; leaves have one.
typedef struct group {
    sphere around;
    int64_t first, count; // tiles, in the order of `order`
    int64_t child[2];
} group;

struct sphere_world {
    int64_t count;
    sphere *tiles;
    lf_tile_key *keys;
    tile_tree **trees;
    int64_t *order;
    group *groups; // NULL: a list
    int64_t group_count;
};

int64_t sphere_tile_bytes(void) {
    return (int64_t)(sizeof(sphere) + sizeof(sphere[NODES]));
}

static sphere around_points(const lf_vec3 *points, int64_t count, int64_t row, int64_t wide) {
    lf_box box = lf_box_empty();
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < wide; i++)
            box = lf_box_with(box, points[j * row + i]);
    sphere s = {lf_box_centre(box), 0};
    for (int64_t j = 0; j < count; j++)
        for (int64_t i = 0; i < wide; i++)
            s.radius = fmax(s.radius, lf_vec3_length(lf_vec3_sub(points[j * row + i], s.centre)));
    return s;
}

/// Nodes level by level: level k has 2^k by 2^k blocks of 16 / 2^k cells.
static void fill_tree(tile_tree *tree) {
    sphere *node = tree->nodes;
    for (int k = 0; k < 5; k++) {
        int blocks = 1 << k, cells = CELLS >> k;
        for (int j = 0; j < blocks; j++)
            for (int i = 0; i < blocks; i++)
                *node++ = around_points(tree->samples + (int64_t)j * cells * GLOBE_POSTS + i * cells,
                                        cells + 1, GLOBE_POSTS, cells + 1);
    }
}

static void place_samples(lf_tile_key key, lf_vec3 *samples) {
    lf_ellipsoid wgs84 = lf_ellipsoid_wgs84();
    double size = ldexp(180, -key.level);
    for (int j = 0; j < GLOBE_POSTS; j++)
        for (int i = 0; i < GLOBE_POSTS; i++) {
            lf_geodetic place = {-180 + size * (key.column + i / (double)CELLS),
                                 -90 + size * (key.row + j / (double)CELLS), 0};
            place.height = (double)(float)globe_height(place.lon_deg, place.lat_deg);
            samples[j * GLOBE_POSTS + i] = lf_ellipsoid_to_centred(&wgs84, place);
        }
}

static sphere joined(sphere a, sphere b) {
    lf_vec3 between = lf_vec3_sub(b.centre, a.centre);
    double apart = lf_vec3_length(between);
    if (apart + b.radius <= a.radius)
        return a;
    if (apart + a.radius <= b.radius)
        return b;
    double radius = 0.5 * (apart + a.radius + b.radius);
    return (sphere){lf_vec3_along(a.centre, (radius - a.radius) / apart, between), radius};
}

static const sphere_world *sorting;
static int sorting_axis;

static double key_of(int64_t tile) {
    lf_vec3 c = sorting->tiles[tile].centre;
    return sorting_axis == 0 ? c.x : sorting_axis == 1 ? c.y : c.z;
}

static int compare(const void *a, const void *b) {
    double x = key_of(*(const int64_t *)a), y = key_of(*(const int64_t *)b);
    return (x > y) - (x < y);
}

static int64_t group_tiles(sphere_world *world, int64_t first, int64_t count) {
    int64_t number = world->group_count++;
    group *g = &world->groups[number];
    *g = (group){world->tiles[world->order[first]], first, count, {-1, -1}};
    if (count == 1)
        return number;
    lf_box box = lf_box_empty();
    for (int64_t i = 0; i < count; i++)
        box = lf_box_with(box, world->tiles[world->order[first + i]].centre);
    lf_vec3 size = lf_vec3_sub(box.high, box.low);
    sorting = world;
    sorting_axis = size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
    qsort(world->order + first, (size_t)count, sizeof(int64_t), compare);
    int64_t half = count / 2, a = group_tiles(world, first, half),
            b = group_tiles(world, first + half, count - half);
    g->child[0] = a;
    g->child[1] = b;
    g->around = joined(world->groups[a].around, world->groups[b].around);
    return number;
}

sphere_world *sphere_world_make(int64_t tiles, bool tree) {
    sphere_world *world = bench_take(1, sizeof *world);
    *world = (sphere_world){.count = tiles};
    world->tiles = bench_take((size_t)tiles, sizeof(sphere));
    world->keys = bench_take((size_t)tiles, sizeof(lf_tile_key));
    world->trees = bench_take((size_t)tiles, sizeof(tile_tree *));
    world->order = bench_take((size_t)tiles, sizeof(int64_t));
    for (int64_t i = 0; i < tiles; i++) {
        lf_vec3 samples[GLOBE_POSTS * GLOBE_POSTS];
        world->keys[i] = globe_ring_key(i);
        place_samples(world->keys[i], samples);
        world->tiles[i] = around_points(samples, GLOBE_POSTS, GLOBE_POSTS, GLOBE_POSTS);
        world->trees[i] = NULL;
        world->order[i] = i;
    }
    if (tree) {
        world->groups = bench_take((size_t)(2 * tiles), sizeof(group));
        group_tiles(world, 0, tiles);
    }
    return world;
}

void sphere_world_free(sphere_world *world) {
    for (int64_t i = 0; i < world->count; i++)
        free(world->trees[i]);
    free(world->groups);
    free(world->order);
    free(world->trees);
    free(world->keys);
    free(world->tiles);
    free(world);
}

static bool overlap(const sphere *a, lf_vec3 centre, double radius, sphere_counts *counts) {
    lf_vec3 apart = lf_vec3_sub(a->centre, centre);
    double sum = a->radius + radius;
    counts->volumes++;
    return lf_vec3_dot(apart, apart) <= sum * sum;
}

/// The squared distance of a point from a triangle.
static double distance2(lf_vec3 p, lf_vec3 a, lf_vec3 b, lf_vec3 c) {
    lf_vec3 ab = lf_vec3_sub(b, a), ac = lf_vec3_sub(c, a), ap = lf_vec3_sub(p, a);
    double d00 = lf_vec3_dot(ab, ab), d01 = lf_vec3_dot(ab, ac), d11 = lf_vec3_dot(ac, ac);
    double d20 = lf_vec3_dot(ap, ab), d21 = lf_vec3_dot(ap, ac), det = d00 * d11 - d01 * d01;
    double v = (d11 * d20 - d01 * d21) / det, w = (d00 * d21 - d01 * d20) / det;
    if (v >= 0 && w >= 0 && v + w <= 1) {
        lf_vec3 off = lf_vec3_sub(ap, lf_vec3_along(lf_vec3_scale(ab, v), w, ac));
        return lf_vec3_dot(off, off);
    }
    const lf_vec3 ends[4] = {a, b, c, a};
    double least = LF_INFINITY;
    for (int k = 0; k < 3; k++) {
        lf_vec3 edge = lf_vec3_sub(ends[k + 1], ends[k]), from = lf_vec3_sub(p, ends[k]);
        double t = fmin(fmax(lf_vec3_dot(from, edge) / lf_vec3_dot(edge, edge), 0), 1);
        lf_vec3 off = lf_vec3_along(from, -t, edge);
        least = fmin(least, lf_vec3_dot(off, off));
    }
    return least;
}

static bool cell_collides(const tile_tree *tree, int i, int j, lf_vec3 centre, double radius,
                          sphere_counts *counts) {
    const lf_vec3 *p = tree->samples + j * GLOBE_POSTS + i;
    counts->primitives += 2;
    return distance2(centre, p[0], p[1], p[GLOBE_POSTS + 1]) <= radius * radius ||
           distance2(centre, p[0], p[GLOBE_POSTS + 1], p[GLOBE_POSTS]) <= radius * radius;
}

static bool node_collides(const tile_tree *tree, int level, int i, int j, lf_vec3 centre, double radius,
                          sphere_counts *counts) {
    static const int firsts[5] = {0, 1, 5, 21, 85};
    if (!overlap(&tree->nodes[firsts[level] + (j << level) + i], centre, radius, counts))
        return false;
    if (level == 4)
        return cell_collides(tree, i, j, centre, radius, counts);
    for (int k = 0; k < 4; k++)
        if (node_collides(tree, level + 1, 2 * i + (k & 1), 2 * j + (k >> 1), centre, radius, counts))
            return true;
    return false;
}

static bool tile_collides(sphere_world *world, int64_t tile, lf_vec3 centre, double radius,
                          sphere_counts *counts) {
    if (!overlap(&world->tiles[tile], centre, radius, counts))
        return false;
    if (!world->trees[tile]) {
        world->trees[tile] = bench_take(1, sizeof(tile_tree));
        place_samples(world->keys[tile], world->trees[tile]->samples);
        fill_tree(world->trees[tile]);
    }
    return node_collides(world->trees[tile], 0, 0, 0, centre, radius, counts);
}

static bool group_collides(sphere_world *world, int64_t number, lf_vec3 centre, double radius,
                           sphere_counts *counts) {
    const group *g = &world->groups[number];
    if (g->count == 1)
        return tile_collides(world, world->order[g->first], centre, radius, counts);
    return overlap(&g->around, centre, radius, counts) &&
           (group_collides(world, g->child[0], centre, radius, counts) ||
            group_collides(world, g->child[1], centre, radius, counts));
}

bool sphere_world_collides(sphere_world *world, lf_vec3 centre, double radius, sphere_counts *counts) {
    if (world->groups)
        return group_collides(world, 0, centre, radius, counts);
    for (int64_t i = 0; i < world->count; i++)
        if (tile_collides(world, i, centre, radius, counts))
            return true;
    return false;
}
