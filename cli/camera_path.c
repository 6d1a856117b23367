#include "camera_path.h"
#include "points.h"
#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#define SHORTEST_STEP 1e-6 // seconds
#define LONGEST_TIME 1e12

/// Twice the room where there is none left; false without memory, and that is said.
static bool grow(void **list, int64_t count, int64_t *room, size_t each) {
    if (count < *room)
        return true;
    int64_t more = *room > 0 ? 2 * *room : 256;
    void *grown = realloc(*list, (size_t)more * each);
    if (!grown) {
        message_error("out of memory");
        return false;
    }
    *list = grown;
    *room = more;
    return true;
}

/// Why a line cannot be a stop; NULL: it can.
static const char *fault_of(const camera_path *path, const row *read, bool centred,
                            const lf_ellipsoid *ellipsoid) {
    const double *n = read->numbers;
    if (path->stop_count > 0 && !(n[0] > path->stops[path->stop_count - 1].time))
        return "times have to grow from line to line";
    if (path->stop_count > 0 && !(n[0] - path->stops[path->stop_count - 1].time >= SHORTEST_STEP))
        return "times have to grow by a microsecond or more";
    if (!(fabs(n[0]) <= LONGEST_TIME))
        return "the time is not within a million million seconds";
    if (!centred && !(fabs(n[1]) <= 3600))
        return "the longitude is not within -3600 to 3600";
    if (!centred && !(fabs(n[2]) <= 90))
        return "the latitude is not within -90 to 90";
    double low = ellipsoid->radius * (1 - ellipsoid->flattening), high = 100 * ellipsoid->radius;
    double from = centred ? lf_vec3_length((lf_vec3){n[1], n[2], n[3]}) : low + n[3];
    if (!(from >= 0.75 * low && from <= high))
        return centred ? "the position is not near the globe" : "the height is not near the globe";
    return NULL;
}

static bool take_rows(camera_path *path, row_reader *reader, bool centred, const lf_ellipsoid *ellipsoid) {
    for (int64_t i = 0; i < reader->count; i++) {
        const row *read = &reader->rows[i];
        const char *fault = fault_of(path, read, centred, ellipsoid);
        if (fault) {
            row_reader_refuse(reader, read, fault);
            return true;
        }
        if (!grow((void **)&path->stops, path->stop_count, &path->stop_room, sizeof *path->stops))
            return false;
        const double *n = read->numbers;
        path_stop stop = {n[0], {n[1], n[2], n[3]}, {n[1], n[2], n[3]}};
        if (centred)
            stop.place = lf_ellipsoid_to_geodetic(ellipsoid, stop.position);
        else
            stop.position = lf_ellipsoid_to_centred(ellipsoid, stop.place);
        path->stops[path->stop_count++] = stop;
    }
    return true;
}

bool camera_path_read(camera_path *path, const char *name, bool centred, const lf_ellipsoid *ellipsoid) {
    row_reader reader;
    int file = strcmp(name, "-") == 0 ? dup(0) : open(name, O_RDONLY | O_CLOEXEC);
    if (file < 0) {
        message_error("%s: %s", name, strerror(errno));
        return false;
    }
    bool fine =
        row_reader_open(&reader, file, (row_shape){4, 4, centred ? "TIME,X,Y,Z" : "TIME,LON,LAT,HEIGHT"});
    if (!fine)
        message_error("out of memory");
    if (fine && strcmp(name, "-") != 0)
        reader.source = name;
    while (fine && row_reader_next(&reader))
        fine = take_rows(path, &reader, centred, ellipsoid);
    fine = fine && row_reader_complain(&reader);
    row_reader_close(&reader);
    close(file);
    if (fine && path->stop_count < 2) {
        message_error("%s: %s; a path has two or more", name,
                      path->stop_count == 1 ? "one line" : "no lines");
        return false;
    }
    return fine;
}

void camera_path_free(camera_path *path) {
    free(path->stops);
    free(path->frames);
}

lf_vec3 camera_path_at(const camera_path *path, const lf_ellipsoid *ellipsoid, double time, int64_t *stop) {
    int64_t low = 0, high = path->stop_count - 1;
    while (high - low > 1) {
        int64_t middle = low + (high - low) / 2;
        if (path->stops[middle].time <= time)
            low = middle;
        else
            high = middle;
    }
    const path_stop *a = &path->stops[low], *b = &path->stops[high];
    *stop = low;
    if (time <= a->time)
        return a->position;
    if (time >= b->time)
        return b->position;
    // On the way that a camera takes that is told to go there.
    lf_camera camera = lf_camera_default();
    camera.position = a->position;
    lf_camera_aim(&camera, b->position, b->time - a->time);
    lf_camera_result way = {.share = 1, .from = a->position, .duration = b->time - a->time, .piece_count = 1};
    way.pieces[0] = (lf_camera_piece){0, a->position, camera.velocity, camera.turn};
    return lf_camera_at(&way, ellipsoid, time - a->time);
}

path_frame *camera_path_frame(camera_path *path) {
    if (!grow((void **)&path->frames, path->frame_count, &path->frame_room, sizeof *path->frames))
        return NULL;
    path_frame *frame = &path->frames[path->frame_count++];
    memset(frame, 0, sizeof *frame);
    return frame;
}
