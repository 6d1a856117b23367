/// Tags: kinds of parts. A scene has few of them, and each is a bit.
#include "scene/scene.h"

int lf__tag_known(const lf_scene *scene, const char *tag) {
    for (int i = 0; i < scene->tag_count; i++)
        if (strcmp(scene->tags[i], tag) == 0)
            return i;
    return -1;
}

lf_status lf__tag_number(lf_scene *scene, const char *tag, int *number) {
    *number = lf__tag_known(scene, tag);
    if (*number >= 0)
        return LF_OK;
    if (scene->tag_count == LF__TAGS_MOST)
        return LF_TOO_LARGE;
    if (!scene->tags) {
        void *room;
        lf_status status = lf__take_array(&scene->allocator, LF__TAGS_MOST, sizeof *scene->tags, &room);
        if (status != LF_OK)
            return status;
        scene->tags = room;
    }
    memcpy(scene->tags[scene->tag_count], tag, strlen(tag) + 1);
    *number = scene->tag_count++;
    return LF_OK;
}

lf_status lf_part_tag(lf_scene *scene, lf_part id, const char *tag) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || !lf__name_valid(tag))
        return LF_BAD_ARGUMENT;
    int number;
    lf_status status = lf__tag_number(scene, tag, &number);
    if (status == LF_OK)
        part->tags |= (uint64_t)1 << number;
    return status;
}

lf_status lf_part_untag(lf_scene *scene, lf_part id, const char *tag) {
    lf__part *part = lf__part_to_change(scene, id);
    if (!part || !lf__name_valid(tag))
        return LF_BAD_ARGUMENT;
    int number = lf__tag_known(scene, tag);
    if (number >= 0)
        part->tags &= ~((uint64_t)1 << number);
    return LF_OK;
}

lf_status lf_part_has_tag(const lf_scene *scene, lf_part id, const char *tag, bool *has) {
    const lf__part *part = lf__part_find(scene, id);
    if (!part || !lf__name_valid(tag) || !has)
        return LF_BAD_ARGUMENT;
    int number = lf__tag_known(scene, tag);
    *has = number >= 0 && (part->tags >> number & 1);
    return LF_OK;
}

lf_status lf_scene_tagged(const lf_scene *scene, const char *tag, lf_part *parts, int64_t capacity,
                          int64_t *count) {
    if (!scene || !lf__name_valid(tag) || capacity < 0 || (capacity > 0 && !parts) || !count)
        return LF_BAD_ARGUMENT;
    *count = 0;
    int number = lf__tag_known(scene, tag);
    if (number < 0)
        return LF_OK;
    for (int64_t i = 0; i < scene->parts.array.count; i++) {
        const lf__part *part = lf__part_at(scene, (uint32_t)i);
        if (!part->slot.live || part->instance == LF__NOWHERE || !(part->tags >> number & 1))
            continue;
        if (*count < capacity)
            parts[*count] = lf__part_id(scene, (uint32_t)i);
        ++*count;
    }
    return *count > capacity ? LF_PARTIAL : LF_OK;
}
