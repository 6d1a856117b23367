/// Volumes between floors and ceilings.
#include "ground/locale.h"
#include "base/base.h"
#include <string.h>

/// Inside, for a point that has been checked.
static bool inside(const lf_ground *floor, const lf_ground *ceiling, lf_vec3 point, lf_cursor *cursor) {
    lf_hit below, above, beyond;
    floor->kind->height(floor->thing, &point, true, &below, cursor);
    if (below.kind == LF_HIT_NONE)
        return false;
    ceiling->kind->height(ceiling->thing, &point, false, &above, cursor);
    if (above.kind == LF_HIT_NONE)
        return false;
    // Next to a surface that is floor and ceiling at once, something else has to be above or below. Heights
    // are rounded, so only what is clearly apart is believed at once.
    return floor != ceiling || below.t > 1e-3 || above.t > 1e-3 ||
           lf__ground_beyond(floor, point, true, &beyond, cursor) ||
           lf__ground_beyond(floor, point, false, &beyond, cursor);
}

lf_status lf_ground_inside(const lf_ground *floor, const lf_ground *ceiling, lf_vec3 point, bool *is_inside,
                           lf_cursor *cursor) {
    if (!floor || !is_inside || !lf_vec3_finite(point))
        return LF_BAD_ARGUMENT;
    *is_inside = inside(floor, ceiling ? ceiling : floor, point, cursor);
    return lf__ground_told(floor, ceiling ? lf__ground_told(ceiling, LF_OK) : LF_OK);
}

/// Cheap and never wrong when it says no: where down is -z, is the floor's box beside these points?
static bool floor_near(const lf_ground *floor, lf_vec3 a, lf_vec3 b) {
    lf_frame frame = lf_ground_frame(floor);
    if (!lf__frame_is_plain(&frame))
        return true;
    lf_box box = lf_ground_box(floor);
    return fmax(a.x, b.x) >= box.low.x && fmin(a.x, b.x) <= box.high.x && fmax(a.y, b.y) >= box.low.y &&
           fmin(a.y, b.y) <= box.high.y;
}

bool lf__locale_holds(const lf__locale *locale, lf_vec3 point, lf_cursor *cursor) {
    return floor_near(locale->floor, point, point) && inside(locale->floor, locale->ceiling, point, cursor);
}

bool lf__locale_near(const lf__locale *locale, lf_vec3 a, lf_vec3 b) {
    return floor_near(locale->floor, a, b);
}

// ---------------------------------------------------------------------------------------------------
// Sets of them
// ---------------------------------------------------------------------------------------------------

static lf_status check_list(const lf_locale *list, int64_t count, lf_error *error) {
    if (!list || count < 1)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "no locale: %lld given", (long long)count);
    for (int64_t i = 0; i < count; i++) {
        if (!list[i].name || !list[i].name[0])
            return lf__fail(error, LF_BAD_ARGUMENT, i, "locale %lld has no name", (long long)i);
        if (!list[i].floor)
            return lf__fail(error, LF_BAD_ARGUMENT, i, "locale %lld (%s) has no floor", (long long)i,
                            list[i].name);
        for (int64_t k = 0; k < i; k++)
            if (strcmp(list[i].name, list[k].name) == 0)
                return lf__fail(error, LF_BAD_ARGUMENT, i, "locales %lld and %lld are both called %s",
                                (long long)k, (long long)i, list[i].name);
    }
    return LF_OK;
}

static lf_status copy_list(lf_locales *locales, const lf_locale *list, int64_t count) {
    lf_status status =
        lf__take_array(&locales->allocator, count, sizeof *locales->list, (void **)&locales->list);
    for (int64_t i = 0; i < count && status == LF_OK; i++) {
        int64_t length = (int64_t)strlen(list[i].name) + 1;
        char *name;
        status = lf__take_array(&locales->allocator, length, 1, (void **)&name);
        if (status != LF_OK)
            break;
        memcpy(name, list[i].name, (size_t)length);
        locales->list[locales->count++] =
            (lf__locale){name, list[i].floor, list[i].ceiling ? list[i].ceiling : list[i].floor};
    }
    return status;
}

lf_status lf_locales_create(const lf_locale *list, int64_t count, const lf_host *host, lf_locales **locales,
                            lf_error *error) {
    if (!locales)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "locales is NULL");
    lf_status status = check_list(list, count, error);
    if (status != LF_OK)
        return status;
    lf_allocator allocator = lf__allocator_of(host);
    lf_locales *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_locales));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_locales){.allocator = allocator, .room = count};
    status = copy_list(fresh, list, count);
    if (status != LF_OK) {
        lf_locales_destroy(fresh);
        return lf__fail_plain(error, status);
    }
    *locales = fresh;
    return LF_OK;
}

void lf_locales_destroy(lf_locales *locales) {
    if (!locales)
        return;
    lf_allocator allocator = locales->allocator;
    for (int64_t i = locales->count - 1; i >= 0; i--)
        lf__give_array(&allocator, locales->list[i].name, (int64_t)strlen(locales->list[i].name) + 1, 1);
    lf__give_array(&allocator, locales->list, locales->room, sizeof *locales->list);
    lf__give(&allocator, locales, sizeof *locales, _Alignof(lf_locales));
}

int64_t lf_locales_count(const lf_locales *locales) {
    return locales->count;
}

const char *lf_locales_name(const lf_locales *locales, int64_t index) {
    return index >= 0 && index < locales->count ? locales->list[index].name : NULL;
}

int64_t lf_locales_find(const lf_locales *locales, const char *name) {
    for (int64_t i = 0; i < locales->count; i++)
        if (strcmp(locales->list[i].name, name) == 0)
            return i;
    return -1;
}

lf_status lf__locales_told(const lf_locales *locales, lf_status status) {
    for (int64_t i = 0; i < locales->count; i++) {
        const lf__locale *l = &locales->list[i];
        status = lf__ground_told(l->floor, lf__ground_told(l->ceiling, status));
    }
    return status;
}

lf_status lf_locales_at(const lf_locales *locales, lf_vec3 point, int64_t *indices, int64_t capacity,
                        int64_t *count, lf_cursor *cursor) {
    if (!locales || !count || capacity < 0 || (capacity > 0 && !indices) || !lf_vec3_finite(point))
        return LF_BAD_ARGUMENT;
    *count = 0;
    for (int64_t i = 0; i < locales->count; i++) {
        if (!lf__locale_holds(&locales->list[i], point, cursor))
            continue;
        if (*count < capacity)
            indices[*count] = i;
        ++*count;
    }
    return lf__locales_told(locales, *count > capacity ? LF_PARTIAL : LF_OK);
}
