// Damaged files: no damaged byte is part of an answer. Of a file with changed bytes every question is
// refused, or answered as by the undamaged file. And questions check all that they read: with everything else
// destroyed they answer the same.
#include "base/base.h"
#include "files.h"
#include "grid/guard.h"
#include "grid/packed.h"
#include "planet.h"
#include "store/sections.h"
#include "support.h"
#include "sweeps.h"
#include <landfall/ground.h>
#include <landfall/published.h>
#include <landfall/sight.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Several blocks each way, the last ones small.
enum { COLUMNS = 300, ROWS = 270 };

/// Kinds of grid: each codec with each surface, extended or not, with holes or not.
enum { CODECS = 5, SURFACES = 5, GRIDS = CODECS * SURFACES };

static lf_grid *make_sized(int kind, int columns, int rows, test_random *random) {
    static float heights[ROWS * COLUMNS];
    lf_grid_def def = lf_grid_def_default();
    lf_grid *grid;
    for (int j = 0; j < rows; j++)
        for (int i = 0; i < columns; i++)
            heights[j * columns + i] =
                (float)(20 * sin(i / 17.0) * cos(j / 23.0) + test_random_between(random, 0, 0.5));
    if (kind % 2)
        for (int k = 0; k < columns * rows / 2000 + 1; k++)
            heights[test_random_below(random, rows * columns)] = NAN;
    def.samples.values = heights;
    def.samples.columns = columns, def.samples.rows = rows;
    def.codec = (lf_codec)(kind % CODECS);
    def.surface = (lf_surface)(kind / CODECS);
    def.extend = kind % 3 == 0 && def.surface != LF_SURFACE_POINT;
    def.max_error = def.codec == LF_CODEC_RAW ? 0 : 0.01;
    def.derived_bounds = def.codec == LF_CODEC_HAAR && kind / CODECS % 2;
    def.leaf = def.derived_bounds ? 32 : 0;
    def.geotransform = (lf_geotransform){{100, 200}, {2, 0.5}, {-0.25, 3}};
    assert_int_equal(lf_grid_create(&def, &grid, NULL), LF_OK);
    return grid;
}

static lf_grid *make_grid(int kind, test_random *random) {
    return make_sized(kind, COLUMNS, ROWS, random);
}

/// A file of a thing, in memory at a multiple of 64.
static uint8_t *file_of(const lf_store_def *def, size_t *size) {
    const char *path = test_path("damage.lf");
    lf_error error = {0};
    if (lf_store_write(path, def, &error) != LF_OK)
        fail_msg("%s", error.text);
    uint8_t *content = (uint8_t *)test_file_content(path, size);
    uint8_t *data = aligned_alloc(64, (*size + 63) / 64 * 64);
    assert_non_null(data);
    memcpy(data, content, *size);
    free(content);
    return data;
}

// ---------------------------------------------------------------------------------------------------
// Questions
// ---------------------------------------------------------------------------------------------------

/// What was answered: a status, and all of the answer as bytes.
typedef struct answer {
    lf_status status;
    size_t size;
    unsigned char bytes[4096];
} answer;

static void tell(answer *a, const void *data, size_t bytes) {
    assert_true(a->size + bytes <= sizeof a->bytes);
    memcpy(a->bytes + a->size, data, bytes);
    a->size += bytes;
}

static void tell_number(answer *a, double x) {
    if (isnan(x))
        x = LF_NAN;
    tell(a, &x, sizeof x);
}

static void tell_hit(answer *a, const lf_hit *hit) {
    tell_number(a, hit->kind == LF_HIT_NONE ? (double)hit->reason : hit->t);
    if (hit->kind == LF_HIT_NONE)
        return;
    tell_number(a, hit->point.z);
    tell_number(a, hit->normal.x);
    tell_number(a, (double)hit->element);
}

/// Where a question goes: two points somewhere over the ground, rather near to one another.
typedef struct way {
    lf_vec3 from, to;
} way;

static lf_vec3 point_in(lf_box box, test_random *random) {
    return (lf_vec3){test_random_between(random, box.low.x, box.high.x),
                     test_random_between(random, box.low.y, box.high.y),
                     test_random_between(random, box.low.z, box.high.z + 5)};
}

static way random_way(lf_box box, test_random *random) {
    way w = {point_in(box, random), point_in(box, random)};
    double part = test_random_below(random, 3) == 0 ? 1 : 0.15;
    w.to = lf_vec3_along(w.from, part, lf_vec3_sub(w.to, w.from));
    return w;
}

enum { QUESTIONS = 17 };

