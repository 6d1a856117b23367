/// What all benchmarks share: options, fair timing, tables, bars, terrains, rays, memory, and a oracle.
///
/// A benchmark puts landfall and its peers side by side in one run: same triangles, same questions, and the
/// answers compared before anybody believes a figure.
#ifndef LF_BENCH_SUPPORT_H
#define LF_BENCH_SUPPORT_H

#include <landfall/landfall.h>
#include <landfall/picture.h>
#include <stdio.h>

// ---------------------------------------------------------------------------------------------------
// Options and the report
// ---------------------------------------------------------------------------------------------------

#define BENCH_BARS_MAX 256

/// A figure that a benchmark has to reach.
typedef struct bench_bar_line {
    char name[128];
    double measured;
    double wanted;
} bench_bar_line;

/// One run of a benchmark: what was asked for and what has been found.
typedef struct bench_report {
    bool large;           ///< --large: also the terrains that take minutes
    bool quick;           ///< --quick: small terrains and few rays, to try the benchmark itself
    int rounds;           ///< --rounds N: timed rounds per measurement
    const char *only;     ///< --only TEXT: only what has this text in its name; NULL: everything
    const char *csv_path; ///< --csv FILE: every table again, for programs; NULL: none
    FILE *csv;
    char csv_part[4096]; ///< the file is written here and renamed at the end
    bench_bar_line bars[BENCH_BARS_MAX];
    int bar_count;
} bench_report;

/// Read the command line. Prints usage and ends the process on --help (0) and on a mistake (2).
void bench_report_start(bench_report *report, int argc, char **argv, const char *about);

/// Whether --only lets this name through: the text occurs in it, or there is no --only.
bool bench_wanted(const bench_report *report, const char *name);

/// Note a figure that should be at least `wanted`; printed at the very end.
void bench_bar(bench_report *report, const char *name, double measured, double wanted);

/// The same, for a figure of which processors without AVX-512 need only a share (at most 1): then a second bar stands beside the first,
/// with the relaxed target and a name that says so.
void bench_bar_relaxed(bench_report *report, const char *name, double measured, double wanted, double share);

/// Print the bars, put the CSV file in its place. Returns the exit status: 0 whatever the bars say, 2 when the
/// CSV file could not be written.
int bench_report_end(bench_report *report);

/// A benchmark that cannot go on says why and ends with 2.
void bench_stop(const char *format, ...) LF_PRINTF(1, 2) __attribute__((noreturn));

/// Memory or the end of the benchmark.
void *bench_take(size_t count, size_t item);

/// The processor's name and what of the machine matters to the figures, in a static buffer.
const char *bench_machine(void);

// ---------------------------------------------------------------------------------------------------
// Tables
// ---------------------------------------------------------------------------------------------------

#define BENCH_COLUMNS_MAX 16
#define BENCH_ROWS_MAX 32
#define BENCH_CELL_MAX 40

/// A table that is filled row by row and printed with aligned columns when it is complete.
typedef struct bench_table {
    char title[160];
    char cells[BENCH_ROWS_MAX + 1][BENCH_COLUMNS_MAX][BENCH_CELL_MAX]; ///< row 0 holds the heads
    int columns;
    int rows;
    int filled; ///< cells of the last row
} bench_table;

/// Start a table; heads is a NULL-terminated list of column heads.
void bench_table_start(bench_table *table, const char *title, const char *const *heads);
void bench_table_row(bench_table *table);
/// Fill the next cell of the last row.
void bench_table_cell(bench_table *table, const char *format, ...) LF_PRINTF(2, 3);
/// Print the table, and write it to the CSV file if there is one.
void bench_table_end(const bench_table *table, bench_report *report);

// ---------------------------------------------------------------------------------------------------
// Figures
// ---------------------------------------------------------------------------------------------------

#define BENCH_SERIES_MAX 8

/// A figure: one value of every series at every place.
typedef struct bench_figure {
    const char *name; ///< of the file: FILE.NAME.png beside the CSV file
    const char *title;
    const char *x, *y; ///< what the axes are
    const char *const *series;
    int series_count;
    const double *at; ///< places, x
    int count;        ///< of them
    const double *values[BENCH_SERIES_MAX];
    bool bars;         ///< of the first series a bar per place, of the others a point; else lines
    bool log_x, log_y; ///< logarithmic axes
    bool free;         ///< y need not start at 0
} bench_figure;

/// A picture beside the CSV file, FILE.NAME.png: NULL without such a file.
lf_canvas *bench_page_open(const bench_report *report, int64_t width, int64_t height);
void bench_page_close(lf_canvas *canvas, const bench_report *report, const char *name);

/// Draw a figure as a PNG file beside the CSV file; nothing without one.
void bench_figure_draw(const bench_figure *figure, const bench_report *report);

// ---------------------------------------------------------------------------------------------------
// Time
// ---------------------------------------------------------------------------------------------------

#define BENCH_CONTESTANTS_MAX 20
#define BENCH_ROUNDS_MAX 99

/// Somebody who can do the work once.
typedef struct bench_contestant {
    const char *name;
    void (*prepare)(void *user); ///< called before each pass, not timed; or NULL
    void (*run)(void *user);     ///< one pass over all the work
    void *user;
} bench_contestant;

