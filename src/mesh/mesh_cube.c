/// An index for gravity lines towards a centre: the faces of a cube around it, each a nested grid of directions.
///
/// Seen from the centre, through a face of a cube around it, straight edges are straight, and a line through the centre is a point. So triangles are sorted
/// into the cells of a grid on that face, and a line is asked of one cell. Each triangle has one cache line: three planes through the centre
/// and its edges, and its own plane, as floats with a bound of their error. What these cannot decide is left to the exact test. A mesh with this
/// index cannot be edited: shadows use it, whose centre is a lamp.
#include "base/containers.h"
#include "mesh/mesh_edit.h"

#define CUBE_LEAF 6     ///< a cell with more becomes a grid,
#define CUBE_DEEPEST 8  ///< unless it is this deep
#define CUBE_SIDE 128   ///< cells along one side of a grid
#define CUBE_SLACK 1e-9 ///< of directions, which are -1 .. 1 on a face
#define CUBE_GRID 0x80000000u

/// A triangle as it is seen from the centre: three planes through the centre and an edge, whose normals point inwards, and its own plane.
typedef struct cube_triangle {
    float x[4], y[4], z[4]; ///< normals: of the edges, and its own, away from the centre
    float
        edge_error; ///< products of an edge with a unit direction that are within this of 0 have no certain sign; INFINITY: none has
    float
        offset; ///< no product of its normal with a point of the triangle, from the centre, is less; -INFINITY: not known
    uint32_t number; ///< in the mesh
    float unused;
} cube_triangle;

/// Cells, row after row: triangles, or a grid.
typedef struct cube_grid {
    double u, v;         ///< of the low corner
    double per_u, per_v; ///< cells per unit
    int32_t columns, rows;
    uint32_t first; ///< cell
} cube_grid;

typedef struct cube_cell {
    uint32_t first; ///< reference, or CUBE_GRID and the number of a grid
    uint32_t count;
} cube_cell;

typedef struct cube_map {
    cube_triangle *triangles; ///< in the order of the cells
    int64_t triangle_count;
    lf__array grids, cells, references;
    uint32_t faces[6]; ///< the grid of each face; 0: it has no triangles (grid 0 is not used)
    lf_mesh_work work;
} cube_map;

/// A triangle on a face: where it is.
typedef struct cube_entry {
    uint32_t triangle;
    float low_u, low_v, high_u, high_v; ///< rounded outwards
} cube_entry;

typedef struct cube_builder {
    cube_map *made;
    const lf_mesh *mesh;
    const lf_allocator *allocator;
    int face;
    lf__array entries; ///< of the grids on the way down, one after the other
    lf_status status;
} cube_builder;

/// From world directions to a face: its own axis last.
static void cube_turn_to_face(int face, lf_vec3 from, double to[3]) {
    double p[3] = {from.x, from.y, from.z};
    int axis = face / 2;
    double sign = face % 2 ? -1 : 1;
    to[0] = p[(axis + 1) % 3];
    to[1] = p[(axis + 2) % 3];
    to[2] = sign * p[axis];
}

static int cube_face_of(lf_vec3 d) {
    double x = fabs(d.x), y = fabs(d.y), z = fabs(d.z);
    int axis = x >= y && x >= z ? 0 : y >= z ? 1 : 2;
    double along = axis == 0 ? d.x : axis == 1 ? d.y : d.z;
    return 2 * axis + (along < 0);
}

// ---------------------------------------------------------------------------------------------------
// Triangles
// ---------------------------------------------------------------------------------------------------

static void cube_set_normal(cube_triangle *t, int k, lf_vec3 a, double scale) {
    t->x[k] = (float)(a.x * scale);
    t->y[k] = (float)(a.y * scale);
    t->z[k] = (float)(a.z * scale);
}

static inline lf_vec3 cube_normal(const cube_triangle *t, int k) {
    return (lf_vec3){(double)t->x[k], (double)t->y[k], (double)t->z[k]};
}