/// The areas of a grid.
static void ask_area(const lf_grid *grid, int question, const way *w, answer *a) {
    static uint8_t seen[ROWS * COLUMNS];
    static float values[ROWS * COLUMNS];
    lf_vec2 place = lf_grid_locate(grid, (lf_vec2){w->from.x, w->from.y});
    lf_window all = lf_grid_window(grid);
    int64_t column = (int64_t)fmin(fmax(place.x, 0), (double)(all.columns - 8)),
            row = (int64_t)fmin(fmax(place.y, 0), (double)(all.rows - 8));
    lf_window window = {column, row, 8, 8};
    if (question == 12) {
        double heights[64];
        a->status = lf_grid_read(grid, column, row, 8, 8, heights);
        for (int k = 0; k < 64; k++)
            tell_number(a, heights[k]);
    } else if (question == 13) {
        lf_viewshed_def def = lf_viewshed_def_default();
        lf_observer observer = {{w->to.x, w->to.y}, 40, true};
        a->status = lf_viewshed_visible(lf_grid_ground(grid), &def, &observer, window, seen, 0, NULL, NULL);
        tell(a, seen, 64);
    } else if (question == 14) {
        lf_horizon horizon = {.reason = LF_REASON_NONE};
        double azimuth = 77 + w->to.x, range = w->from.x < w->to.x ? 100 : LF_INFINITY;
        a->status = lf_horizon_at(lf_grid_ground(grid), NULL, w->from, azimuth, range, &horizon, NULL);
        tell_number(a, horizon.elevation_deg);
    } else if (question == 15) {
        lf_hit contact;
        a->status =
            sweep_sphere(lf_grid_ground(grid), w->from, 1, lf_vec3_sub(w->to, w->from), 1e-3, &contact, NULL);
        tell_number(a, contact.t);
    } else {
        lf_horizon_def def = lf_horizon_def_default();
        a->status = lf_horizon_map(lf_grid_ground(grid), &def, 30, window, values, 0, NULL);
        for (int k = 0; k < 64; k++)
            tell_number(a, (double)values[k]);
    }
}

static void ask_sight(const lf_ground *ground, int question, const way *w, answer *a) {
    lf_sight_rules rules = lf_sight_rules_default();
    lf_verdict verdict = LF_VERDICT_UNKNOWN;
    uint8_t verdicts[4] = {0};
    lf_sight sight = {.t = 0};
    rules.detail = true;
    lf_vec3 high = {w->to.x, w->to.y, w->to.z + 9};
    if (question == 7) {
        a->status = lf_sight_between(ground, &rules, w->from, high, &sight, NULL);
        tell_number(a, sight.t);
        tell_number(a, (double)sight.verdict);
    } else if (question == 8) {
        a->status = lf_sight_verdict(ground, &rules, w->from, high, &verdict, NULL);
        tell_number(a, (double)verdict);
    } else if (question == 9) {
        lf_vec3 points[2] = {w->from, high};
        a->status = lf_sight_matrix(ground, &rules, points, 2, verdicts, NULL);
        tell(a, verdicts, 4);
    } else {
        lf_profile_point samples[16];
        int64_t count = 0;
        a->status = lf_sight_profile(ground, &rules, w->from, high, 12, samples, 16, &count);
        for (int64_t k = 0; k < count && k < 16; k++)
            tell_number(a, samples[k].ground);
    }
}

static void ask_ray(const lf_ground *ground, int question, const lf_ray *ray, answer *a) {
    lf_hit hit = {.kind = LF_HIT_NONE}, hits[6];
    bool blocked = false;
    int64_t count = 0;
    if (question == 3) {
        a->status = lf_ground_ray_first(ground, ray, &hit, NULL);
        tell_hit(a, &hit);
    } else if (question == 4) {
        a->status = lf_ground_ray_any(ground, ray, &blocked, NULL);
        tell_number(a, blocked);
    } else if (question == 5) {
        a->status = lf_ground_ray_all(ground, ray, hits, 6, &count, NULL);
        for (int64_t k = 0; k < count && k < 6; k++)
            tell_hit(a, &hits[k]);
    } else {
        a->status = lf_ground_ray_first_many(ground, ray, 0, 1, &hit, 0, NULL);
        tell_hit(a, &hit);
    }
}

