/// What the files of the mesh benchmark share.
#ifndef LF_BENCH_MESH_H
#define LF_BENCH_MESH_H

#include "embree.h"
#include "support.h"
#include <landfall/published.h>

/// Two landfall meshes and two Embree scenes over one terrain.
enum { NEST, QUADTREE, MESHES };
enum { HIGH, ROBUST, SCENES };

typedef struct mesh_rivals {
    bench_terrain terrain; ///< the polygons as fans of triangles, for the peer and the oracle
    lf_polygons polygons;  ///< the same polygons for landfall, on the terrain's vertices
    int64_t *firsts;       ///< polygon to its first triangle
    lf_mesh *mesh[MESHES];
    const lf_ground *ground[MESHES];
    bench_embree *embree[SCENES];
    double start; ///< every question starts at this z, above everything
} mesh_rivals;

/// Build all four over polygons, print what building costs, note the bars of memory and building.
void mesh_rivals_open(mesh_rivals *rivals, const char *name, const lf_polygons *polygons,
                      bench_report *report);
void mesh_rivals_close(mesh_rivals *rivals);

/// Note a bar of speed, "mesh-TERRAIN-NAME"; without AVX-512 also 0.7 of it (bench_bar_relaxed).
void mesh_speed_bar(const mesh_rivals *rivals, bench_report *report, const char *name, double measured,
                    double wanted);
/// Note a bar that is the same for all processors.
void mesh_plain_bar(const mesh_rivals *rivals, bench_report *report, const char *name, double measured,
                    double wanted);

/// Where questions are asked, see mesh_points.c.
typedef enum mesh_place { MESH_AREA, MESH_NOTHING, MESH_CAR } mesh_place;

/// Points as landfall takes them, and the same as rays straight down. All numbers are floats held in doubles.
typedef struct mesh_points {
    lf_vec3 *points;
    bench_rays rays;
    int64_t count;
} mesh_points;

void mesh_points_make(mesh_points *points, const mesh_rivals *rivals, mesh_place place, int64_t count);
/// Along a curve that keeps neighbours together (Morton).
void mesh_points_sort(mesh_points *points, const mesh_rivals *rivals);
void mesh_points_close(mesh_points *points);

/// The tables of one terrain, and the wrong answers so far.
typedef struct mesh_tables {
    bench_table times, answers;
    int64_t checked, wrong;
    double seconds[2][MESHES + SCENES]; ///< per question over ground, and without; for the published Table 5
} mesh_tables;

void mesh_answers_start(mesh_tables *tables, const char *terrain);
/// Compare landfall's answers with those of a peer.
void mesh_oracle(const mesh_rivals *rivals, const mesh_points *points, const char *question,
                 const bench_answer *ours, const bench_answer *peer, mesh_tables *tables);

/// landfall's answer as a triangle of the terrain.
bench_answer mesh_answer(const mesh_rivals *rivals, const lf_hit *hit);

/// Questions one at a time.
void mesh_single(mesh_rivals *rivals, bench_report *report, mesh_tables *tables);
/// A million questions at once.
void mesh_batch(mesh_rivals *rivals, bench_report *report, mesh_tables *tables);
/// The tables that were published with the quadtree.
void mesh_published(const mesh_rivals *rivals, bench_report *report, const mesh_tables *tables);
/// The paper's other uses: gravity along a vector, to a centre and from an axis, parts that move, locales, and shadows of a sun and of a lamp.
void mesh_frames(const mesh_rivals *rivals, bench_report *report);
void mesh_groups(const mesh_rivals *rivals, bench_report *report);
void mesh_locales(bench_report *report);

#endif
