/// Models against FCL, ODE and Bullet: which triangles of two shapes touch, on one thread.
#include "model.h"

static void bench_one(model_shape *shape, bench_report *report) {
    model_rivals rivals;
    model_rivals_open(&rivals, shape, report);
    model_turns(&rivals, report);
    model_methods(&rivals, report);
    model_rivals_close(&rivals);
    model_shape_close(shape);
}

int main(int argc, char **argv) {
    bench_report report;
    model_shape shape;
    bench_report_start(&report, argc, argv,
                       "Two models: which triangles touch. Against FCL, ODE and Bullet; one thread.");
    printf("landfall %s (%s)\n%s\none thread, processor time\n", lf_version(), lf_isa_name(lf_isa_best()),
           bench_machine());
    if (bench_wanted(&report, "tree")) {
        model_shape_tree(&shape, 4316);
        bench_one(&shape, &report);
    }
    if (bench_wanted(&report, "car") && model_shape_file(&shape, "car", "models/beetle.obj", 57243))
        bench_one(&shape, &report);
    if (bench_wanted(&report, "bunny") && model_shape_file(&shape, "bunny", "models/stanford-bunny.obj", 0))
        bench_one(&shape, &report);
    if (bench_wanted(&report, "knot")) {
        model_shape_knot(&shape, 70000);
        bench_one(&shape, &report);
    }
    if (bench_wanted(&report, "figure"))
        model_figure(&report);
    if (bench_wanted(&report, "growth"))
        model_growth(&report);
    return bench_report_end(&report);
}
