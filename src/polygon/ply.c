#include "polygon/ply.h"
#include "polygon/readers.h"

/// Triangles of strips: every corner makes one with the two before it, and every second one is turned round.
/// Repeated numbers are how strips are joined; such triangles are no polygons at all.
static lf_status add_strips(lf__soup *soup, const int64_t *corners, int64_t count) {
    int64_t run = 0;
    for (int64_t i = 0; i < count; i++, run++) {
        if (corners[i] == -1) {
            run = -1;
            continue;
        }
        if (run < 2)
            continue;
        int64_t a = corners[i - 2], b = corners[i - 1], c = corners[i];
        if (a == b || b == c || a == c)
            continue;
        int64_t triangle[3] = {run % 2 ? b : a, run % 2 ? a : b, c};
        lf_status status = lf__ply_polygons(soup, LF__PLY_FACE, triangle, 3);
        if (status != LF_OK)
            return status;
    }
    return LF_OK;
}

lf_status lf__ply_polygons(lf__soup *soup, lf__ply_kind kind, const int64_t *corners, int64_t count) {
    if (kind == LF__PLY_STRIP)
        return add_strips(soup, corners, count);
    lf_status status = LF_OK;
    for (int64_t i = 0; i < count && status == LF_OK; i++)
        status = lf__soup_corner(soup, corners[i]);
    return status == LF_OK ? lf__soup_close(soup, LF__NO_NAME, true) : status;
}

/// Text is read in double precision, whatever type the header gives it.
static bool is_single(const lf__ply_header *header) {
    bool single = false;
    for (int i = 0; i < header->element_count; i++) {
        const lf__ply_element *element = &header->elements[i];
        for (int p = 0; p < element->property_count && element->kind == LF__PLY_VERTEX; p++)
            single |= element->properties[p].role != LF__PLY_SKIPPED &&
                      element->properties[p].type == LF__PLY_FLOAT;
    }
    return single && header->encoding != LF__PLY_ASCII;
}

lf_status lf__ply_read(const void *data, size_t size, lf__soup *soup, lf_error *error) {
    lf__ply_header header;
    lf_status status = lf__ply_header_read(data, size, &header, error);
    if (status != LF_OK)
        return status;
    int64_t faces = 0;
    for (int i = 0; i < header.element_count; i++)
        faces += header.elements[i].kind == LF__PLY_FACE ? header.elements[i].count : 0;
    status =
        lf__soup_reserve(soup, header.vertex_count, faces, faces <= INT64_MAX / 3 ? 3 * faces : faces, error);
    if (status == LF_OK && header.encoding == LF__PLY_ASCII)
        status = lf__ply_ascii_read(&header, soup, error);
    else if (status == LF_OK)
        status = lf__ply_binary_read(&header, data, soup, error);
    if (status != LF_OK)
        return status;
    double largest = lf__soup_largest(soup);
    soup->single = is_single(&header);
    soup->precision = soup->single ? lf__half_step_single(largest) : lf__half_step_double(largest);
    return LF_OK;
}