/// Everything that can be known of a triangle in floats. Errors are several times those of the roundings that are counted.
static void cube_measure(cube_triangle *t, const lf_vec3 points[3], lf_vec3 centre) {
    const double small = 0x1p-20, fine = 0x1p-46;
    lf_vec3 d[3];
    for (int k = 0; k < 3; k++)
        d[k] = lf_vec3_sub(points[k], centre);
    lf_vec3 ab = lf_vec3_sub(points[1], points[0]), ac = lf_vec3_sub(points[2], points[0]);
    lf_vec3 normal = lf_vec3_cross(ab, ac);
    double length = lf_vec3_length(normal), offset = lf_vec3_dot(normal, d[0]);
    double vague = fine * lf_vec3_length(ab) * lf_vec3_length(ac); // of the normal
    double facing = offset < 0 ? -1 : 1, reach = lf_vec3_length(d[0]);
    bool sure = fabs(offset) > 4 * (vague + fine * length) * reach && length > 0;
    double error = small;
    for (int k = 0; k < 3; k++) {
        lf_vec3 a = d[k], b = d[(k + 1) % 3], edge = lf_vec3_cross(a, b);
        double size = lf_vec3_length(edge), doubt = fine * lf_vec3_length(a) * lf_vec3_length(b);
        error = fmax(error, size > 0 ? small + 4 * doubt / size : LF_INFINITY);
        cube_set_normal(t, k, edge, size > 0 ? facing / size : 0);
    }
    t->edge_error = sure && error < 1 ? (float)error : INFINITY;
    cube_set_normal(t, 3, normal, length > 0 ? facing / length : 0);
    // The rounded normal is used as it is: what it misses of the true one matters only across the triangle,
    // not from the centre to it.
    double least = LF_INFINITY;
    for (int k = 0; k < 3; k++)
        least = fmin(least, lf_vec3_dot(cube_normal(t, 3), d[k]) - 16 * 0x1p-52 * lf_vec3_length(d[k]));
    t->offset = sure && least > 0 ? (float)(least * (1 - 0x1p-23)) : -INFINITY;
}

/// Cut a polygon on a face by a plane through the centre: keep where sum of plane[i] * p[i] >= 0.
static int cube_cut(double from[][3], int count, const double plane[3], double to[][3]) {
    int kept = 0;
    for (int i = 0; i < count; i++) {
        const double *a = from[i], *b = from[(i + 1) % count];
        double at = plane[0] * a[0] + plane[1] * a[1] + plane[2] * a[2];
        double next = plane[0] * b[0] + plane[1] * b[1] + plane[2] * b[2];
        if (at >= 0) {
            for (int k = 0; k < 3; k++)
                to[kept][k] = a[k];
            kept++;
        }
        if ((at < 0) != (next < 0)) {
            for (int k = 0; k < 3; k++)
                to[kept][k] = a[k] + (b[k] - a[k]) * (at / (at - next));
            kept++;
        }
    }
    return kept;
}

/// The part of a face that a triangle covers; false: none.
static bool cube_on_face(int face, const lf_vec3 points[3], lf_vec3 centre, cube_entry *entry) {
    static const double wide = 1 + 4 * CUBE_SLACK;
    static const double planes[4][3] = {{1, 0, wide}, {-1, 0, wide}, {0, 1, wide}, {0, -1, wide}};
    double space[2][8][3], reach = 0;
    int count = 3;
    for (int k = 0; k < 3; k++) {
        cube_turn_to_face(face, lf_vec3_sub(points[k], centre), space[0][k]);
        reach = fmax(reach, fmax(fabs(space[0][k][0]), fmax(fabs(space[0][k][1]), fabs(space[0][k][2]))));
    }
    for (int k = 0; k < 4 && count > 0; k++)
        count = cube_cut(space[k & 1], count, planes[k], space[~k & 1]);
    double low[2] = {1, 1}, high[2] = {-1, -1};
    for (int i = 0; i < count; i++) {
        const double *p = space[0][i];
        // A triangle through the centre, or so close that rounding decides, is everywhere.
        bool close = !(p[2] > 1e-5 * reach);
        for (int k = 0; k < 2; k++) {
            low[k] = fmin(low[k], close ? -1 : p[k] / p[2]);
            high[k] = fmax(high[k], close ? 1 : p[k] / p[2]);
        }
    }
    entry->low_u = (float)low[0] - 0x1p-22f;
    entry->low_v = (float)low[1] - 0x1p-22f;
    entry->high_u = (float)high[0] + 0x1p-22f;
    entry->high_v = (float)high[1] + 0x1p-22f;
    return count > 0;
}

// ---------------------------------------------------------------------------------------------------
// Grids
// ---------------------------------------------------------------------------------------------------

/// The cell along one side; what is beyond belongs to the outermost. Never falls as x rises.
static inline int64_t cube_step(double x, double low, double per, int64_t count) {
    double at = (x - low) * per;
    return at > 0 ? at < (double)count ? (int64_t)at : count - 1 : 0;
}

