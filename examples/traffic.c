/// Boxes that move: which touch, and when will they. Cars drive along a road with two walls; every step tells which pairs have
/// begun and ended, and one car is asked when it will hit the one before it.
///
///     traffic 200
#include <landfall/landfall.h>
#include <stdio.h>
#include <stdlib.h>

#define CARS 12

/// Two cars a lane, the ones behind faster.
static lf_moving_box car_at(int i) {
    double x = i * 9.0, y = i % 2 ? 3 : 0;
    return (lf_moving_box){
        {{x, y, 0}, {x + 4, y + 1.8, 1.5}}, {(CARS - i) * 2.0, 0, 0}, {0, 0, 0}, {0, 0, 0}};
}

static lf_status add_box(lf_pairs *pairs, lf_box box, uint64_t user, bool moves, lf_pairs_id *id) {
    lf_pairs_item item = lf_pairs_item_default();
    item.box = box;
    item.user = user;
    item.moves = moves;
    return lf_pairs_add(pairs, &item, id, NULL);
}

/// Drive for some steps; what is told is counted.
static lf_status drive(lf_pairs *pairs, lf_moving_box *cars, const lf_pairs_id *ids, int steps,
                       int64_t *told) {
    const double dt = 0.05;
    lf_status status = LF_OK;
    for (int step = 0; step < steps && status == LF_OK; step++) {
        for (int i = 0; i < CARS && status == LF_OK; i++) {
            lf_vec3 way = lf_vec3_scale(cars[i].velocity, dt);
            lf_box swept = lf_box_swept(cars[i].box, way); // nothing slips through within a step
            cars[i].box.low = lf_vec3_add(cars[i].box.low, way);
            cars[i].box.high = lf_vec3_add(cars[i].box.high, way);
            status = lf_pairs_move(pairs, ids[i], &swept);
        }
        lf_pairs_changes news;
        if (status == LF_OK)
            status = lf_pairs_report(pairs, &news);
        if (status == LF_OK) {
            told[0] += news.begun_count;
            told[1] += news.ended_count;
        }
    }
    return status;
}

int main(int argc, char **argv) {
    int steps = argc > 1 ? (int)strtol(argv[1], NULL, 10) : 100;
    lf_pairs *pairs = NULL;
    lf_moving_box cars[CARS];
    lf_pairs_id ids[CARS], wall;
    lf_contact_result meeting;
    int64_t told[2] = {0, 0};
    lf_error error = {LF_OK, -1, ""};
    lf_status status = lf_pairs_create(NULL, &pairs, &error);
    for (int i = 0; i < CARS && status == LF_OK; i++) {
        cars[i] = car_at(i);
        status = add_box(pairs, cars[i].box, (uint64_t)i, true, &ids[i]);
    }
    if (status == LF_OK)
        status = add_box(pairs, (lf_box){{0, -2, 0}, {1000, -1, 2}}, 100, false, &wall);
    if (status == LF_OK)
        status = lf_contact_boxes(&cars[0], &cars[2], 60, &meeting);
    if (status == LF_OK)
        printf("car 0 meets car 2 after %.2f s\n", meeting.time);
    if (status == LF_OK)
        status = drive(pairs, cars, ids, steps, told);
    if (status == LF_OK)
        printf("%d steps: %lld pairs have begun, %lld have ended\n", steps, (long long)told[0],
               (long long)told[1]);
    else
        fprintf(stderr, "traffic: %s\n", lf_status_text(status));
    lf_pairs_destroy(pairs);
    return status == LF_OK ? 0 : 2;
}
