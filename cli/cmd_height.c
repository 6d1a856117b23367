#include "answers.h"
#include "coordinates.h"
#include <math.h>
#include <stdlib.h>

/// What one run of `landfall height` knows.
typedef struct height_run {
    cli *run;
    loaded ground;
    coordinates coordinates;
    lf_vertical look;
    bool all;
    columns wanted;
    row_shape shape;
    lf_vec3 *points;
    int64_t point_room;
    hits hits;
    bool missed;    ///< some point had no ground
    double highest; ///< on a globe: of the posts around the place, the published height
} height_run;

#define NOWHERE 1e30 // beside every ground

/// The points that rows ask for. Without Z: from above everything, or, looking up, from below everything.
static void find_points(const height_run *height, const row *rows, int64_t count, lf_vec3 *points) {
    double low = lf_ground_box(height->ground.ground).low.z;
    double z = height->look == LF_VERTICAL_DOWN ? LF_INFINITY : nextafter(low, -LF_INFINITY);
    for (int64_t i = 0; i < count; i++)
        points[i] =
            (lf_vec3){rows[i].numbers[0], rows[i].numbers[1], rows[i].count > 2 ? rows[i].numbers[2] : z};
    coordinates_in(&height->coordinates, points, count, 1);
    for (int64_t i = 0; i < count; i++)
        if (isnan(points[i].x))
            points[i].x = points[i].y = NOWHERE;
}

/// A hit as it is shown: where it was asked for, with a normal in metres.
static void show_as_asked(const height_run *height, const row *asked, lf_hit *hit) {
    if (!coordinates_differ(&height->coordinates) || hit->kind == LF_HIT_NONE || height->ground.globe)
        return;
    hit->normal = coordinates_normal(&height->coordinates, hit->point, hit->normal);
    hit->point.x = asked->numbers[0];
    hit->point.y = asked->numbers[1];
}

// ---------------------------------------------------------------------------------------------------
// Writing
// ---------------------------------------------------------------------------------------------------

static void write_line(const height_run *height, const row *asked, const lf_hit *hit) {
    output *out = &height->run->out;
    if (hit->kind != LF_HIT_NONE) {
        output_vector(out, hit->point, ' ');
        answer_tail(out, hit, height->wanted, asked);
        return;
    }
    output_number(out, asked->numbers[0]);
    output_char(out, ' ');
    output_number(out, asked->numbers[1]);
    output_text(out, " - ");
    output_text(out, lf_reason_name(hit->reason));
    answer_tail(out, hit, (columns){0}, asked);
}

static void write_json_hit(const height_run *height, json *document, const row *asked, const lf_hit *hit) {
    answer_json_hit(document, hit, asked->count > 2);
    if (!height->ground.globe)
        return;
    answer_json_tile(document, hit);
    json_put_number(document, "highest_post", height->highest);
}

/// One object per line. With --all the hits are an array; a miss has a reason instead.
static void write_json(const height_run *height, const row *asked, const lf_hit *list, int64_t count) {
    json document = json_start(&height->run->out, false);
    json_put_object(&document, NULL);
    json_put_numbers(&document, "at", asked->numbers, asked->count);
    json_put_truth(&document, "ground", list[0].kind != LF_HIT_NONE);
    if (list[0].kind == LF_HIT_NONE) {
        json_put_text(&document, "reason", lf_reason_name(list[0].reason));
    } else if (!height->all) {
        write_json_hit(height, &document, asked, &list[0]);
    } else {
        json_put_array(&document, "hits");
        for (int64_t i = 0; i < count; i++) {
            json_put_object(&document, NULL);
            write_json_hit(height, &document, asked, &list[i]);
            json_close(&document);
        }
        json_close(&document);
    }
    answer_json_rest(&document, asked);
    json_close(&document);
    json_end(&document);
}

static void write_answer(height_run *height, const row *asked, lf_hit *list, int64_t count) {
    height->missed |= list[0].kind == LF_HIT_NONE;
    for (int64_t i = 0; i < count; i++)
        show_as_asked(height, asked, &list[i]);
    if (height->run->json) {
        write_json(height, asked, list, count);
        return;
    }
    for (int64_t i = 0; i < count; i++)
        write_line(height, asked, &list[i]);
}

// ---------------------------------------------------------------------------------------------------
// Asking
// ---------------------------------------------------------------------------------------------------

/// Every hit over one point; a point without any is asked again for the reason.
static lf_status ask_all(height_run *height, lf_vec3 point, int64_t *count) {
    const lf_ground *ground = height->ground.ground;
    lf_status status = lf_ground_height_all(ground, point, height->hits.list, height->hits.room, count, NULL);
    if (status == LF_PARTIAL) {
        if (!hits_reserve(&height->hits, *count))
            return LF_NO_MEMORY;
        status = lf_ground_height_all(ground, point, height->hits.list, height->hits.room, count, NULL);
    }
    if (status == LF_OK && *count == 0) {
        status = lf_ground_height(ground, point, LF_VERTICAL_DOWN, &height->hits.list[0], NULL);
        *count = 1;
    }
    return status;
}

static lf_status answer_all(height_run *height, const row *rows, int64_t count) {
    if (!hits_reserve(&height->hits, 64))
        return LF_NO_MEMORY;
    for (int64_t i = 0; i < count; i++) {
        int64_t found;
        lf_vec3 point;
        find_points(height, &rows[i], 1, &point);
        lf_status status = ask_all(height, point, &found);
        if (status != LF_OK)
            return status;
        write_answer(height, &rows[i], height->hits.list, found);
    }
    return LF_OK;
}

