#include "answers.h"
#include "coordinates.h"
#include <stdlib.h>
#include <unistd.h>

typedef enum ray_question { RAY_FIRST, RAY_ANY, RAY_ALL } ray_question;

/// What one run of `landfall ray` knows.
typedef struct ray_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    ray_question question;
    bool directions; ///< the second three numbers are a direction, not a point
    columns wanted;
    lf_ray *rays;
    int64_t ray_room;
    hits hits;
    bool missed;
} ray_run;

/// The ray that a row asks for; a text when it is none.
static const char *ray_of(const ray_run *run, const row *asked, lf_ray *ray) {
    const double *n = asked->numbers;
    lf_vec3 ends[2] = {{n[0], n[1], n[2]}, {n[3], n[4], n[5]}};
    coordinates_in(&run->coordinates, ends, run->directions ? 1 : 2, run->directions ? 1 : 2);
    if (isnan(ends[0].x) || isnan(ends[1].x))
        return run->ground.globe ? "a latitude is beyond 90 degrees"
                                 : "the CRS of the ground has no place for it";
    *ray = run->directions ? lf_ray_towards(ends[0], ends[1]) : lf_ray_between(ends[0], ends[1]);
    lf_vec3 d = ray->direction;
    if (d.x == 0 && d.y == 0 && d.z == 0)
        return run->directions ? "the direction is zero" : "both ends are the same point";
    if (!lf_vec3_finite(d))
        return "the ends are too far apart";
    return NULL;
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

/// A hit as it is shown: in the system of the question, with a normal in metres. Returns how far it is from the start, when that
/// is wanted.
static double show_as_asked(const ray_run *run, const row *asked, const lf_ray *ray, lf_hit *hit) {
    double distance =
        run->wanted.distance ? coordinates_distance(&run->coordinates, ray->origin, hit->point) : 0;
    if (coordinates_differ(&run->coordinates)) {
        hit->normal = coordinates_normal(&run->coordinates, hit->point, hit->normal);
        hit->point = coordinates_out(&run->coordinates, hit->point, asked->numbers[0]);
    }
    return distance;
}

static void write_line(const ray_run *run, const row *asked, const lf_ray *ray, lf_hit *hit) {
    output *out = &run->run->out;
    columns none = {0};
    if (hit->kind == LF_HIT_NONE) {
        output_text(out, "miss");
        answer_tail(out, hit, none, asked);
    } else if (run->question == RAY_ANY) {
        output_text(out, "hit");
        answer_tail(out, hit, none, asked);
    } else {
        double distance = show_as_asked(run, asked, ray, hit);
        output_text(out, "hit ");
        output_number(out, hit->t);
        output_char(out, ' ');
        output_vector(out, hit->point, ' ');
        answer_far_tail(out, hit, distance, run->wanted, asked);
    }
}

static void write_json_hit(const ray_run *run, json *document, const row *asked, const lf_ray *ray,
                           lf_hit *hit) {
    double distance = show_as_asked(run, asked, ray, hit);
    answer_json_hit(document, hit, true);
    if (run->ground.globe)
        answer_json_tile(document, hit);
    if (run->wanted.distance)
        json_put_number(document, "distance", distance);
}

static void write_json(const ray_run *run, const row *asked, const lf_ray *ray, lf_hit *list, int64_t count) {
    bool hit = list[0].kind != LF_HIT_NONE;
    json document = json_start(&run->run->out, false);
    json_put_object(&document, NULL);
    json_put_numbers(&document, "from", asked->numbers, 3);
    json_put_numbers(&document, run->directions ? "dir" : "to", asked->numbers + 3, 3);
    json_put_truth(&document, "hit", hit);
    if (hit && run->question == RAY_FIRST)
        write_json_hit(run, &document, asked, ray, &list[0]);
    if (hit && run->question == RAY_ALL) {
        json_put_array(&document, "hits");
        for (int64_t i = 0; i < count; i++) {
            json_put_object(&document, NULL);
            write_json_hit(run, &document, asked, ray, &list[i]);
            json_close(&document);
        }
        json_close(&document);
    }
    answer_json_rest(&document, asked);
    json_close(&document);
    json_end(&document);
}

/// The hits are changed to what is shown.
static void write_answer(ray_run *run, const row *asked, const lf_ray *ray, lf_hit *list, int64_t count) {
    run->missed |= list[0].kind == LF_HIT_NONE;
    if (run->run->json) {
        write_json(run, asked, ray, list, count);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        write_line(run, asked, ray, &list[i]);
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

static lf_status ask_any(ray_run *run, const lf_ray *ray) {
    bool blocked = false;
    lf_status status = lf_ground_ray_any(run->ground.ground, ray, &blocked, NULL);
    run->hits.list[0] = (lf_hit){.kind = blocked ? LF_HIT_TRIANGLE : LF_HIT_NONE};
    return status;
}

/// Every hit of one ray; at least one is written, of kind none when there are no others.
static lf_status ask_all(ray_run *run, const lf_ray *ray, int64_t *count) {
    const lf_ground *ground = run->ground.ground;
    lf_status status = lf_ground_ray_all(ground, ray, run->hits.list, run->hits.room, count, NULL);
    if (status == LF_PARTIAL) {
        if (!hits_reserve(&run->hits, *count))
            return LF_NO_MEMORY;
        status = lf_ground_ray_all(ground, ray, run->hits.list, run->hits.room, count, NULL);
    }
    if (status == LF_OK && *count == 0) {
        run->hits.list[0] = (lf_hit){.kind = LF_HIT_NONE};
        *count = 1;
    }
    return status;
}

static lf_status answer_singly(ray_run *run, const row *rows, int64_t count) {
    if (!hits_reserve(&run->hits, 64))
        return LF_NO_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        int64_t found = 1;
        lf_status status =
            run->question == RAY_ANY ? ask_any(run, &run->rays[i]) : ask_all(run, &run->rays[i], &found);
        if (status != LF_OK)
            return status;
        write_answer(run, &rows[i], &run->rays[i], run->hits.list, found);
    }
    return LF_OK;
}

static lf_status answer_many(ray_run *run, const row *rows, int64_t count) {
    if (!hits_reserve(&run->hits, count))
        return LF_NO_MEMORY;
    lf_status status = lf_ground_ray_first_many(run->ground.ground, run->rays, 0, count, run->hits.list, 0,
                                                &run->run->tasks);
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        write_answer(run, &rows[i], &run->rays[i], &run->hits.list[i], 1);
    return status;
}

static bool reserve_rays(ray_run *run, int64_t room) {
    if (room <= run->ray_room)
        return true;
    lf_ray *larger = realloc(run->rays, (size_t)room * sizeof(lf_ray));
    if (!larger) {
        message_error("out of memory");
        return false;
    }
    run->rays = larger;
    run->ray_room = room;
    return true;
}

static bool answer(ray_run *run, const row *rows, int64_t count) {
    if (count == 0)
        return true;
    lf_status status =
        run->question == RAY_FIRST ? answer_many(run, rows, count) : answer_singly(run, rows, count);
    if (status != LF_OK)
        message_status(status, NULL);
    return status == LF_OK;
}

/// Turn the reader's rows into rays; rows from the first that is none on are refused.
static bool take_rays(ray_run *run, row_reader *reader) {
    if (!reserve_rays(run, reader->count))
        return false;
    for (int64_t i = 0; i < reader->count; i++) {
        const char *fault = ray_of(run, &reader->rows[i], &run->rays[i]);
        if (fault)
            row_reader_refuse(reader, &reader->rows[i], fault);
    }
    return true;
}

static int answer_input(ray_run *run) {
    row_shape shape = {6, 6, run->directions ? "X,Y,Z,DX,DY,DZ" : "X,Y,Z,X,Y,Z"};
    row_reader reader;
    bool fine = row_reader_open(&reader, STDIN_FILENO, shape);
    if (!fine)
        message_error("out of memory");
    while (fine && row_reader_next(&reader))
        fine = take_rays(run, &reader) && answer(run, reader.rows, reader.count) &&
               output_flush(&run->run->out) && answer_progress(run->run, &reader);
    fine = fine && row_reader_complain(&reader);
    row_reader_close(&reader);
    return fine ? CLI_YES : CLI_ERROR;
}

/// --from, and --to or --dir, as one row of six numbers.
static bool row_of_options(ray_run *run, row *asked) {
    const options *given = &run->run->given;
    const char *to = options_value(given, "to"), *dir = options_value(given, "dir");
    static const row_shape shape = {3, 3, "X,Y,Z"};
    row second;
    if (!to == !dir) {
        message_usage(to ? "--to or --dir, not both" : "--from needs --to or --dir");
        return false;
    }
    run->directions = dir != NULL;
    if (!row_from_option("from", options_value(given, "from"), shape, asked) ||
        !row_from_option(to ? "to" : "dir", to ? to : dir, shape, &second))
        return false;
    for (int i = 0; i < 3; i++)
        asked->numbers[3 + i] = second.numbers[i];
    asked->count = 6;
    return true;
}

static int answer_options(ray_run *run, const row *asked) {
    if (!reserve_rays(run, 1))
        return CLI_ERROR;
    const char *fault = ray_of(run, asked, &run->rays[0]);
    if (fault)
        return message_error("%s", fault);
    if (!answer(run, asked, 1))
        return CLI_ERROR;
    return run->missed ? CLI_NO : CLI_YES;
}

/// Check everything that needs no ground, before the ground is loaded.
static bool read_question(ray_run *run, bool *from_input, row *asked) {
    const options *given = &run->run->given;
    bool any = options_has(given, "any"), all = options_has(given, "all");
    run->question = any ? RAY_ANY : all ? RAY_ALL : RAY_FIRST;
    run->directions = options_has(given, "directions");
    run->wanted = (columns){all, options_has(given, "normal"), options_has(given, "distance")};
    if (any && all) {
        message_usage("--any or --all, not both");
        return false;
    }
    if (!answer_digits(run->run) || !answer_source(run->run, "from", from_input))
        return false;
    if (!*from_input && run->directions) {
        message_usage("--directions is for rays on standard input; here it is --dir");
        return false;
    }
    if (*from_input && (options_has(given, "to") || options_has(given, "dir"))) {
        message_usage("--%s needs --from", options_has(given, "to") ? "to" : "dir");
        return false;
    }
    return *from_input || row_of_options(run, asked);
}

/// A direction of degrees and metres has no length and points nowhere.
static bool can_aim(const ray_run *run) {
    if (!run->directions)
        return true;
    if (ground_in_degrees(&run->ground) || run->ground.globe) {
        message_error(
            "%s: x and y are degrees and heights metres, which make no direction: give both ends of a ray "
            "(--from and --to, or six numbers for two points)",
            run->run->given.arguments[0]);
        return false;
    }
    if (options_has(&run->run->given, "crs")) {
        message_error("--crs: a direction has no place that could be converted: give both ends of a ray");
        return false;
    }
    return true;
}

int command_ray(cli *run) {
    ray_run ray = {.run = run};
    row asked = {.rest_length = 0};
    bool from_input;
    if (!read_question(&ray, &from_input, &asked) || !ground_load(run, &ray.ground))
        return CLI_ERROR;
    int status = CLI_ERROR;
    if (can_aim(&ray) && coordinates_start(run, &ray.ground, &ray.coordinates))
        status = from_input ? answer_input(&ray) : answer_options(&ray, &asked);
    coordinates_end(&ray.coordinates);
    hits_free(&ray.hits);
    free(ray.rays);
    ground_free(&ray.ground);
    return status;
}
