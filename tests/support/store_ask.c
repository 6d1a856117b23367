#include "store_ask.h"
#include "base/base.h"
#include "store/sections.h"
#include <stdlib.h>
#include <string.h>

bool store_mend(uint8_t *data, size_t size) {
    lf__store_header *header = (lf__store_header *)(void *)data;
    if (size < sizeof *header || header->section_count > (size - sizeof *header) / sizeof(lf__store_section))
        return false;
    header->bytes = size;
    header->checksum = 0;
    uint64_t sum = lf__store_sum(LF__STORE_SEED, header, sizeof *header);
    header->checksum =
        lf__store_sum(sum, data + sizeof *header, header->section_count * sizeof(lf__store_section));
    return true;
}

bool store_mend_all(uint8_t *data, size_t size) {
    const lf__store_header *header = (const lf__store_header *)(const void *)data;
    lf__store_section *sections = (lf__store_section *)(void *)(data + sizeof *header);
    if (size < sizeof *header || header->section_count > (size - sizeof *header) / sizeof *sections)
        return false;
    for (uint32_t k = 0; k < header->section_count; k++) {
        if (sections[k].offset <= size && sections[k].bytes <= size - sections[k].offset)
            sections[k].checksum =
                lf__store_sum(LF__STORE_SEED, data + sections[k].offset, (size_t)sections[k].bytes);
        sections[k].quick = 0;
        if (memcmp(sections[k].name, "sums", 5) == 0) // another name: nothing is checked by parts then
            memcpy(sections[k].name, "smus", 4);
    }
    return store_mend(data, size);
}

static void ask_ground(const lf_ground *ground, lf_cursor *cursor) {
    lf_box box = lf_ground_box(ground);
    for (int k = 0; k < 24; k++) {
        double u = k % 5 / 4.0, v = k % 7 / 6.0, w = k % 3 / 2.0;
        lf_vec3 from = {box.low.x + u * (box.high.x - box.low.x), box.low.y + v * (box.high.y - box.low.y),
                        box.low.z + w * (box.high.z - box.low.z)};
        lf_vec3 to = {box.low.x + v * (box.high.x - box.low.x), box.low.y + w * (box.high.y - box.low.y),
                      box.low.z + u * (box.high.z - box.low.z)};
        lf_ray ray = lf_ray_between(from, to);
        lf_hit hit, hits[4];
        double height;
        int64_t count;
        bool any;
        lf_ground_height(ground, from, k % 2 ? LF_VERTICAL_DOWN : LF_VERTICAL_UP, &hit, cursor);
        lf_ground_heights_many(ground, &from, 0, 1, LF_VERTICAL_DOWN, &height, 0, NULL);
        lf_ground_ray_first(ground, &ray, &hit, k % 4 ? cursor : NULL);
        lf_ground_ray_first_many(ground, &ray, 0, 1, &hit, 0, NULL);
        lf_ground_ray_any(ground, &ray, &any, cursor);
        lf_ground_ray_all(ground, &ray, hits, 4, &count, cursor);
    }
}

static void ask_model(const lf_model *model) {
    lf_model_query question = lf_model_query_default();
    bool touch;
    question.a = question.b = model;
    question.pose_b.translation.x = lf_model_describe(model).radius;
    lf_model_touch(&question, &touch, NULL);
}

void store_ask_open(const lf_store *store) {
    lf_cursor *cursor = NULL;
    if (lf_cursor_create(NULL, &cursor) != LF_OK)
        return;
    if (lf_store_ground(store))
        ask_ground(lf_store_ground(store), cursor);
    if (lf_store_model(store))
        ask_model(lf_store_model(store));
    if (lf_store_grid(store)) {
        lf_grid_info info = lf_grid_describe(lf_store_grid(store));
        for (int k = 0; k < 9; k++)
            lf_grid_sample(lf_store_grid(store), k * info.columns / 9, (8 - k) * info.rows / 9);
    }
    lf_store_describe(store);
    lf_cursor_destroy(cursor);
}

/// Bytes that may be taken at once for a file, and more for each of its own. A quadtree of a hostile depth ends at a million nodes.
#define STORE_ASK_MEMORY ((size_t)64 << 20)
#define STORE_ASK_TIMES 256

/// The system's memory, of which nobody may want much at once.
static void *resize_little(void *user, void *block, size_t old_size, size_t new_size, size_t alignment) {
    lf_allocator plain = lf__allocator_of(NULL);
    if (new_size > *(const size_t *)user)
        abort(); // a small file that wants much memory
    return plain.resize(plain.user, block, old_size, new_size, alignment);
}

bool store_ask(const uint8_t *data, size_t size) {
    lf_store *store;
    lf_error error = {0};
    size_t most = STORE_ASK_MEMORY + STORE_ASK_TIMES * size;
    lf_allocator little = {&most, resize_little};
    lf_host host = {.allocator = &little};
    lf_status status = lf__store_open_bytes(data, size, &host, false, &store, &error);
    if (status != LF_OK) {
        if (error.text[0] == 0 || error.status != status)
            abort(); // an error without a word
        return false;
    }
    store_ask_open(store);
    lf_store_close(store);
    return true;
}