static lf_status answer_many(height_run *height, const row *rows, int64_t count) {
    if (count > height->point_room) {
        lf_vec3 *larger = realloc(height->points, (size_t)count * sizeof(lf_vec3));
        if (!larger)
            return LF_NO_MEMORY;
        height->points = larger;
        height->point_room = count;
    }
    if (!hits_reserve(&height->hits, count))
        return LF_NO_MEMORY;
    find_points(height, rows, count, height->points);
    lf_status status = lf_ground_height_many(height->ground.ground, height->points, 0, count, height->look,
                                             height->hits.list, 0, &height->run->tasks);
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        write_answer(height, &rows[i], &height->hits.list[i], 1);
    return status;
}

/// The place of a row on a globe; false: there is no such place.
static bool place_of(const height_run *height, const row *asked, lf_geodetic *place) {
    lf_vec3 point = {asked->numbers[0], asked->numbers[1], asked->count > 2 ? asked->numbers[2] : 0};
    *place = (lf_geodetic){point.x, point.y, point.z};
    if (height->coordinates.way) {
        coordinates_in(&height->coordinates, &point, 1, 1);
        if (isnan(point.x))
            return false;
        *place = lf_ellipsoid_to_geodetic(&height->coordinates.ellipsoid, point);
    }
    return fabs(place->lat_deg) <= 90;
}

/// The ground of a globe at a row's place, along the plumb line. It has no caves: there is one ground, at or below Z or not.
static lf_status ask_globe(height_run *height, const row *asked, lf_hit *hit) {
    lf_globe_elevation ground;
    lf_geodetic place;
    *hit = (lf_hit){.kind = LF_HIT_NONE, .reason = LF_REASON_OUTSIDE};
    if (!place_of(height, asked, &place))
        return LF_OK;
    lf_status status = lf_globe_height_finest(height->ground.globe, place.lon_deg, place.lat_deg, &ground);
    if (status != LF_OK)
        return status;
    hit->reason = ground.reason;
    if (ground.reason != LF_REASON_ANSWERED)
        return LF_OK;
    double above = asked->count > 2 && !height->all ? place.height - ground.height : 0;
    if (height->look == LF_VERTICAL_UP ? above > 0 : above < 0) {
        hit->reason = LF_REASON_NONE;
        return LF_OK;
    }
    place.height = ground.height;
    *hit = (lf_hit){.kind = ground.post_count == 3 ? LF_HIT_TRIANGLE : LF_HIT_CELL,
                    .t = fabs(above),
                    .element = ground.element,
                    .level = ground.tile.level,
                    .resolution = ground.resolution,
                    .user = lf_tile_pack(ground.tile)};
    status = lf_globe_normal(height->ground.globe, place.lon_deg, place.lat_deg, &hit->normal);
    hit->normal = coordinates_normal(
        &height->coordinates, lf_ellipsoid_to_centred(&height->coordinates.ellipsoid, place), hit->normal);
    hit->point = (lf_vec3){asked->numbers[0], asked->numbers[1], ground.height};
    height->highest = ground.highest;
    return status;
}

static lf_status answer_globe(height_run *height, const row *rows, int64_t count) {
    for (int64_t i = 0; i < count; i++) {
        lf_hit hit;
        lf_status status = ask_globe(height, &rows[i], &hit);
        if (status != LF_OK)
            return status;
        write_answer(height, &rows[i], &hit, 1);
    }
    return LF_OK;
}

static bool answer(void *user, const row *rows, int64_t count) {
    height_run *height = user;
    lf_status status = height->ground.globe ? answer_globe(height, rows, count)
                       : height->all        ? answer_all(height, rows, count)
                                            : answer_many(height, rows, count);
    if (status != LF_OK)
        message_status(status, NULL);
    return status == LF_OK;
}

static int answer_options(height_run *height, const row *rows) {
    if (!answer(height, rows, options_count(&height->run->given, "at")))
        return CLI_ERROR;
    return height->missed ? CLI_NO : CLI_YES;
}

// ---------------------------------------------------------------------------------------------------
// The question
// ---------------------------------------------------------------------------------------------------

/// Check everything that needs no ground, before the ground is loaded.
static bool read_question(height_run *height, bool *from_input) {
    const options *given = &height->run->given;
    bool framed = ground_framed(given), xy = options_has(given, "xy");
    height->all = options_has(given, "all");
    height->look = options_has(given, "up") ? LF_VERTICAL_UP : LF_VERTICAL_DOWN;
    height->wanted = (columns){height->all, options_has(given, "normal"), false};
    height->shape = framed ? (row_shape){3, 3, "X,Y,Z"}
                    : xy   ? (row_shape){2, 2, "X,Y"}
                           : (row_shape){2, 3, "X,Y[,Z]"};
    if (height->all && height->look == LF_VERTICAL_UP) {
        message_usage("--up or --all, not both");
        return false;
    }
    if (framed && xy) {
        message_usage("--xy leaves no Z, and with --gravity, --centre or --axis a point needs one");
        return false;
    }
    return answer_source(height->run, "at", from_input) && answer_digits(height->run);
}

int command_height(cli *run) {
    height_run height = {.run = run};
    bool from_input;
    if (!read_question(&height, &from_input))
        return CLI_ERROR;
    row *rows = answer_rows(run, "at", height.shape);
    int status = CLI_ERROR;
    if (rows && ground_load(run, &height.ground) &&
        coordinates_start(run, &height.ground, &height.coordinates))
        status = from_input ? answer_standard_input(run, height.shape, answer, &height)
                            : answer_options(&height, rows);
    hits_free(&height.hits);
    free(height.points);
    coordinates_end(&height.coordinates);
    ground_free(&height.ground);
    free(rows);
    return status;
}
