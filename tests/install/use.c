/// A stranger's program against the installed library: do header and library fit together? Also compiled as C++.
#include <landfall/io.h>
#include <landfall/landfall.h>
#include <landfall/make.h>
#include <landfall/omp.h>
#include <landfall/picture.h>
#include <stdio.h>
#include <string.h>

static int wrong;

static void check(const char *what, bool fine) {
    printf("%-50s %s\n", what, fine ? "ok" : "WRONG");
    wrong += !fine;
}

static bool same_host(lf_host a, lf_host b) {
    return a.allocator == b.allocator && a.tasks == b.tasks && a.progress == b.progress && a.log == b.log;
}

static void check_version(void) {
    char text[32];
    snprintf(text, sizeof text, "%d.%d.%d", LF_VERSION_MAJOR, LF_VERSION_MINOR, LF_VERSION_PATCH);
    check("lf_version() is that of the headers", strcmp(lf_version(), text) == 0);
}

static bool same_polygons(lf_polygons a, lf_polygons b) {
    return a.vertices == b.vertices && a.vertex_count == b.vertex_count && a.starts == b.starts &&
           a.corners == b.corners && a.polygon_count == b.polygon_count && a.users == b.users &&
           a.layers == b.layers && a.sides == b.sides;
}

static bool same_frame(lf_frame a, lf_frame b) {
    return a.kind == b.kind && memcmp(&a.origin, &b.origin, sizeof a.origin) == 0 &&
           memcmp(&a.down, &b.down, sizeof a.down) == 0 && memcmp(a.rows, b.rows, sizeof a.rows) == 0;
}

// The inline default and the exported one are the same, field by field (what lies between fields may differ).

static void check_tree_def(void) {
    lf_tree_def a = lf_tree_def_default();
    lf_tree_def b;
    memset(&b, 0x5a, sizeof b);
    lf_tree_def_init(&b, sizeof b);
    check("both defaults of lf_tree_def",
          a.size == sizeof a && a.size == b.size && same_host(a.host, b.host) && a.vertices == b.vertices &&
              a.corners == b.corners && a.triangle_count == b.triangle_count && a.boxes == b.boxes &&
              a.box_count == b.box_count);
}

static void check_mesh_def(void) {
    lf_mesh_def a = lf_mesh_def_default();
    lf_mesh_def b;
    memset(&b, 0x5a, sizeof b);
    lf_mesh_def_init(&b, sizeof b);
    check("both defaults of lf_mesh_def", a.size == sizeof a && a.size == b.size &&
                                              same_host(a.host, b.host) &&
                                              same_polygons(a.polygons, b.polygons) &&
                                              same_frame(a.frame, b.frame) && a.tolerance == b.tolerance);
}

static void check_polygon_file_def(void) {
    lf_polygon_file_def a = lf_polygon_file_def_default();
    lf_polygon_file_def b;
    memset(&b, 0x5a, sizeof b);
    lf_polygon_file_def_init(&b, sizeof b);
    check("both defaults of lf_polygon_file_def",
          a.size == sizeof a && a.size == b.size && same_host(a.host, b.host) && a.only == b.only &&
              a.only_count == b.only_count && a.tolerance == b.tolerance);
}

static bool same_number(double a, double b) {
    return a == b || (a != a && b != b);
}

static void check_make_heights_def(void) {
    lf_make_heights_def a = lf_make_heights_def_default();
    lf_make_heights_def b;
    memset(&b, 0x5a, sizeof b);
    lf_make_heights_def_init(&b, sizeof b);
    check("both defaults of lf_make_heights_def",
          a.size == sizeof a && a.size == b.size && same_host(a.host, b.host) && a.landscape == b.landscape &&
              a.seed == b.seed && a.columns == b.columns && a.rows == b.rows &&
              a.first_column == b.first_column && a.first_row == b.first_row && a.spacing == b.spacing &&
              same_number(a.low, b.low) && same_number(a.high, b.high));
}

static void check_make_polygons_def(void) {
    lf_make_polygons_def a = lf_make_polygons_def_default();
    lf_make_polygons_def b;
    memset(&b, 0x5a, sizeof b);
    lf_make_polygons_def_init(&b, sizeof b);
    check("both defaults of lf_make_polygons_def",
          a.size == sizeof a && a.size == b.size && same_host(a.host, b.host) && a.kind == b.kind &&
              a.seed == b.seed && a.polygon_count == b.polygon_count);
}

static void check_canvas_def(void) {
    lf_canvas_def a = lf_canvas_def_default();
    lf_canvas_def b;
    memset(&b, 0x5a, sizeof b);
    lf_canvas_def_init(&b, sizeof b);
    check("both defaults of lf_canvas_def",
          a.size == sizeof a && a.size == b.size && same_host(a.host, b.host) && a.width == b.width &&
              a.height == b.height && memcmp(&a.background, &b.background, sizeof a.background) == 0);
}

static void check_relief_def(void) {
    lf_relief_def a = lf_relief_def_default();
    lf_relief_def b;
    memset(&b, 0x5a, sizeof b);
    lf_relief_def_init(&b, sizeof b);
    check("both defaults of lf_relief_def",
          a.size == sizeof a && a.size == b.size && a.ramp == b.ramp && same_number(a.low, b.low) &&
              same_number(a.high, b.high) && a.sun_azimuth_deg == b.sun_azimuth_deg &&
              a.sun_height_deg == b.sun_height_deg && a.exaggeration == b.exaggeration &&
              a.strength == b.strength && a.shadows == b.shadows && a.contours == b.contours &&
              a.hole.alpha == b.hole.alpha && a.palette == b.palette && a.palette_count == b.palette_count &&
              a.edges.colour.alpha == b.edges.colour.alpha && a.edges.width == b.edges.width);
}

static void check_plot_def(void) {
    lf_plot_def a = lf_plot_def_default();
    lf_plot_def b;
    memset(&b, 0x5a, sizeof b);
    lf_plot_def_init(&b, sizeof b);
    check("both defaults of lf_plot_def",
          a.size == sizeof a && a.size == b.size && a.area.width == b.area.width && a.title == b.title &&
              a.subtitle == b.subtitle && a.x.label == b.x.label && same_number(a.x.low, b.x.low) &&
              same_number(a.y.high, b.y.high) && a.x.logarithmic == b.x.logarithmic && a.series == b.series &&
              a.series_count == b.series_count && a.one_scale == b.one_scale &&
              a.text_height == b.text_height);
}

static void add_up(void *job, int64_t first, int64_t last, int worker) {
    int64_t *sums = (int64_t *)job;
    for (int64_t i = first; i < last; i++)
        sums[worker] += i;
}

static void check_tasks(void) {
    int64_t sums[2] = {0, 0};
    lf_tasks tasks = lf_tasks_openmp(2);
    tasks.run(tasks.user, 1000, 10, add_up, sums);
    check("a loop on lf_tasks_openmp(2)", sums[0] + sums[1] == 499500);
}

int main(void) {
    check_version();
    check_tree_def();
    check_mesh_def();
    check_polygon_file_def();
    check_make_heights_def();
    check_make_polygons_def();
    check_canvas_def();
    check_relief_def();
    check_plot_def();
    check_tasks();
    return wrong != 0;
}
