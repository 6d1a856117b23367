/// Whole commands, landfall viewshed, gdal_viewshed and r.viewshed: memory at their peak, and processor time.
#include "viewshed.h"
#include <math.h>

/// Reading the raster, and writing the result, are part of a command. r.viewshed reads the raster from its own database: importing it
/// is not counted.
void view_commands(bench_report *report, const view_question *q, view_grass *grass) {
    char folder[512], raster[600], ours[600], theirs[600], x[40], y[40], at[90], eye[40], target[40],
        name[160];
    snprintf(name, sizeof name, "%s command memory", q->field->name);
    if (!bench_wanted(report, name))
        return;
    bench_folder_open(folder, sizeof folder);
    snprintf(raster, sizeof raster, "%s/ground.tif", folder);
    snprintf(ours, sizeof ours, "%s/ours.tif", folder);
    snprintf(theirs, sizeof theirs, "%s/theirs.tif", folder);
    view_gdal_save(q->field, q->spacing, raster);
    snprintf(x, sizeof x, "%.17g", q->spacing * (double)q->place.column);
    snprintf(y, sizeof y, "%.17g", q->spacing * (double)(q->field->samples - 1 - q->place.row));
    snprintf(at, sizeof at, "%s,%s", x, y);
    snprintf(eye, sizeof eye, "%.17g", q->place.height);
    snprintf(target, sizeof target, "%.17g", q->target);
    const char *const landfall[] = {LANDFALL_COMMAND, "viewshed", raster, "--at", at,   "--eye", eye,
                                    "--target",       target,     "--cc", "0",    "-o", ours,    NULL};
    const char *const gdal[] = {"gdal_viewshed", "-q",  "-ox", x,     "-oy", y,      "-oz",  eye, "-tz",
                                target,          "-cc", "0",   "-md", "0",   raster, theirs, NULL};
    bench_cost mine = {INFINITY, 0, 0}, other = {INFINITY, 0, 0};
    bool other_done = true;
    for (int k = 0; k < report->rounds; k++) { // the least of each, in turns
        bench_cost one, two;
        if (!bench_program(landfall, &one))
            bench_stop("%s viewshed failed on %s", LANDFALL_COMMAND, q->field->name);
        other_done = other_done && bench_program(gdal, &two);
        mine = one.seconds < mine.seconds ? one : mine;
        other = other_done && two.seconds < other.seconds ? two : other;
    }
    if (other_done) {
        printf("\ncommands, %s, %s: landfall viewshed %.0f MB and %.2f s, gdal_viewshed %.0f MB and %.2f s\n",
               q->field->name, q->place.name, mine.megabytes, mine.seconds, other.megabytes, other.seconds);
        bench_bar(report, name, other.megabytes / mine.megabytes, 1);
        snprintf(name, sizeof name, "%s command gdal_viewshed", q->field->name);
        bench_bar(report, name, other.seconds / mine.seconds, 1);
    } else {
        printf("\ncommands: gdal_viewshed is not there, and skipped\n");
    }
    if (grass) {
        double seconds = view_grass_run(grass, q);
        printf("r.viewshed %.2f s\n", seconds);
        snprintf(name, sizeof name, "%s command r.viewshed", q->field->name);
        bench_bar(report, name, seconds / mine.seconds, 1);
    }
    bench_folder_close(folder);
}