/// How many cells along each side: about as large as the triangles are, and no more than two per triangle.
static cube_grid cube_choose_grid(const cube_entry *entries, int64_t count) {
    double low[2] = {1, 1}, high[2] = {-1, -1}, size[2] = {0, 0};
    for (int64_t i = 0; i < count; i++) {
        const cube_entry *e = &entries[i];
        low[0] = fmin(low[0], (double)e->low_u);
        low[1] = fmin(low[1], (double)e->low_v);
        high[0] = fmax(high[0], (double)e->high_u);
        high[1] = fmax(high[1], (double)e->high_v);
        size[0] += ((double)e->high_u - (double)e->low_u) / (double)count;
        size[1] += ((double)e->high_v - (double)e->low_v) / (double)count;
    }
    double wide = high[0] - low[0], tall = high[1] - low[1];
    double columns = wide / fmax(size[0], 1e-12), rows = tall / fmax(size[1], 1e-12);
    columns = fmin(fmax(columns, 1), CUBE_SIDE);
    rows = fmin(fmax(rows, 1), CUBE_SIDE);
    double shrink = sqrt(2 * (double)count / (columns * rows));
    if (shrink < 1) {
        columns = fmax(columns * shrink, 1);
        rows = fmax(rows * shrink, 1);
    }
    cube_grid grid = {low[0], low[1], 0, 0, (int32_t)columns, (int32_t)rows, 0};
    grid.per_u = grid.columns / wide;
    grid.per_v = grid.rows / tall;
    return grid;
}

/// Is a triangle surely not in a cell? Its edges are lines on the face.
static bool cube_misses_cell(const cube_builder *b, const cube_grid *grid, uint32_t triangle, int64_t column,
                             int64_t row) {
    const cube_triangle *t = &b->made->triangles[triangle];
    double low[2] = {grid->u + (double)column / grid->per_u, grid->v + (double)row / grid->per_v};
    double high[2] = {grid->u + (double)(column + 1) / grid->per_u,
                      grid->v + (double)(row + 1) / grid->per_v};
    for (int k = 0; k < 3 && isfinite(t->edge_error); k++) {
        double edge[3];
        cube_turn_to_face(b->face, cube_normal(t, k), edge);
        double most =
            (edge[0] > 0 ? high[0] : low[0]) * edge[0] + (edge[1] > 0 ? high[1] : low[1]) * edge[1] + edge[2];
        if (most < -4 * (double)t->edge_error)
            return true;
    }
    return false;
}

/// Enter triangles into the cells of a grid: count them, or write them behind the cell's first entry.
static void cube_enter_cells(cube_builder *b, const cube_grid *grid, int64_t first, int64_t count,
                             int64_t *starts, bool write) {
    for (int64_t i = 0; i < count; i++) {
        cube_entry e = ((cube_entry *)b->entries.items)[first + i];
        int64_t c0 = cube_step((double)e.low_u, grid->u, grid->per_u, grid->columns),
                c1 = cube_step((double)e.high_u, grid->u, grid->per_u, grid->columns);
        int64_t r0 = cube_step((double)e.low_v, grid->v, grid->per_v, grid->rows),
                r1 = cube_step((double)e.high_v, grid->v, grid->per_v, grid->rows);
        for (int64_t r = r0; r <= r1; r++)
            for (int64_t c = c0; c <= c1; c++) {
                if ((c1 > c0 || r1 > r0) && cube_misses_cell(b, grid, e.triangle, c, r))
                    continue;
                int64_t at = starts[r * grid->columns + c]++;
                if (!write)
                    continue;
                cube_entry *to = (cube_entry *)b->entries.items + at;
                *to = e; // of it, what is in the cell
                to->low_u = fmaxf(e.low_u, (float)(grid->u + (double)c / grid->per_u) - 0x1p-22f);
                to->high_u = fminf(e.high_u, (float)(grid->u + (double)(c + 1) / grid->per_u) + 0x1p-22f);
                to->low_v = fmaxf(e.low_v, (float)(grid->v + (double)r / grid->per_v) - 0x1p-22f);
                to->high_v = fminf(e.high_v, (float)(grid->v + (double)(r + 1) / grid->per_v) + 0x1p-22f);
            }
    }
}

static bool cube_failed(cube_builder *b, lf_status status) {
    if (b->status == LF_OK)
        b->status = status;
    return b->status != LF_OK;
}

static uint32_t cube_make_grid(cube_builder *b, int64_t first, int64_t count, int depth, bool *useful);