static void ask(const lf_store *store, int question, const way *w, answer *a) {
    const lf_ground *ground = lf_store_ground(store);
    lf_hit hit = {.kind = LF_HIT_NONE};
    lf_ray ray = lf_ray_between(w->from, w->to);
    double height = 0;
    *a = (answer){.status = LF_OK};
    ray.t_max = question % 2 ? 1 : LF_INFINITY;
    if (question < 2) {
        a->status =
            lf_ground_height(ground, w->from, question ? LF_VERTICAL_UP : LF_VERTICAL_DOWN, &hit, NULL);
        tell_hit(a, &hit);
    } else if (question == 2) {
        a->status = lf_ground_heights_many(ground, &w->from, 0, 1, LF_VERTICAL_DOWN, &height, 0, NULL);
        tell_number(a, height);
    } else if (question < 7) {
        ask_ray(ground, question, &ray, a);
    } else if (question < 11) {
        ask_sight(ground, question, w, a);
    } else if (question == 11) {
        lf_walker walker = lf_walker_default(5);
        lf_walk walk = {.reason = LF_REASON_NONE};
        a->status = lf_ground_walk(ground, &walker, w->from, w->to, &walk, NULL, NULL);
        tell_number(a, walk.end);
        tell_number(a, walk.t);
    } else if (lf_store_grid(store)) {
        ask_area(lf_store_grid(store), question, w, a);
    }
}

static bool same(const answer *a, const answer *b) {
    return a->status == b->status && a->size == b->size && memcmp(a->bytes, b->bytes, a->size) == 0;
}

// ---------------------------------------------------------------------------------------------------
// Nothing but what was checked is read
// ---------------------------------------------------------------------------------------------------

static int64_t block_at(const lf__guard_array *a, int axis, int64_t item, int64_t blocks) {
    int64_t at = item - a->before[axis];
    at = at < 0 ? 0 : at >> a->shift[axis];
    return at < blocks ? at : blocks - 1;
}

/// Random bytes wherever no block has been checked.
static void destroy_the_rest(const lf_grid *grid, test_random *random) {
    const lf__guard *guard = grid->guard;
    if (grid->packed) // tiles while the index can still be read
        for (int64_t t = 0; t < lf__packed_tiles(grid->packed); t++) {
            int64_t x = t % grid->packed->tile_columns, y = t / grid->packed->tile_columns;
            int64_t block = block_at(&guard->arrays[0], 1, y, guard->rows) * guard->columns +
                            block_at(&guard->arrays[0], 0, x, guard->columns);
            size_t left, next = 0;
            uint8_t *bytes = (uint8_t *)(uintptr_t)lf__packed_find(grid->packed, t, &left);
            if (t + 1 < lf__packed_tiles(grid->packed))
                lf__packed_find(grid->packed, t + 1, &next);
            for (size_t k = 0; k < left - next && !guard->marks[block]; k++)
                bytes[k] = (uint8_t)test_random_bits(random);
        }
    for (int k = 0; k < guard->array_count; k++) {
        const lf__guard_array *a = &guard->arrays[k];
        for (int64_t y = 0; y < a->rows; y++)
            for (int64_t x = 0; x < a->columns; x++) {
                int64_t block =
                    block_at(a, 1, y, guard->rows) * guard->columns + block_at(a, 0, x, guard->columns);
                uint8_t *item = (uint8_t *)(uintptr_t)a->data + (size_t)y * a->stride + (size_t)x * a->item;
                for (size_t b = 0; b < a->item && !guard->marks[block]; b++)
                    item[b] = (uint8_t)test_random_bits(random);
            }
    }
}

static void questions_check_what_they_read(void **state) {
    (void)state;
    test_random random = test_random_start(1512);
    int64_t spared = 0;
    for (int round = 0; round < (test_long() ? 400 : 25); round++) {
        lf_grid *grid = make_grid(round % GRIDS, &random);
        lf_store_def def = lf_store_def_default();
        size_t size;
        def.grid = grid;
        uint8_t *whole = file_of(&def, &size), *data = aligned_alloc(64, (size + 63) / 64 * 64);
        assert_non_null(data);
        for (int question = 0; question < QUESTIONS; question++)
            for (int again = 0; again < 3; again++) {
                lf_store *store;
                answer before, after;
                memcpy(data, whole, size);
                assert_int_equal(lf__store_open_bytes(data, size, NULL, false, &store, NULL), LF_OK);
                const lf__guard *guard = lf_store_grid(store)->guard;
                way w = random_way(lf_ground_box(lf_store_ground(store)), &random);
                ask(store, question, &w, &before);
                assert_true(before.status >= LF_OK);
                spared += guard->left;
                destroy_the_rest(lf_store_grid(store), &random);
                // What is destroyed is never looked at: let the guard have no say.
                atomic_store(&lf_store_grid(store)->guard->left, 0);
                ask(store, question, &w, &after);
                if (!same(&before, &after))
                    fail_msg("grid %d, question %d: status %d, then %d", round % GRIDS, question,
                             (int)before.status, (int)after.status);
                lf_store_close(store);
            }
        free(data);
        free(whole);
        lf_grid_destroy(grid);
    }
    assert_true(spared > 1000); // or all was checked, and nothing proven
}

