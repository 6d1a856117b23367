/// What the files of the benchmark of single rays share.
#ifndef LF_BENCH_TREE_H
#define LF_BENCH_TREE_H

#include "embree.h"
#include "support.h"

/// Two landfall meshes and two Embree scenes over one terrain.
enum { PLAIN, HUGE_PAGES, MESHES };
enum { HIGH, ROBUST, SCENES };
enum { CONTESTANTS = MESHES + SCENES };

typedef struct tree_rivals {
    const bench_terrain *terrain;
    int64_t *corners; ///< those of the terrain, as a mesh takes them
    bench_memory memory[MESHES];
    lf_mesh *mesh[MESHES];
    bench_embree *embree[SCENES];
} tree_rivals;

/// Build all four, print what building costs.
void tree_rivals_open(tree_rivals *rivals, const bench_terrain *terrain, bench_report *report);
void tree_rivals_close(tree_rivals *rivals);

/// One question asked with one kind of rays.
typedef struct tree_question {
    const char *name; ///< such as "camera first"
    bench_ray_kind kind;
    bool any; ///< only whether there is a hit
} tree_question;

/// The tables of one terrain, and the wrong answers so far.
typedef struct tree_tables {
    bench_table times, work, answers;
    int64_t checked;
    int64_t wrong;
} tree_tables;

void tree_tables_start(tree_tables *tables, const char *terrain);
void tree_tables_end(const tree_tables *tables, bench_report *report);

/// Ask one question of everybody, check the answers, add a row to each table.
void tree_ask(tree_rivals *rivals, const tree_question *question, bench_report *report, tree_tables *tables);

#endif
