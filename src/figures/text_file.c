/// Files of text, written beside their place.
#include "base/beside.h"
#include "figures.h"

struct lf_text_file {
    lf_allocator allocator;
    lf__beside beside;
};

lf_status lf_text_file_create(const char *path, const lf_host *host, lf_text_file **made, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(host);
    lf_text_file *file = lf__allocate(&allocator, sizeof *file, _Alignof(lf_text_file));
    if (!file)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *file = (lf_text_file){.allocator = allocator};
    lf_status status = lf__beside_open(&file->beside, path, host, error);
    if (status == LF_OK)
        *made = file;
    else
        lf__free(&allocator, file, sizeof *file, _Alignof(lf_text_file));
    return status;
}

bool lf_text_file_write(lf_text_file *file, const char *bytes, size_t length) {
    return lf__beside_write(&file->beside, bytes, length);
}

lf_status lf_text_file_commit(lf_text_file *file, lf_error *error) {
    lf_allocator allocator = file->allocator;
    lf_status status = lf__beside_commit(&file->beside, error);
    lf__beside_abort(&file->beside);
    lf__free(&allocator, file, sizeof *file, _Alignof(lf_text_file));
    return status;
}

void lf_text_file_discard(lf_text_file *file) {
    lf_allocator allocator = file->allocator;
    lf__beside_abort(&file->beside);
    lf__free(&allocator, file, sizeof *file, _Alignof(lf_text_file));
}