/// Of a file of which every block is destroyed, questions tell no more than what needs no block.
static void destroyed_files_tell_nothing(void **state) {
    (void)state;
    static const int sizes[2][2] = {{20, 13}, {COLUMNS, ROWS}};
    test_random random = test_random_start(1520);
    int64_t told = 0;
    for (int kind = 0; kind < 2 * GRIDS; kind++) {
        lf_grid *grid = make_sized(kind / 2, sizes[kind % 2][0], sizes[kind % 2][1], &random);
        lf_store_def def = lf_store_def_default();
        size_t size;
        def.grid = grid;
        uint8_t *whole = file_of(&def, &size), *data = aligned_alloc(64, (size + 63) / 64 * 64);
        assert_non_null(data);
        for (int question = 0; question < QUESTIONS; question++)
            for (int again = 0; again < 4; again++) {
                lf_store *store, *right;
                answer a, b;
                memcpy(data, whole, size);
                assert_int_equal(lf__store_open_bytes(data, size, NULL, false, &store, NULL), LF_OK);
                assert_int_equal(lf__store_open_bytes(whole, size, NULL, true, &right, NULL), LF_OK);
                way w = random_way(lf_ground_box(lf_store_ground(right)), &random);
                destroy_the_rest(lf_store_grid(store), &random);
                ask(store, question, &w, &a);
                ask(right, question, &w, &b);
                told += a.status == LF_BAD_FORMAT;
                if (a.status != LF_BAD_FORMAT && !same(&a, &b))
                    fail_msg("grid %d, question %d of a destroyed file: status %d", kind, question,
                             (int)a.status);
                lf_store_close(store);
                lf_store_close(right);
            }
        free(data);
        free(whole);
        lf_grid_destroy(grid);
    }
    assert_true(told > 1500);
}

// ---------------------------------------------------------------------------------------------------
// Mutants
// ---------------------------------------------------------------------------------------------------

static void damage(uint8_t *data, size_t size, test_random *random) {
    size_t at = (size_t)test_random_below(random, (int64_t)size);
    size_t most = test_random_below(random, 4) == 0 ? 5000 : 1;
    size_t bytes = size - at < most ? size - at : most;
    for (size_t k = 0; k < bytes; k++)
        data[at + k] ^= (uint8_t)(1 << test_random_below(random, 8));
}

typedef struct tally {
    int64_t refused, answered, told;
} tally;

/// Mutants of a file that holds a ground: each refused, or every question refused or answered as before.
static void try_mutants(const uint8_t *whole, size_t size, int64_t count, tally *t, test_random *random) {
    uint8_t *data = aligned_alloc(64, (size + 63) / 64 * 64);
    lf_store *right, *store;
    assert_non_null(data);
    assert_int_equal(lf__store_open_bytes(whole, size, NULL, true, &right, NULL), LF_OK);
    lf_box box = lf_ground_box(lf_store_ground(right));
    for (int64_t k = 0; k < count; k++) {
        memcpy(data, whole, size);
        damage(data, size, random);
        lf_error error = {0};
        lf_status status = lf__store_open_bytes(data, size, NULL, false, &store, &error);
        t->refused += status != LF_OK;
        if (status != LF_OK) {
            assert_true(error.text[0] != 0);
            continue;
        }
        for (int q = 0; q < 10; q++) {
            answer a, b;
            int question = (int)test_random_below(random, QUESTIONS);
            way w = random_way(box, random);
            ask(store, question, &w, &a);
            if (a.status == LF_BAD_FORMAT) {
                t->told++;
                break; // nothing is told of this file any more
            }
            ask(right, question, &w, &b);
            t->answered++;
            if (!same(&a, &b))
                fail_msg("question %d of a damaged file: status %d, and another answer", question,
                         (int)a.status);
        }
        lf_store_close(store);
    }
    lf_store_close(right);
    free(data);
}

