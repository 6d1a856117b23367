// Giving vertices at the very same place one number: open hashing on the bits of the coordinates.
#include "polygon/soup.h"
#include <string.h>

/// -0 and 0 are the same place.
static uint64_t hash_of(lf_vec3 p) {
    double values[3] = {p.x + 0.0, p.y + 0.0, p.z + 0.0};
    uint64_t bits[3], hash = 0;
    memcpy(bits, values, sizeof bits);
    for (int i = 0; i < 3; i++) {
        hash = (hash ^ bits[i]) * 0x9e3779b97f4a7c15u;
        hash ^= hash >> 32;
    }
    return hash;
}

static bool same_place(lf_vec3 a, lf_vec3 b) {
    return a.x == b.x && a.y == b.y && a.z == b.z;
}

/// Move the first vertex of every place to the front, and note for each old vertex its new number.
static int64_t number_places(lf_vec3 *vertices, int64_t count, int64_t *slots, uint64_t mask,
                             int64_t *numbers) {
    int64_t places = 0;
    for (int64_t i = 0; i < count; i++) {
        uint64_t slot = hash_of(vertices[i]) & mask;
        while (slots[slot] >= 0 && !same_place(vertices[slots[slot]], vertices[i]))
            slot = (slot + 1) & mask;
        if (slots[slot] < 0) {
            slots[slot] = places;
            vertices[places++] = vertices[i];
        }
        numbers[i] = slots[slot];
    }
    return places;
}

lf_status lf__soup_weld(lf__soup *soup, lf_error *error) {
    int64_t count = soup->vertices.count, slot_count = 16;
    while (slot_count < 2 * count)
        slot_count *= 2;
    void *slots = NULL, *numbers = NULL;
    lf_status status = lf__take_array(&soup->allocator, slot_count, sizeof(int64_t), &slots);
    if (status == LF_OK)
        status = lf__take_array(&soup->allocator, count, sizeof(int64_t), &numbers);
    if (status == LF_OK) {
        memset(slots, 0xff, (size_t)slot_count * sizeof(int64_t));
        soup->vertices.count =
            number_places(soup->vertices.items, count, slots, (uint64_t)slot_count - 1, numbers);
        int64_t *corners = soup->corners.items;
        for (int64_t i = 0; i < soup->corners.count; i++)
            corners[i] = ((const int64_t *)numbers)[corners[i]];
    }
    lf__give_array(&soup->allocator, numbers, count, sizeof(int64_t));
    lf__give_array(&soup->allocator, slots, slot_count, sizeof(int64_t));
    return status == LF_OK ? LF_OK : lf__fail_plain(error, status);
}