/// What a race found. Contestant 0 is landfall, to which the others are compared.
typedef struct bench_times {
    double seconds[BENCH_CONTESTANTS_MAX]; ///< median over the rounds
    double real[BENCH_CONTESTANTS_MAX];    ///< likewise, by the clock on the wall
    double spread[BENCH_CONTESTANTS_MAX];  ///< half the distance of the quartiles, as a share of the median
    double ratio
        [BENCH_CONTESTANTS_MAX]; ///< median over the rounds of theirs / landfall's: above 1, we are faster
} bench_times;

/// Processor time of this process, all its threads, in seconds.
double bench_clock(void);

/// Let all contestants do the work `rounds` times (after one pass that is not timed), in turns: each round
/// times every contestant once, in an order that rotates, so that whatever else the machine does hits all of
/// them alike. warm false leaves the untimed pass out.
void bench_race(const bench_contestant *contestants, int count, int rounds, bool warm, bench_times *times);

// ---------------------------------------------------------------------------------------------------
// Memory
// ---------------------------------------------------------------------------------------------------

/// An allocator that counts: what is out now, and the most there was.
typedef struct bench_memory {
    lf_allocator allocator;
    int64_t bytes;
    int64_t peak;
    bool huge; ///< large blocks are aligned to 2 MB and ask for huge pages, as some peers do by themselves
} bench_memory;

void bench_memory_start(bench_memory *memory, bool huge);

// ---------------------------------------------------------------------------------------------------
// Terrains and rays
// ---------------------------------------------------------------------------------------------------

/// A small random generator (splitmix64): same numbers everywhere.
typedef struct bench_random {
    uint64_t state;
} bench_random;

uint64_t bench_random_bits(bench_random *random);
/// Uniform in [low, high).
double bench_random_between(bench_random *random, double low, double high);
/// Uniform in 0 .. count - 1.
int64_t bench_random_below(bench_random *random, int64_t count);

/// Triangles for landfall (double) and for peers in single precision. The doubles hold exactly the floats, so
/// that everybody sees the same ground.
typedef struct bench_terrain {
    char name[64];
    lf_vec3 *vertices;
    float *singles; ///< the same, three per vertex and one more at the end (peers may read 16 bytes)
    int64_t vertex_count;
    uint32_t *corners;
    int64_t triangle_count;
    lf_box box;
} bench_terrain;

/// Generated mountains of 2 * cells * cells triangles, 30 m samples.
void bench_terrain_mountains(bench_terrain *terrain, const char *name, int64_t cells, uint64_t seed);
/// The path of a file under the folder of real data; false (and a line that says so) when it is not there.
bool bench_data_path(const char *name, const char *relative, char *path, size_t size);
/// Polygons cut into fans; the vertices are rounded to floats.
void bench_terrain_polygons(bench_terrain *terrain, const char *name, const lf_polygons *polygons);
/// A mesh file under the folder of real data, to be closed with lf_polygon_file_close; NULL (and a line that says
/// so) when it is not there.
struct lf_polygon_file *bench_terrain_open(const char *name, const char *relative);
/// The same as a terrain; false (and a line that says so) when it is not there.
bool bench_terrain_file(bench_terrain *terrain, const char *name, const char *relative);
void bench_terrain_close(bench_terrain *terrain);

/// The four kinds of rays, see rays.c.
typedef enum bench_ray_kind { BENCH_CAMERA, BENCH_DOWN, BENCH_SPHERE, BENCH_SIGHT } bench_ray_kind;

/// Rays whose numbers are all floats held in doubles, so that nobody has to round them.
typedef struct bench_rays {
    lf_ray *rays;
    int64_t count;
} bench_rays;

/// Make rays over a terrain. count is rounded down to a square for the camera.
void bench_rays_make(bench_rays *rays, bench_ray_kind kind, const bench_terrain *terrain, int64_t count,
                     uint64_t seed);
void bench_rays_close(bench_rays *rays);

// ---------------------------------------------------------------------------------------------------
// The oracle
// ---------------------------------------------------------------------------------------------------

/// An answer to "what does this ray meet first": item -1 for nothing.
typedef struct bench_answer {
    double t;
    int64_t item;
} bench_answer;

/// How the answers of landfall and of a peer compare. Every disagreement is decided by exact arithmetic on the
/// two triangles named.
typedef struct bench_verdict {
    int64_t rays;
    int64_t same;        ///< same triangle, or both nothing
    int64_t tie;         ///< different triangles, both met, at the same t: a shared edge, or one on the other
    int64_t rounded;     ///< the peer's triangle is wrong by its rounding: same place within single precision
    int64_t peer_missed; ///< the peer passed through or behind ground that is met
    int64_t peer_phantom; ///< the peer reports a triangle that the ray does not meet
    int64_t ours_wrong;   ///< landfall missed a nearer triangle that is met, or named one that is not
    int64_t undecided;    ///< the ray lies in the plane of a triangle: not decided here
    double t_error;       ///< metres: largest distance between the two hit points on the same triangle
} bench_verdict;

/// Does the ray meet this triangle (closed), and where? By exact signs; t in long double.
/// 1 met, 0 not, -1 the ray lies in the triangle's plane.
int bench_exact_hit(const bench_terrain *terrain, const lf_ray *ray, int64_t item, long double *t);

/// Compare one pair of answers and add it to the verdict.
void bench_oracle(bench_verdict *verdict, const bench_terrain *terrain, const lf_ray *ray, bench_answer ours,
                  bench_answer peer);

/// The first triangle met, by asking every one: slow and right.
bench_answer bench_brute_first(const bench_terrain *terrain, const lf_ray *ray);

#endif