/// A leaf, or a grid where that helps.
static void cube_fill_cell(cube_builder *b, uint32_t cell, int64_t first, int64_t count, int depth) {
    cube_map *made = b->made;
    if (count > CUBE_LEAF && depth < CUBE_DEEPEST) {
        bool useful = false;
        uint32_t grid = cube_make_grid(b, first, count, depth + 1, &useful);
        if (b->status != LF_OK)
            return;
        if (useful) {
            ((cube_cell *)made->cells.items)[cell] = (cube_cell){CUBE_GRID | grid, 0};
            return;
        }
    }
    if (cube_failed(b, made->references.count + count >= (int64_t)CUBE_GRID
                           ? LF_TOO_LARGE
                           : lf__array_reserve(&made->references, b->allocator, count, sizeof(uint32_t))))
        return;
    uint32_t *references = made->references.items;
    for (int64_t i = 0; i < count; i++)
        references[made->references.count + i] = ((cube_entry *)b->entries.items)[first + i].triangle;
    ((cube_cell *)made->cells.items)[cell] = (cube_cell){(uint32_t)made->references.count, (uint32_t)count};
    made->references.count += count;
}

/// Sort entries into a grid and go down. Where its cells would have hardly fewer triangles, `useful` stays false and there is no grid.
static uint32_t cube_make_grid(cube_builder *b, int64_t first, int64_t count, int depth, bool *useful) {
    cube_map *made = b->made;
    cube_grid grid = cube_choose_grid((const cube_entry *)b->entries.items + first, count);
    int64_t cells = (int64_t)grid.columns * grid.rows, end = b->entries.count;
    int64_t *starts = NULL;
    // A face with few triangles has one cell; further down that would not help.
    if ((cells < 2 && depth > 1) ||
        cube_failed(b, lf__allocate_array(b->allocator, cells + 1, sizeof *starts, (void **)&starts)))
        return 0;
    memset(starts, 0, (size_t)(cells + 1) * sizeof *starts);
    cube_enter_cells(b, &grid, first, count, starts, false);
    int64_t sum = end, most = 0;
    for (int64_t i = 0; i < cells; i++) {
        int64_t here = starts[i];
        most = here > most ? here : most;
        starts[i] = sum;
        sum += here;
    }
    *useful = depth <= 1 || (4 * most <= 3 * count && sum - end <= 4 * count + 16);
    bool failed =
        !*useful ||
        cube_failed(b, lf__array_reserve(&b->entries, b->allocator, sum - end, sizeof(cube_entry))) ||
        cube_failed(b, lf__array_reserve(&made->cells, b->allocator, cells, sizeof(cube_cell))) ||
        cube_failed(b, lf__array_reserve(&made->grids, b->allocator, 1, sizeof(cube_grid)));
    uint32_t number = (uint32_t)made->grids.count;
    if (!failed) {
        cube_enter_cells(b, &grid, first, count, starts, true); // now each start is the end of its cell
        b->entries.count = sum;
        grid.first = (uint32_t)made->cells.count;
        ((cube_grid *)made->grids.items)[made->grids.count++] = grid;
        made->cells.count += cells;
        for (int64_t i = 0; i < cells && b->status == LF_OK; i++)
            cube_fill_cell(b, grid.first + (uint32_t)i, i == 0 ? end : starts[i - 1],
                           starts[i] - (i == 0 ? end : starts[i - 1]), depth);
    }
    b->entries.count = end;
    lf__free_array(b->allocator, starts, cells + 1, sizeof *starts);
    return number;
}

// ---------------------------------------------------------------------------------------------------
// The index
// ---------------------------------------------------------------------------------------------------

static lf_status cube_make_faces(cube_builder *b, const lf_host *host) {
    const lf_mesh *mesh = b->mesh;
    for (b->face = 0; b->face < 6 && b->status == LF_OK; b->face++) {
        b->entries.count = 0;
        if (cube_failed(
                b, lf__array_reserve(&b->entries, b->allocator, mesh->triangle_count, sizeof(cube_entry))))
            break;
        for (int64_t i = 0; i < mesh->triangle_count; i++) {
            lf_vec3 points[3];
            cube_entry entry = {(uint32_t)i, 0, 0, 0, 0};
            lf__mesh_triangle(mesh, i, points);
            if (!lf__mesh_edge_on(&mesh->frame, points) &&
                cube_on_face(b->face, points, mesh->frame.origin, &entry))
                ((cube_entry *)b->entries.items)[b->entries.count++] = entry;
        }
        bool useful = false;
        int64_t count = b->entries.count;
        if (count > 0)
            b->made->faces[b->face] = cube_make_grid(b, 0, count, 1, &useful);
        if (!lf__report(host, "directions", b->face + 1, 6))
            cube_failed(b, LF_CANCELLED);
    }
    return b->status;
}

