#include "base/base.h"
#include "store/sections.h"
#include <math.h>
#include <string.h>

/// The sections that this version knows.
static const char *const store_read_known[] = {
    "grid",  "samples",  "tiles",  "index",   "bounds", "holes",  "gaps",   "planes", "mesh",
    "model", "vertices", "starts", "corners", "users",  "layers", "sides",  "group",  "poses",
    "parts", "producer", "params", "crs",     "globe",  "keys",   "posts",  "sums",   "pixels",
    "voids", "built",    "hull",   "blocks",  "fans",   "owners", "firsts", "top",    "lines",
    "words", "slopes",   "nodes",  "leaves",  "file"};

/// Bytes of a file that is read in ranges to begin with: its header, the table of most files, and their first records.
#define AT_FIRST ((size_t)1 << 16)

/// Those that are checked block by block, where the file has a section of sums for them; files within it check themselves.
static const char *const by_parts[] = {"samples", "tiles", "index",  "bounds",
                                       "holes",   "gaps",  "planes", "posts"};

static bool is_named(const lf__store_section *section, const char *name) {
    size_t length = strlen(name);
    char full[sizeof section->name] = {0};
    memcpy(full, name, length < sizeof full ? length : sizeof full);
    return memcmp(full, section->name, sizeof full) == 0;
}

static bool store_read_is_known(const lf__store_section *section) {
    for (size_t k = 0; k < sizeof store_read_known / sizeof *store_read_known; k++)
        if (is_named(section, store_read_known[k]))
            return true;
    return false;
}

/// A printable name: other characters become question marks.
static void store_read_spell(const lf__store_section *section, char text[9]) {
    for (int k = 0; k < 8; k++) {
        char c = section->name[k];
        bool letter = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9');
        text[k] = (char)(c == 0 || letter ? c : '?');
    }
    text[8] = 0;
}

static lf_status check_header(const lf__reader *r, lf_error *error) {
    const lf__store_header *h = r->header;
    if (r->bytes < sizeof *h || memcmp(h->magic, LF__STORE_MAGIC, sizeof h->magic) != 0)
        return lf__fail(error, LF_BAD_FORMAT, 0, "no landfall file");
    if (h->major != LF__STORE_MAJOR)
        return lf__fail(error, LF_UNSUPPORTED, 8, "format %d.%d: this landfall reads %d", h->major, h->minor,
                        LF__STORE_MAJOR);
    if (h->bytes != r->bytes)
        return lf__fail(error, LF_BAD_FORMAT, 16, "%zu bytes where the header says %llu", r->bytes,
                        (unsigned long long)h->bytes);
    if (h->section_count == 0 || h->section_count > LF__STORE_SECTIONS ||
        h->section_count * sizeof(lf__store_section) > r->bytes - sizeof *h)
        return lf__fail(error, LF_BAD_FORMAT, 40, "a table of %u sections does not fit", h->section_count);
    if (h->part_count == 0 || h->part_count > r->bytes / sizeof(lf__pose_record) ||
        (h->kind != LF_STORE_GROUP && h->part_count != 1))
        return lf__fail(error, LF_BAD_FORMAT, 44, "%u parts: more than fit, or not 1 where it must be",
                        h->part_count);
    if (!isfinite(h->xy_unit) || !isfinite(h->z_unit) || !(h->radius > 0) || !(h->radius < 1e30) ||
        !(h->flattening >= 0 && h->flattening < 1))
        return lf__fail(error, LF_BAD_FORMAT, 48, "units or an ellipsoid that cannot be");
    if (strcmp(lf_store_kind_name((lf_store_kind)(h->kind & 0xff)), "?") == 0 || h->kind > 0xff)
        return lf__fail(error, LF_UNSUPPORTED, 12, "this landfall does not know the kind of ground %u",
                        h->kind);
    return LF_OK;
}

