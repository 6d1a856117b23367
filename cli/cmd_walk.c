#include "answers.h"
#include "coordinates.h"
#include <landfall/ground.h>
#include <stdlib.h>

/// What one run of `landfall walk` knows.
typedef struct walk_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    lf_walker walker;
    row from, to;
    bool with_path;
    lf_path path;
} walk_run;

static const char *end_word(const lf_walk *walk) {
    return walk->end == LF_WALK_NO_GROUND ? lf_reason_name(walk->reason) : "step";
}

static bool is_step(const lf_walk *walk) {
    return walk->end == LF_WALK_STEP_UP || walk->end == LF_WALK_STEP_DOWN;
}

static lf_vec3 point_as_asked(const walk_run *run, lf_vec3 point) {
    return coordinates_out(&run->coordinates, point, run->from.numbers[0]);
}

static void write_lines(const walk_run *run, const lf_walk *walk) {
    output *out = &run->run->out;
    for (int64_t i = 0; run->with_path && i < run->path.count; i++) {
        output_vector(out, point_as_asked(run, run->path.points[i]), ' ');
        output_char(out, '\n');
    }
    output_text(out, walk->end == LF_WALK_ARRIVED ? "arrived " : "stopped ");
    lf_vec3 position = point_as_asked(run, walk->position);
    if (walk->ground.kind != LF_HIT_NONE) {
        output_vector(out, position, ' ');
    } else {
        output_number(out, position.x);
        output_char(out, ' ');
        output_number(out, position.y);
        output_text(out, " -");
    }
    if (walk->end != LF_WALK_ARRIVED) {
        output_char(out, ' ');
        output_text(out, end_word(walk));
    }
    if (is_step(walk)) {
        output_char(out, ' ');
        output_number(out, walk->step);
    }
    output_char(out, '\n');
}

static void write_json(const walk_run *run, const lf_walk *walk) {
    json document = json_start(&run->run->out, false);
    json_put_object(&document, NULL);
    json_put_numbers(&document, "from", run->from.numbers, run->from.count);
    json_put_numbers(&document, "to", run->to.numbers, run->to.count);
    json_put_truth(&document, "arrived", walk->end == LF_WALK_ARRIVED);
    json_put_number(&document, "t", walk->t);
    if (walk->ground.kind != LF_HIT_NONE) {
        json_put_vector(&document, "point", point_as_asked(run, walk->position));
        json_put_vector(&document, "normal",
                        coordinates_normal(&run->coordinates, walk->position, walk->ground.normal));
        json_put_integer(&document, walk->ground.kind == LF_HIT_CELL ? "cell" : "polygon",
                         walk->ground.element);
    }
    if (walk->end != LF_WALK_ARRIVED)
        json_put_text(&document, "reason", end_word(walk));
    if (is_step(walk))
        json_put_number(&document, "step", walk->step);
    if (run->with_path) {
        json_put_array(&document, "path");
        for (int64_t i = 0; i < run->path.count; i++)
            json_put_vector(&document, NULL, point_as_asked(run, run->path.points[i]));
        json_close(&document);
    }
    json_close(&document);
    json_end(&document);
}

static lf_vec3 point_of(const walk_run *run, const row *read) {
    return coordinates_point(&run->coordinates, &run->ground, read->numbers, read->count);
}

/// Walk; a path that is longer than its room is walked again.
static lf_status walk(walk_run *run, lf_walk *walked) {
    lf_status status = LF_PARTIAL;
    for (int64_t room = 256; status == LF_PARTIAL; room = run->path.count) {
        lf_vec3 *points = realloc(run->path.points, (size_t)room * sizeof(lf_vec3));
        if (!points)
            return LF_NO_MEMORY;
        run->path = (lf_path){points, room, 0};
        status = lf_ground_walk(run->ground.ground, &run->walker, point_of(run, &run->from),
                                point_of(run, &run->to), walked, run->with_path ? &run->path : NULL, NULL);
    }
    return status;
}

static bool read_limit(const options *given, const char *name, double *value) {
    if (!options_number(given, name, value))
        return false;
    if (*value < 0) {
        message_error("--%s %s: 0 or more is wanted", name, options_value(given, name));
        return false;
    }
    return true;
}

/// Check everything that needs no ground, before the ground is loaded.
static bool read_question(walk_run *run) {
    const options *given = &run->run->given;
    const char *from = options_value(given, "from"), *to = options_value(given, "to");
    row_shape shape = ground_framed(given) ? (row_shape){3, 3, "X,Y,Z"} : (row_shape){2, 3, "X,Y[,Z]"};
    if (!from || !to || !options_has(given, "step")) {
        message_usage("--from, --to and --step are wanted");
        return false;
    }
    if (!row_from_option("from", from, shape, &run->from) || !row_from_option("to", to, shape, &run->to) ||
        !read_limit(given, "step", &run->walker.step))
        return false;
    run->walker.drop = run->walker.step;
    run->with_path = options_has(given, "path");
    return read_limit(given, "drop", &run->walker.drop) && read_limit(given, "crack", &run->walker.crack) &&
           answer_digits(run->run);
}

int command_walk(cli *run) {
    walk_run question = {.run = run};
    if (!read_question(&question) || !ground_load(run, &question.ground))
        return CLI_ERROR;
    if (!ground_needs_metres(run, &question.ground, "a walk") ||
        !coordinates_start(run, &question.ground, &question.coordinates)) {
        ground_free(&question.ground);
        return CLI_ERROR;
    }
    lf_walk walked = {.end = LF_WALK_ARRIVED};
    lf_status status = walk(&question, &walked);
    int exit_status = walked.end == LF_WALK_ARRIVED ? CLI_YES : CLI_NO;
    if (status == LF_BAD_ARGUMENT)
        exit_status = message_error("the way meets the centre or the axis, where there is no down");
    else if (status != LF_OK)
        exit_status = message_status(status, NULL);
    else if (run->json)
        write_json(&question, &walked);
    else
        write_lines(&question, &walked);
    free(question.path.points);
    coordinates_end(&question.coordinates);
    ground_free(&question.ground);
    return exit_status;
}