/// Mutants of every kind of grid of one size.
static tally try_grids(int columns, int rows, int64_t mutants, uint64_t seed) {
    test_random random = test_random_start(seed);
    tally t = {0};
    for (int kind = 0; kind < GRIDS; kind++) {
        lf_grid *grid = make_sized(kind, columns, rows, &random);
        lf_store_def def = lf_store_def_default();
        size_t size;
        def.grid = grid;
        uint8_t *whole = file_of(&def, &size);
        try_mutants(whole, size, mutants, &t, &random);
        free(whole);
        lf_grid_destroy(grid);
    }
    printf("%lld refused, %lld questions answered, %lld refused\n", (long long)t.refused,
           (long long)t.answered, (long long)t.told);
    return t;
}

static void mutants_of_grids(void **state) {
    (void)state;
    tally t = try_grids(COLUMNS, ROWS, test_long() ? 3000 : 60, 1513);
    assert_true(t.answered > 300 && t.told > 100);
}

/// Grids of one block: their uppermost bounds are part of it.
static void mutants_of_small_grids(void **state) {
    (void)state;
    tally t = try_grids(20, 13, test_long() ? 3000 : 200, 1519);
    assert_true(t.answered > 300 && t.told > 100);
}

/// A grid of two files at once in a group, and its own store again.
static void mutants_of_groups(void **state) {
    (void)state;
    test_random random = test_random_start(1514);
    tally t = {0};
    lf_grid *grids[2] = {make_grid(0, &random), make_grid(1, &random)};
    lf_group_part parts[2] = {{.pose = lf_pose_identity()}, {.pose = lf_pose_identity()}};
    const lf_ground *grounds[2];
    lf_group_def group_def = lf_group_def_default();
    lf_group *group;
    lf_store_def def = lf_store_def_default();
    size_t size;
    for (int k = 0; k < 2; k++) {
        grounds[k] = lf_grid_ground(grids[k]);
        parts[k].ground = grounds[k];
    }
    parts[1].pose.translation = (lf_vec3){300, 40, 7};
    group_def.parts = parts;
    group_def.part_count = 2;
    assert_int_equal(lf_group_create(&group_def, &group, NULL), LF_OK);
    def.group = group;
    uint8_t *whole = file_of(&def, &size);
    // Profiles, of which grids alone list breaks, are asked by steps here too.
    try_mutants(whole, size, test_long() ? 4000 : 200, &t, &random);
    assert_true(t.answered > 100 && t.told > 10);
    free(whole);
    lf_group_destroy(group);
    for (int k = 0; k < 2; k++) {
        lf_grid_destroy(grids[k]);
    }
}

/// Meshes and models are built again from polygons: any change is found on opening.
static void mutants_of_polygons(void **state) {
    (void)state;
    static const lf_vec3 vertices[] = {{0, 0, 0}, {8, 0, 0}, {8, 8, 2}, {0, 8, 2}, {4, 12, 5}, {20, 3, 1}};
    static const int64_t starts[] = {0, 4, 7, 10}, corners[] = {0, 1, 2, 3, 3, 2, 4, 1, 5, 2};
    static const uint64_t users[] = {5, 6, 7};
    test_random random = test_random_start(1515);
    for (int kind = 0; kind < 3; kind++) {
        lf_polygons polygons = {vertices, 6, starts, corners, 3, users, NULL, NULL};
        lf_store_def def = lf_store_def_default();
        lf_mesh_def mesh_def = lf_mesh_def_default();
        lf_model_def model_def = lf_model_def_default();
        lf_mesh *mesh = NULL;
        lf_model *model = NULL;
        mesh_def.polygons = model_def.polygons = polygons;
        mesh_def.index = kind == 1 ? lf_quadtree_index() : NULL;
        if (kind < 2)
            assert_int_equal(lf_mesh_create(&mesh_def, &mesh, NULL), LF_OK);
        else
            assert_int_equal(lf_model_create(&model_def, &model, NULL), LF_OK);
        def.mesh = mesh;
        def.model = model;
        size_t size;
        int64_t opened = 0;
        uint8_t *whole = file_of(&def, &size), *data = aligned_alloc(64, (size + 63) / 64 * 64);
        assert_non_null(data);
        for (size_t at = 0; at < size; at++) {
            lf_store *store;
            memcpy(data, whole, size);
            data[at] ^= (uint8_t)(1 << test_random_below(&random, 8));
            if (lf__store_open_bytes(data, size, NULL, false, &store, NULL) != LF_OK)
                continue;
            opened++; // between two sections nothing is kept
            lf_polygons now = lf_store_polygons(store);
            assert_memory_equal(now.vertices, vertices, sizeof vertices);
            assert_memory_equal(now.corners, corners, sizeof corners);
            assert_memory_equal(now.users, users, sizeof users);
            lf_store_close(store);
        }
        assert_true(opened < (int64_t)size / 2);
        free(data);
        free(whole);
        lf_mesh_destroy(mesh);
        lf_model_destroy(model);
    }
}