/// Triangles of one cell next to each other: a question then reads few places of memory.
static lf_status cube_sort_triangles(cube_map *made, const lf_allocator *allocator) {
    cube_triangle *sorted = NULL;
    uint32_t *places = NULL, *references = made->references.items, next = 0;
    int64_t count = made->triangle_count;
    lf_status status = lf__allocate_array(allocator, count, sizeof *sorted, (void **)&sorted);
    if (status == LF_OK)
        status = lf__allocate_array(allocator, count, sizeof *places, (void **)&places);
    if (status == LF_OK) {
        memset(places, 0xff, (size_t)count * sizeof *places);
        for (int64_t i = 0; i < made->references.count; i++) {
            uint32_t *place = &places[references[i]];
            if (*place == UINT32_MAX) {
                sorted[next] = made->triangles[references[i]];
                *place = next++;
            }
            references[i] = *place;
        }
        cube_triangle *unsorted = made->triangles;
        made->triangles = sorted;
        sorted = unsorted;
    }
    lf__free_array(allocator, places, count, sizeof *places);
    lf__free_array(allocator, sorted, count, sizeof *sorted);
    return status;
}

static void cube_destroy(lf_mesh *mesh) {
    cube_map *made = mesh->index_data;
    if (!made)
        return;
    lf__array_free(&made->references, &mesh->allocator, sizeof(uint32_t));
    lf__array_free(&made->cells, &mesh->allocator, sizeof(cube_cell));
    lf__array_free(&made->grids, &mesh->allocator, sizeof(cube_grid));
    lf__free_array(&mesh->allocator, made->triangles, made->triangle_count, sizeof *made->triangles);
    lf__free(&mesh->allocator, made, sizeof *made, _Alignof(cube_map));
    mesh->index_data = NULL;
}

static lf_status cube_create(lf_mesh *mesh, const void *def, const lf_host *host, lf_error *error) {
    (void)def;
    cube_map *made = lf__allocate(&mesh->allocator, sizeof *made, _Alignof(cube_map));
    if (!made)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *made = (cube_map){.triangle_count = mesh->triangle_count};
    mesh->index_data = made;
    cube_builder b = {.made = made, .mesh = mesh, .allocator = &mesh->allocator, .status = LF_OK};
    lf_status status = lf__allocate_array(&mesh->allocator, mesh->triangle_count, sizeof *made->triangles,
                                          (void **)&made->triangles);
    if (status == LF_OK)
        status = lf__array_reserve(&made->grids, &mesh->allocator, 1, sizeof(cube_grid));
    if (status == LF_OK) {
        made->grids.count = 1; // 0 means no grid
        for (int64_t i = 0; i < mesh->triangle_count; i++) {
            lf_vec3 points[3];
            lf__mesh_triangle(mesh, i, points);
            cube_measure(&made->triangles[i], points, mesh->frame.origin);
            made->triangles[i].number = (uint32_t)i;
        }
        status = cube_make_faces(&b, host);
    }
    if (status == LF_OK)
        status = cube_sort_triangles(made, &mesh->allocator);
    lf__array_free(&b.entries, &mesh->allocator, sizeof(cube_entry));
    made->work = (lf_mesh_work){.triangles = 6 * mesh->triangle_count,
                                .cells = made->cells.count,
                                .references = made->references.count};
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}

static const void *cube_def(const lf_mesh *mesh) {
    (void)mesh;
    return NULL;
}

static size_t cube_bytes(const lf_mesh *mesh) {
    const cube_map *made = mesh->index_data;
    return sizeof *made + (size_t)made->triangle_count * sizeof *made->triangles +
           (size_t)made->grids.capacity * sizeof(cube_grid) +
           (size_t)made->cells.capacity * sizeof(cube_cell) +
           (size_t)made->references.capacity * sizeof(uint32_t);
}

static lf_mesh_work cube_work(const lf_mesh *mesh) {
    return ((const cube_map *)mesh->index_data)->work;
}

// ---------------------------------------------------------------------------------------------------
// Queries
// ---------------------------------------------------------------------------------------------------