static lf_status check_table(const lf__reader *r, lf_error *error) {
    lf__store_header copy = *r->header;
    size_t table = copy.section_count * sizeof *r->sections, behind = sizeof copy + table;
    copy.checksum = 0;
    uint64_t sum = lf__store_sum(LF__STORE_SEED, &copy, sizeof copy);
    if (lf__store_sum(sum, r->sections, table) != r->header->checksum)
        return lf__fail(error, LF_BAD_FORMAT, 24, "the header's checksum is wrong");
    for (uint32_t k = 0; k < copy.section_count; k++) {
        const lf__store_section *s = &r->sections[k];
        char name[9];
        store_read_spell(s, name);
        if (s->offset < behind || s->offset > r->bytes || s->bytes > r->bytes - s->offset ||
            s->offset % LF__STORE_SMALL != 0)
            return lf__fail(error, LF_BAD_FORMAT, k, "section \"%s\" is not within the file", name);
        if ((s->flags & LF__SECTION_MUST) && !store_read_is_known(s))
            return lf__fail(error, LF_UNSUPPORTED, k,
                            "section \"%s\" is mandatory and unknown to this version", name);
    }
    return LF_OK;
}

lf_status lf__reader_start(lf__reader *reader, lf__bytes data, lf__paged *paged, const lf_host *host,
                           lf_error *error) {
    const uint8_t *start = data.data;
    *reader =
        (lf__reader){.data = start, .bytes = data.size, .header = data.data, .host = host, .paged = paged};
    if (!lf__store_little_endian())
        return lf__fail(error, LF_UNSUPPORTED, -1, "landfall files are read on little-endian machines only");
    lf_status status = lf__paged_need(paged, start, data.size < AT_FIRST ? data.size : AT_FIRST, error);
    if (status == LF_OK)
        status = check_header(reader, error);
    if (status != LF_OK)
        return status;
    reader->sections = (const lf__store_section *)(const void *)(start + sizeof(lf__store_header));
    status = lf__paged_need(paged, reader->sections, reader->header->section_count * sizeof *reader->sections,
                            error);
    return status == LF_OK ? check_table(reader, error) : status;
}

lf__bytes lf__reader_find(const lf__reader *reader, uint32_t part, const char *name) {
    for (uint32_t k = 0; k < reader->header->section_count; k++) {
        const lf__store_section *s = &reader->sections[k];
        if (s->part == part && s->bytes > 0 && is_named(s, name))
            return (lf__bytes){reader->data + s->offset, (size_t)s->bytes};
    }
    return (lf__bytes){NULL, 0};
}

lf_status lf__reader_record(const lf__reader *reader, uint32_t part, const char *name, void *record,
                            size_t bytes, lf_error *error) {
    lf__bytes found = lf__reader_find(reader, part, name);
    if (found.size != bytes)
        return lf__fail(error, LF_BAD_FORMAT, part,
                        "part %u has a section \"%s\" of %zu bytes in place of %zu", part, name, found.size,
                        bytes);
    memcpy(record, found.data, bytes);
    return LF_OK;
}

/// The same for meshes with their structures and a section of blocks.
static const char *const by_blocks[] = {"vertices", "starts", "corners", "users",  "layers",
                                        "sides",    "fans",   "owners",  "firsts", "top",
                                        "lines",    "words",  "slopes",  "nodes",  "leaves"};

static bool is_one_of(const lf__store_section *section, const char *const *names, size_t count) {
    for (size_t k = 0; k < count; k++)
        if (is_named(section, names[k]))
            return true;
    return false;
}

static bool is_by_blocks(const lf__reader *reader, const lf__store_section *section) {
    return is_one_of(section, by_blocks, sizeof by_blocks / sizeof *by_blocks) &&
           lf__reader_find(reader, section->part, "mesh").size > 0 &&
           lf__reader_find(reader, section->part, "blocks").size > 0;
}

static bool is_by_parts(const lf__reader *reader, const lf__store_section *section) {
    return is_by_blocks(reader, section) || is_named(section, "file") ||
           (is_one_of(section, by_parts, sizeof by_parts / sizeof *by_parts) &&
            lf__reader_find(reader, section->part, "sums").size > 0);
}