/// XXH64 as others compute it.
static void checksums_are_xxh64(void **state) {
    (void)state;
    static const char text[] = "Nobody inspects the spammish repetition"; // more than a stripe
    assert_true(lf__xxh64("", 0, 0) == 0xef46db3751d8e999u);
    assert_true(lf__xxh64("a", 1, 0) == 0xd24ec4f1a98c6e5bu);
    assert_true(lf__xxh64("abc", 3, 0) == 0x44bc2cf5ad770999u);
    assert_true(lf__xxh64(text, sizeof text - 1, 0) == 0xfbcea83c8a378bf1u);
}

/// Rays towards a globe, heights on it: tiles are checked as they are fetched.
static void mutants_of_globes(void **state) {
    (void)state;
    test_random random = test_random_start(1516);
    planet p = planet_plain(77);
    p.rough = 500, p.tin_of = 3;
    lf_globe *globe = planet_globe(&p, NULL, (size_t)1 << 30);
    lf_store_def def = lf_store_def_default();
    size_t size;
    int64_t told = 0, answered = 0;
    def.globe = globe;
    uint8_t *whole = file_of(&def, &size), *data = aligned_alloc(64, (size + 63) / 64 * 64);
    assert_non_null(data);
    for (int64_t k = 0; k < (test_long() ? 5000 : 150); k++) {
        lf_store *right, *store;
        memcpy(data, whole, size);
        damage(data, size, &random);
        if (lf__store_open_bytes(data, size, NULL, false, &store, NULL) != LF_OK)
            continue;
        assert_int_equal(lf__store_open_bytes(whole, size, NULL, true, &right, NULL), LF_OK);
        for (int q = 0; q < 40; q++) {
            double lon = test_random_between(&random, -180, 180), lat = test_random_between(&random, -90, 90);
            lf_globe_elevation a = {.reason = LF_REASON_NONE}, b = a;
            lf_ellipsoid wgs84 = lf_globe_describe(lf_store_globe(right)).ellipsoid;
            lf_vec3 from = lf_ellipsoid_to_centred(&wgs84, (lf_geodetic){lon, lat, 9000});
            lf_ray ray = lf_ray_between(from, (lf_vec3){0, 0, 0});
            lf_hit hit[2];
            lf_status status = q % 2 ? lf_globe_height_finest(lf_store_globe(store), lon, lat, &a)
                                     : lf_ground_ray_first(lf_store_ground(store), &ray, &hit[0], NULL);
            if (status == LF_BAD_FORMAT) {
                told++;
                break;
            }
            assert_int_equal(status, LF_OK);
            answered++;
            if (q % 2) {
                assert_int_equal(lf_globe_height_finest(lf_store_globe(right), lon, lat, &b), LF_OK);
                assert_true(a.reason == b.reason && a.height == b.height && a.element == b.element);
            } else {
                assert_int_equal(lf_ground_ray_first(lf_store_ground(right), &ray, &hit[1], NULL), LF_OK);
                assert_true(hit[0].kind == hit[1].kind && hit[0].t == hit[1].t);
            }
        }
        lf_store_close(store);
        lf_store_close(right);
    }
    printf("%lld answered, %lld refused\n", (long long)answered, (long long)told);
    assert_true(answered > 100 && told > 10);
    free(data);
    free(whole);
    lf_globe_destroy(globe);
}

/// Tiles that edits have put behind all others lie in order in a file, and are checked like any.
static void edited_tiles_are_guarded(void **state) {
    (void)state;
    test_random random = test_random_start(1517);
    for (int codec = LF_CODEC_PACK; codec <= LF_CODEC_MAXPLUS; codec++) {
        lf_grid *grid = make_grid(codec, &random);
        float patch[20 * 20];
        for (int k = 0; k < 400; k++)
            patch[k] = (float)lf_grid_sample(grid, k % 20 + 5, k / 20 + 5) + 0.02f;
        lf_samples samples = {LF_SAMPLE_FLOAT, patch, 20, 20, 0, 0, 1, 0, LF_NAN, NULL, 0};
        lf_error error = {0};
        if (lf_grid_edit(grid, 130, 60, &samples, NULL, &error) != LF_OK)
            fail_msg("%s", error.text);
        lf_store_def def = lf_store_def_default();
        def.grid = grid;
        lf_store *store;
        assert_int_equal(lf_store_write(test_path("edited.lf"), &def, NULL), LF_OK);
        assert_int_equal(lf_store_open(test_path("edited.lf"), NULL, false, &store, NULL), LF_OK);
        for (int64_t j = 0; j < ROWS; j++)
            for (int64_t i = 0; i < COLUMNS; i++) {
                double a = lf_grid_sample(grid, i, j), b = lf_grid_sample(lf_store_grid(store), i, j);
                assert_true(a == b || (isnan(a) && isnan(b)));
            }
        assert_int_equal(lf_store_grid(store)->guard->left, 0);
        assert_int_equal(lf_store_grid(store)->guard->failure, LF_OK);
        lf_store_close(store);
        lf_grid_destroy(grid);
    }
}