/// The triangles in a direction from the centre; none where a face is empty.
static cube_cell cube_find_cell(const cube_map *made, lf_vec3 from_centre, uint64_t *cells) {
    double p[3];
    int face = cube_face_of(from_centre);
    uint32_t number = made->faces[face];
    cube_cell cell = {0, 0};
    cube_turn_to_face(face, from_centre, p);
    double u = p[0] / p[2], v = p[1] / p[2];
    while (number != 0) {
        const cube_grid *grid = (const cube_grid *)made->grids.items + number;
        double column = (u - grid->u) * grid->per_u, row = (v - grid->v) * grid->per_v;
        ++*cells;
        // Entries are wider than rounding: beyond a grid there is nothing.
        if (!(column >= 0 && row >= 0 && column <= grid->columns && row <= grid->rows))
            return (cube_cell){0, 0};
        int64_t c = cube_step(u, grid->u, grid->per_u, grid->columns),
                r = cube_step(v, grid->v, grid->per_v, grid->rows);
        cell = ((const cube_cell *)made->cells.items)[grid->first + (uint32_t)(r * grid->columns + c)];
        number = cell.first & CUBE_GRID ? cell.first & ~CUBE_GRID : 0;
    }
    return cell;
}

/// A line from a point to the centre.
typedef struct cube_line {
    lf_vec3 from;  ///< the point, from the centre
    double slack;  ///< of a product with it
    float x, y, z; ///< the direction from the centre, unit length
} cube_line;

/// May the line meet a triangle between its point and the centre? Few branches: which test fails cannot be predicted.
static inline bool cube_may_meet(const cube_triangle *t, const cube_line *line) {
    float products[3];
    for (int k = 0; k < 3; k++)
        products[k] = t->x[k] * line->x + t->y[k] * line->y + t->z[k] * line->z;
    float least = products[0] < products[1] ? products[0] : products[1];
    least = products[2] < least ? products[2] : least;
    return !(least < -t->edge_error) &&
           !(lf_vec3_dot(cube_normal(t, 3), line->from) + line->slack < (double)t->offset);
}

/// The first meeting of a line to the centre. All other lines are left to the box tree.
static bool cube_first(const lf__mesh_query *query, lf__bvh_meeting *best, lf_cursor *cursor) {
    const lf_mesh *mesh = query->mesh;
    const cube_map *made = mesh->index_data;
    lf_vec3 from = lf_vec3_sub(query->ray->origin, mesh->frame.origin);
    double distance = lf_vec3_length(from);
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    if (!(query->ray->t_min >= 0 && lf_vec3_dot(query->ray->direction, from) < 0 && distance > 0x1p-60 &&
          distance < 0x1p60))
        return lf__bvh_first(mesh->tree, query->ray, &filter, best, cursor);
    lf_counters cost = {.questions = 1};
    cube_cell cell = cube_find_cell(made, from, &cost.cells);
    lf_vec3 unit = lf_vec3_scale(from, 1 / distance);
    cube_line line = {from, 16 * 0x1p-52 * distance, (float)unit.x, (float)unit.y, (float)unit.z};
    const uint32_t *references = made->references.items;
    bool met = false;
    int64_t last = -1;
    cost.triangles = cell.count;
    for (uint32_t i = 0; i < cell.count; i++) {
        const cube_triangle *triangle = &made->triangles[references[cell.first + i]];
        lf__bvh_meeting meeting;
        if (!cube_may_meet(triangle, &line))
            continue;
        int64_t polygon = lf__mesh_owner(mesh, triangle->number);
        if (polygon == last || !lf__mesh_meet_polygon(query, polygon, &meeting, &cost.exact))
            continue;
        last = polygon;
        if (!met || lf__mesh_before(query, &meeting, best, &cost.exact))
            *best = meeting;
        met = true;
    }
    lf__cursor_count(cursor, &cost);
    return met;
}

static bool cube_any(const lf__mesh_query *query, lf_cursor *cursor) {
    lf__bvh_filter filter = {lf__mesh_accepts, query};
    return lf__bvh_any(query->mesh->tree, query->ray, &filter, cursor);
}

static const lf_mesh_index cube_index = {.create = cube_create,
                                         .destroy = cube_destroy,
                                         .def = cube_def,
                                         .bytes = cube_bytes,
                                         .work = cube_work,
                                         .first = cube_first,
                                         .any = cube_any,
                                         .all = lf__mesh_all};

const lf_mesh_index *lf__cube_index(void) {
    return &cube_index;
}