static lf_status wrong_sum(const lf__store_section *section, int64_t number, lf_error *error) {
    char name[9];
    store_read_spell(section, name);
    return lf__fail(error, LF_BAD_FORMAT, number, "damaged: the checksum of section \"%s\" is wrong", name);
}

static bool sum_right(const lf__reader *reader, const lf__store_section *s) {
    const uint8_t *data = reader->data + s->offset;
    size_t bytes = (size_t)s->bytes;
    return s->quick ? lf__xxh64(data, bytes, 0) == s->quick
                    : lf__store_sum(LF__STORE_SEED, data, bytes) == s->checksum;
}

/// Read what is checked now, and meshes, whose structures are walked along pointers.
static lf_status read_small(const lf__reader *reader, lf_error *error) {
    lf__paged_begin(reader->paged);
    for (uint32_t k = 0; k < reader->header->section_count; k++) {
        const lf__store_section *s = &reader->sections[k];
        if (store_read_is_known(s) && (!is_by_parts(reader, s) || is_by_blocks(reader, s)))
            lf__paged_want(reader->paged, reader->data + s->offset, (size_t)s->bytes);
        else if (is_named(s, "planes")) // its record, which is read with the grid
            lf__paged_want(reader->paged, reader->data + s->offset,
                           s->bytes < sizeof(lf__planes_record) ? (size_t)s->bytes
                                                                : sizeof(lf__planes_record));
    }
    return lf__paged_end(reader->paged, error);
}

lf_status lf__reader_check_small(const lf__reader *reader, lf_error *error) {
    lf_status status = reader->paged ? read_small(reader, error) : LF_OK;
    if (status != LF_OK)
        return status;
    for (uint32_t k = 0; k < reader->header->section_count; k++) {
        const lf__store_section *s = &reader->sections[k];
        if (store_read_is_known(s) && !is_by_parts(reader, s) && !sum_right(reader, s))
            return wrong_sum(s, k, error);
    }
    return LF_OK;
}

lf_status lf__reader_check_mesh(const lf__reader *reader, uint32_t part, lf_error *error) {
    for (uint32_t k = 0; k < reader->header->section_count && !reader->checked; k++) {
        const lf__store_section *s = &reader->sections[k];
        if (s->part == part && is_by_blocks(reader, s) && !sum_right(reader, s))
            return wrong_sum(s, k, error);
    }
    return LF_OK;
}

lf_status lf__reader_small(const lf__reader *reader, const char *name, void *record, size_t bytes,
                           lf_error *error) {
    lf_status status = lf__reader_record(reader, 0, name, record, bytes, error);
    for (uint32_t k = 0; status == LF_OK && k < reader->header->section_count; k++) {
        const lf__store_section *s = &reader->sections[k];
        if (s->part == 0 && s->bytes > 0 && is_named(s, name))
            return lf__store_sum(LF__STORE_SEED, record, bytes) == s->checksum
                       ? LF_OK
                       : lf__fail(error, LF_BAD_FORMAT, k, "the checksum of section \"%s\" is wrong", name);
    }
    return status;
}

lf_status lf__reader_check(const lf__reader *reader, lf_error *error) {
    const size_t stretch = (size_t)1 << 24;
    for (uint32_t k = 0; k < reader->header->section_count; k++) {
        const lf__store_section *s = &reader->sections[k];
        uint64_t sum = LF__STORE_SEED;
        for (uint64_t done = 0; done < s->bytes; done += stretch) {
            uint64_t rest = s->bytes - done;
            if (!lf__report(reader->host, "check", (int64_t)(s->offset + done), (int64_t)reader->bytes))
                return lf__fail_plain(error, LF_CANCELLED);
            const uint8_t *data = reader->data + s->offset + done;
            size_t bytes = rest < stretch ? (size_t)rest : stretch;
            lf_status status = lf__paged_need(reader->paged, data, bytes, error);
            if (status != LF_OK)
                return status;
            sum = lf__store_sum(sum, data, bytes);
        }
        if (sum != s->checksum)
            return wrong_sum(s, k, error);
    }
    return LF_OK;
}

#undef AT_FIRST
