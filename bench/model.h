/// What the files of the model benchmark share.
#ifndef LF_BENCH_MODEL_H
#define LF_BENCH_MODEL_H

#include "colliders.h"
#include "support.h"
#include <landfall/picture.h>
#include <landfall/published.h>

/// A shape in the unit box around the origin.
typedef struct model_shape {
    char name[24];
    lf_vec3 *vertices; ///< floats held in doubles, so that everybody sees the same shape
    float *singles;
    int64_t vertex_count;
    int64_t *corners; ///< three per triangle, for landfall
    uint32_t *corners32;
    int64_t triangle_count;
} model_shape;

/// A trunk with branches, and leaves that are attached to nothing.
void model_shape_tree(model_shape *shape, int64_t triangles);
void model_shape_knot(model_shape *shape, int64_t triangles);
/// A file under the folder of real data, its triangles cut at their longest edges until there are so many (0: as it is); false
/// (and a line that says so) when it is not there.
bool model_shape_file(model_shape *shape, const char *name, const char *relative, int64_t triangles);
void model_shape_close(model_shape *shape);

collider_shape model_shape_view(const model_shape *shape);

enum { PEERS = 4, DISTANCES = 12, FRAMES = 1000 };

/// What is asked of everybody.
typedef enum turn_mode { MODE_ALL, MODE_TOUCH, MODES } turn_mode;

/// One shape, twice, in everybody's form.
typedef struct model_rivals {
    const model_shape *shape;
    bench_memory memory;
    lf_model *model;
    lf_model *field; ///< the same with a distance field; made by model_methods
    const collider_kind *kind[PEERS];
    void *peer[PEERS];
    double micros[MODES][PEERS + 1]
                 [DISTANCES]; ///< per frame, of landfall and then of the peers; by model_turns
} model_rivals;

/// The share of each bar of speed that is required with this machine's instruction set.
static inline double model_share(void) {
    return lf_isa_best() >= LF_ISA_AVX512 ? 1.0 : 0.5;
}

/// Build everything, print what building costs (report: NULL for not).
void model_rivals_open(model_rivals *rivals, const model_shape *shape, bench_report *report);
void model_rivals_close(model_rivals *rivals);

/// The race of the paper's figure 7: the second model turns about z at decreasing distances.
void model_turns(model_rivals *rivals, bench_report *report);

/// The same turns, asked by tree and by field in all modes of the paper, of landfall alone; and a picture of everybody's times.
void model_methods(model_rivals *rivals, bench_report *report);

/// How shells and one pair grow with the number of triangles of one shape.
void model_growth(bench_report *report);

/// The paper's figure 7: a tree and a car, in random orientations at fixed distances.
void model_figure(bench_report *report);

/// Draw a plot to a PNG file.
void model_draw_plot(const lf_plot_def *plot, const char *path);

/// A model of a shape, with a field of so many sectors (0: none).
lf_model *model_make(const model_shape *shape, int sectors);

/// The distances of the figure, the farthest first.
double model_distance(int index);

/// The poses of a full turn at a distance.
void model_poses(double distance, lf_pose poses[FRAMES]);

#endif
