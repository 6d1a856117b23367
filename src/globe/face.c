/// Questions to a globe that is ground.
///
/// The finest there is has to be loaded to be asked, and loading changes a globe. Grounds may be asked by any number of threads, so those
/// that load take turns. What they answer does not depend on these turns.
#include "globe/globe.h"

static void lock(const lf__globe_face *face) {
    if (face->finest)
        pthread_mutex_lock(&face->globe->one_at_a_time);
}

static void unlock(const lf__globe_face *face) {
    if (face->finest)
        pthread_mutex_unlock(&face->globe->one_at_a_time);
}

void lf__globe_face_begin(const lf__globe_face *face) {
    lock(face);
    if (face->finest)
        face->globe->frame++; // what is fetched from here on is not given up before the end
}

void lf__globe_face_end(const lf__globe_face *face) {
    if (face->finest) {
        face->globe->frame++;
        lf__globe_make_room(face->globe, LF_INFINITY);
    }
    unlock(face);
}

bool lf__globe_face_first(const lf__globe_face *face, const lf_ray *ray, lf_hit *hit, lf_cursor *cursor) {
    lf__search search = {.globe = face->globe,
                         .loader = face->finest ? face->globe : NULL,
                         .ray = *ray,
                         .surface = face->finest ? LF_GLOBE_FINEST : LF_GLOBE_SURFACE};
    *hit = lf__hit_none(ray->t_max, LF_REASON_NONE);
    lf__globe_face_begin(face);
    bool met = (lf__cursor_layers(cursor) & 1u) && lf__search_first(&search, hit);
    lf__globe_face_end(face);
    lf__cursor_count(cursor, &search.cost);
    if (!met && search.no_memory)
        hit->reason = LF_REASON_NOT_LOADED;
    return met;
}

void lf__globe_face_sight(const lf__globe_face *face, lf_vec3 a, lf_vec3 b, lf_globe_sight *sight,
                          lf_cursor *cursor) {
    lock(face);
    if (face->finest)
        lf_globe_sight_finest(face->globe, a, b, 0, sight, cursor);
    else
        lf_globe_sight_between(face->globe, a, b, 0, sight, cursor);
    unlock(face);
}

void lf__globe_face_ground(const lf__globe_face *face, lf_vec3 position, lf_globe_elevation *ground) {
    lf_geodetic place = lf_ellipsoid_to_geodetic(&face->globe->ellipsoid, position);
    double lon = fabs(place.lat_deg) == 90 ? 0 : lf__globe_turn(place.lon_deg);
    lf__globe_face_begin(face);
    lf_status status = face->finest ? lf__globe_load_over(face->globe, lon, place.lat_deg, false) : LF_OK;
    lf_globe_height(face->globe, lon, place.lat_deg, ground, NULL);
    if (status != LF_OK)
        ground->reason = LF_REASON_NOT_LOADED;
    lf__globe_face_end(face);
}

const lf__tile *lf__globe_face_tile(const lf__globe_face *face, lf_tile_key key) {
    const lf__tile *tile = lf__globe_find(face->globe, key);
    if (tile || !face->finest || !lf__globe_key_valid(face->globe, key))
        return tile;
    lf_geodetic_box area = lf_globe_tile_area(face->globe, key);
    lf__globe_load_over(face->globe, 0.5 * (area.west + area.east), 0.5 * (area.south + area.north), false);
    return lf__globe_find(face->globe, key);
}
