/// Scenes against Bullet and FCL: pairs of moving boxes and times of contact, on one thread.
#include "scene.h"

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(
        &report, argc, argv,
        "Boxes that move: which touch, and when will they. Against Bullet and FCL; one thread.");
    printf("landfall %s (%s)\n%s\none thread, processor time\n", lf_version(), lf_isa_name(lf_isa_best()),
           bench_machine());
    scene_pairs(&report);
    if (bench_wanted(&report, "decay"))
        scene_decay(&report);
    if (bench_wanted(&report, "published"))
        scene_published(&report);
    if (bench_wanted(&report, "contact"))
        scene_contact(&report);
    return bench_report_end(&report);
}