typedef struct race {
    const lf_store *store;
    const lf_store *right;
    uint64_t seed;
    _Atomic int64_t wrong;
} race;

static void ask_some(void *job, int64_t first, int64_t last, int worker) {
    race *r = job;
    (void)worker;
    for (int64_t k = first; k < last; k++) {
        test_random random = test_random_start(r->seed + (uint64_t)k);
        answer a, b;
        way w = random_way(lf_ground_box(lf_store_ground(r->right)), &random);
        int question = (int)test_random_below(&random, 11);
        ask(r->store, question, &w, &a);
        ask(r->right, question, &w, &b);
        r->wrong += !same(&a, &b);
    }
}

/// Many threads meet the same unchecked blocks; under the thread sanitizer this is what it watches.
static void threads_check_together(void **state) {
    (void)state;
    test_random random = test_random_start(1518);
    for (int kind = 0; kind < 2; kind++) {
        lf_grid *grid = make_grid(kind, &random);
        lf_store_def def = lf_store_def_default();
        lf_store *store, *right;
        def.grid = grid;
        assert_int_equal(lf_store_write(test_path("race.lf"), &def, NULL), LF_OK);
        assert_int_equal(lf_store_open(test_path("race.lf"), NULL, false, &store, NULL), LF_OK);
        assert_int_equal(lf_store_open(test_path("race.lf"), NULL, true, &right, NULL), LF_OK);
        race r = {store, right, 4711, 0};
        lf_tasks tasks = test_tasks(4);
        lf__run(&tasks, 400, 8, ask_some, &r);
        assert_int_equal(r.wrong, 0);
        assert_true(lf_store_grid(store)->guard->left >= 0);
        lf_store_close(store);
        lf_store_close(right);
        lf_grid_destroy(grid);
    }
}

// ---------------------------------------------------------------------------------------------------
// Files that are read in ranges
// ---------------------------------------------------------------------------------------------------

/// A file in memory, of which reads are counted and fail from one of them on.
typedef struct remote {
    const uint8_t *data;
    size_t size;
    int64_t reads, fail_at, bytes;
    int closed;
} remote;

static lf_status read_remote(void *user, const lf_source_range *ranges, int64_t count, lf_error *error) {
    remote *r = user;
    assert_true(count > 0);
    for (int64_t k = 0; k < count; k++) {
        assert_true(ranges[k].bytes > 0 && ranges[k].offset + ranges[k].bytes <= r->size);
        assert_true(k == 0 || ranges[k].offset >= ranges[k - 1].offset + ranges[k - 1].bytes);
        if (r->reads + 1 != r->fail_at)
            memcpy(ranges[k].data, r->data + ranges[k].offset, ranges[k].bytes);
        r->bytes += (int64_t)ranges[k].bytes;
    }
    r->reads++;
    return r->reads == r->fail_at ? lf__fail(error, LF_IO_FAILED, -1, "the line is cut") : LF_OK;
}

static void close_remote(void *user) {
    ((remote *)user)->closed++;
}

static lf_source source_of(remote *r) {
    return (lf_source){r, r->size, read_remote, close_remote};
}

