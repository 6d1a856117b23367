/// A city of 100,000 boxes and 1,000 meshes on a grid of 1025 x 1025 samples, against Embree's instances: rays, lines of sight, viewsheds, and
/// parts that move. And what a group of a single grid costs.
#include "world.h"

#include <stdlib.h>

static void move_ours(void *user) {
    city *c = user;
    const lf_pose *poses = c->poses + (c->turn++ & 1) * c->mover_count;
    for (int64_t i = 0; i < c->mover_count; i++)
        lf_group_set_pose(c->group, c->movers[i], &poses[i]);
}

static void move_embree(void *user) {
    city *c = user;
    const lf_pose *poses = c->poses + (c->turn & 1) * c->mover_count;
    for (int64_t i = 0; i < c->mover_count; i++) {
        lf_group_part part = c->parts[c->movers[i]];
        float m[12];
        part.pose = poses[i];
        city_matrix(&part, m);
        bench_embree_world_move(c->moving, c->movers[i], m);
    }
    bench_embree_world_build(c->moving);
}

void world_race_moves(city *c, bench_report *report) {
    static const char *const heads[] = {"moved parts", "landfall us", "Embree us", "ratio", NULL};
    bench_random random = {17};
    bench_table table;
    c->mover_count = c->part_count / 100;
    c->movers = bench_take((size_t)c->mover_count, sizeof *c->movers);
    c->poses = bench_take(2 * (size_t)c->mover_count, sizeof *c->poses);
    for (int64_t i = 0; i < c->mover_count; i++) {
        c->movers[i] = 1 + bench_random_below(&random, c->part_count - 1);
        c->poses[i] = c->poses[c->mover_count + i] = c->parts[c->movers[i]].pose;
        c->poses[i].translation.x += bench_random_between(&random, -30, 30);
    }
    c->moving = bench_embree_world_open(true);
    city_fill_embree(c, c->moving);
    bench_contestant who[2] = {{"landfall", NULL, move_ours, c}, {bench_embree_name(), NULL, move_embree, c}};
    bench_times times;
    bench_race(who, 2, report->rounds, true, &times);
    bench_table_start(&table, "one part in a hundred moves: refit, and Embree's tree built again", heads);
    bench_table_row(&table);
    bench_table_cell(&table, "%lld", (long long)c->mover_count);
    bench_table_cell(&table, "%.0f", 1e6 * times.seconds[0]);
    bench_table_cell(&table, "%.0f", 1e6 * times.seconds[1]);
    bench_table_cell(&table, "%.1f", times.ratio[1]);
    bench_table_end(&table, report);
    bench_bar(report, "moving parts / Embree's rebuild", times.ratio[1], 3);
    bench_embree_world_close(c->moving);
    free(c->poses);
    free(c->movers);
}

int main(int argc, char **argv) {
    bench_report report;
    bench_report_start(&report, argc, argv, "A city of many parts against Embree's instances.");
    printf("%s; %s\n", bench_machine(), bench_embree_name());
    city *c = bench_take(1, sizeof *c);
    city_open(c, &report);
    world_race_rays(c, &report);
    if (bench_wanted(&report, "viewshed"))
        world_race_viewsheds(c, &report);
    if (bench_wanted(&report, "moves"))
        world_race_moves(c, &report);
    if (bench_wanted(&report, "single"))
        world_race_single(c, &report);
    city_close(c);
    free(c);
    return bench_report_end(&report);
}
