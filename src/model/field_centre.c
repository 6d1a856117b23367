/// Where a distance field looks from. From a point that sees all of the surface every sector has one layer; most shapes have no such
/// point, and then any near the middle will do.
#include "model/field.h"

/// Candidates for the place that sees most: a lattice in the box, then ever smaller steps around the best.
enum { LATTICE = 5, STEPS = 4, SAMPLES = 512 };

static lf_vec3 middle_of(const lf_model *model, int64_t triangle, double *area) {
    lf_vec3 t[3];
    lf__model_corners(model, triangle, t);
    *area = lf_vec3_length(lf_vec3_cross(lf_vec3_sub(t[1], t[0]), lf_vec3_sub(t[2], t[0])));
    return lf_vec3_scale(lf_vec3_add(t[0], lf_vec3_add(t[1], t[2])), 1.0 / 3);
}

/// The mean of the triangles' middles by area; of the middles alone where there is no area.
static lf_vec3 mass_centre(const lf_model *model) {
    lf_vec3 base = lf_box_centre(model->tree->box), sum = {0, 0, 0}, plain = {0, 0, 0};
    double total = 0;
    for (int64_t i = 0; i < model->triangle_count; i++) {
        double area;
        lf_vec3 d = lf_vec3_sub(middle_of(model, i, &area), base);
        sum = lf_vec3_along(sum, area, d);
        plain = lf_vec3_add(plain, d);
        total += area;
    }
    lf_vec3 mean = lf_vec3_scale(plain, 1.0 / (double)model->triangle_count);
    if (total > 0 && isfinite(total))
        mean = lf_vec3_scale(sum, 1 / total);
    return lf_vec3_add(base, mean);
}

/// The area of the sampled triangles whose middles a point sees.
static double seen_from(const lf_model *model, lf_vec3 point) {
    int64_t stride = model->triangle_count / SAMPLES + 1;
    double seen = 0;
    for (int64_t i = 0; i < model->triangle_count; i += stride) {
        double area;
        lf_ray sight = lf_ray_between(point, middle_of(model, i, &area));
        bool blocked = true;
        sight.t_max = 1 - 1e-6;
        if (area > 0 && lf_tree_ray_any(model->tree, &sight, &blocked, NULL) == LF_OK && !blocked)
            seen += area;
    }
    return seen;
}

typedef struct candidate {
    lf_vec3 at;
    double seen;
} candidate;

static void try_at(const lf_model *model, lf_vec3 at, candidate *best) {
    double seen = seen_from(model, at);
    if (seen > best->seen)
        *best = (candidate){at, seen};
}

static lf_vec3 seeing_centre(const lf_model *model) {
    lf_box box = model->tree->box;
    lf_vec3 size = lf_vec3_sub(box.high, box.low);
    candidate best = {model->centre, seen_from(model, model->centre)};
    try_at(model, mass_centre(model), &best);
    for (int i = 0; i < LATTICE * LATTICE * LATTICE; i++) {
        lf_vec3 share = {(i % LATTICE + 1.0) / (LATTICE + 1), (i / LATTICE % LATTICE + 1.0) / (LATTICE + 1),
                         (i / LATTICE / LATTICE + 1.0) / (LATTICE + 1)};
        lf_vec3 at = {box.low.x + share.x * size.x, box.low.y + share.y * size.y,
                      box.low.z + share.z * size.z};
        try_at(model, at, &best);
    }
    for (double step = 1.0 / (2 * LATTICE + 2), round = 0; round < STEPS; step /= 2, round++) {
        lf_vec3 start = best.at;
        for (int i = 0; i < 6; i++) {
            double way = i % 2 ? step : -step;
            lf_vec3 move = {i / 2 == 0 ? way * size.x : 0, i / 2 == 1 ? way * size.y : 0,
                            i / 2 == 2 ? way * size.z : 0};
            try_at(model, lf_vec3_add(start, move), &best);
        }
    }
    return best.at;
}

lf_vec3 lf__field_centre_of(const lf_model *model, const lf_field_def *def) {
    switch (def->centre) {
    case LF_FIELD_CENTRE_MASS:
        return mass_centre(model);
    case LF_FIELD_CENTRE_SEEING:
        return seeing_centre(model);
    case LF_FIELD_CENTRE_GIVEN:
        return def->at;
    case LF_FIELD_CENTRE_SPHERE:
        break;
    }
    return model->centre;
}