/// Every question is answered as by the file in memory, or fails with a read. Returns the bytes that were read.
static int64_t ask_remote(const uint8_t *whole, size_t size, int64_t fail_at, test_random *random) {
    remote r = {.data = whole, .size = size, .fail_at = fail_at};
    lf_source source = source_of(&r);
    lf_error error = {0};
    lf_store *store, *right;
    lf_status status = lf_store_open_source(&source, NULL, false, &store, &error);
    if (fail_at > 0 && r.reads >= fail_at) {
        assert_int_equal(status, LF_IO_FAILED);
        assert_string_equal(error.text, "the line is cut");
        assert_int_equal(r.closed, 1);
        return 0;
    }
    assert_int_equal(status, LF_OK);
    assert_int_equal(lf__store_open_bytes(whole, size, NULL, true, &right, NULL), LF_OK);
    for (int k = 0; k < 4; k++) {
        answer a, b;
        int question = (int)test_random_below(random, QUESTIONS);
        way w = random_way(lf_ground_box(lf_store_ground(right)), random);
        ask(store, question, &w, &a);
        ask(right, question, &w, &b);
        bool failed = fail_at > 0 && r.reads >= fail_at;
        if (failed ? a.status != LF_IO_FAILED : !same(&a, &b))
            fail_msg("question %d of a file in ranges: status %d", question, (int)a.status);
    }
    lf_store_close(store);
    lf_store_close(right);
    assert_int_equal(r.closed, 1);
    return r.bytes;
}

static void files_read_in_ranges(void **state) {
    (void)state;
    test_random random = test_random_start(1521);
    int64_t least = INT64_MAX;
    for (int kind = 0; kind < GRIDS; kind++) {
        lf_grid *grid = kind % 5 == 4 ? make_sized(kind, 20, 13, &random) : make_grid(kind, &random);
        lf_store_def def = lf_store_def_default();
        size_t size;
        def.grid = grid;
        uint8_t *whole = file_of(&def, &size);
        for (int round = 0; round < (test_long() ? 200 : 10); round++) {
            int64_t bytes =
                ask_remote(whole, size, round % 2 ? 1 + test_random_below(&random, 12) : 0, &random);
            assert_true(bytes <= (int64_t)size);
            least = round % 2 == 0 && kind == 0 && bytes < least ? bytes : least;
        }
        // A byte that changes after the file was opened.
        remote r = {.data = whole, .size = size};
        lf_source source = source_of(&r);
        lf_store *store;
        answer a;
        assert_int_equal(lf_store_open_source(&source, NULL, false, &store, NULL), LF_OK);
        for (size_t k = size / 2; k < size; k++)
            whole[k] ^= 1;
        for (size_t k = 0; k < size / 2; k++)
            whole[k] ^= 1;
        way w = random_way(lf_ground_box(lf_store_ground(store)), &random);
        int64_t before = r.reads;
        ask(store, 0, &w, &a);
        assert_true(a.status == LF_BAD_FORMAT || r.reads == before);
        lf_store_close(store);
        assert_int_equal(lf_store_open_source(&source, NULL, true, &store, NULL), LF_BAD_FORMAT);
        free(whole);
        lf_grid_destroy(grid);
    }
    assert_true(least < COLUMNS * ROWS * 6);
    lf_store *store;
    assert_int_equal(lf_store_open_source(NULL, NULL, false, &store, NULL), LF_BAD_ARGUMENT);
}

/// Many threads need the same pages.
static void threads_read_together(void **state) {
    (void)state;
    test_random random = test_random_start(1522);
    for (int kind = 0; kind < 2; kind++) {
        lf_grid *grid = make_grid(kind, &random);
        lf_store_def def = lf_store_def_default();
        lf_store *store, *right;
        size_t size;
        def.grid = grid;
        uint8_t *whole = file_of(&def, &size);
        remote file = {.data = whole, .size = size};
        lf_source source = source_of(&file);
        assert_int_equal(lf_store_open_source(&source, NULL, false, &store, NULL), LF_OK);
        assert_int_equal(lf__store_open_bytes(whole, size, NULL, true, &right, NULL), LF_OK);
        race r = {store, right, 4712, 0};
        lf_tasks tasks = test_tasks(4);
        lf__run(&tasks, 200, 8, ask_some, &r);
        assert_int_equal(r.wrong, 0);
        assert_true(file.bytes <= (int64_t)size); // nothing twice
        lf_store_close(store);
        lf_store_close(right);
        free(whole);
        lf_grid_destroy(grid);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(files_read_in_ranges),
        cmocka_unit_test(threads_read_together),
        cmocka_unit_test(checksums_are_xxh64),
        cmocka_unit_test(destroyed_files_tell_nothing),
        cmocka_unit_test(questions_check_what_they_read),
        cmocka_unit_test(mutants_of_grids),
        cmocka_unit_test(mutants_of_small_grids),
        cmocka_unit_test(mutants_of_groups),
        cmocka_unit_test(mutants_of_polygons),
        cmocka_unit_test(mutants_of_globes),
        cmocka_unit_test(edited_tiles_are_guarded),
        cmocka_unit_test(threads_check_together),
    };
    return cmocka_run_group_tests_name("store_damage", tests, test_folder_make, test_folder_remove);
}
