#include "base/beside.h"
#include "raster/raster.h"
#include <png.h>
#include <setjmp.h>

typedef struct writer {
    lf__beside beside;
    const lf__png_shape *shape;
    lf__png_row *fill;
    void *user;
    uint8_t *row;
    char reason[120]; ///< libpng's message when it fails
    bool no_memory;
} writer;

static void on_failure(png_structp png, png_const_charp text) {
    writer *writer = png_get_error_ptr(png);
    size_t i = 0;
    for (; text[i] && i + 1 < sizeof writer->reason; i++)
        writer->reason[i] = text[i];
    writer->reason[i] = 0;
    png_longjmp(png, 1);
}

static void on_warning(png_structp png, png_const_charp text) {
    (void)png;
    (void)text;
}

static void on_bytes(png_structp png, png_bytep bytes, size_t count) {
    writer *writer = png_get_io_ptr(png);
    if (!lf__beside_write(&writer->beside, bytes, count))
        png_error(png, "write failed");
}

static void on_flush(png_structp png) {
    (void)png;
}

/// The calls that can leave by longjmp. Nothing here owns memory, so nothing leaks.
static void write_rows(png_structp png, png_infop info, writer *writer) {
    const lf__png_shape *shape = writer->shape;
    png_set_write_fn(png, writer, on_bytes, on_flush);
    png_set_user_limits(png, 0x7fffffffu, 0x7fffffffu);
    png_set_IHDR(png, info, (png_uint_32)shape->width, (png_uint_32)shape->height, 16, PNG_COLOR_TYPE_GRAY,
                 PNG_INTERLACE_NONE, PNG_COMPRESSION_TYPE_DEFAULT, PNG_FILTER_TYPE_DEFAULT);
    png_write_info(png, info);
    for (int64_t y = 0; y < shape->height; y++) {
        writer->fill(writer->user, y, writer->row);
        png_write_row(png, writer->row);
    }
    png_write_end(png, NULL);
}

/// True on success; else libpng's message is in writer->reason.
static bool run_libpng(writer *writer) {
    png_structp png = png_create_write_struct(PNG_LIBPNG_VER_STRING, writer, on_failure, on_warning);
    png_infop info = png ? png_create_info_struct(png) : NULL;
    writer->no_memory = !info;
    volatile bool done = false;
    if (info && setjmp(png_jmpbuf(png)) == 0) {
        write_rows(png, info, writer);
        done = true;
    }
    png_destroy_write_struct(&png, &info);
    return done;
}

lf_status lf__png_write(const char *path, const lf__png_shape *shape, lf__png_row *fill, void *user,
                        const lf_host *host, lf_error *error) {
    lf_allocator allocator = lf__allocator_of(host);
    int64_t row_bytes = 2 * shape->width;
    writer writer = {.shape = shape, .fill = fill, .user = user};
    if (shape->width < 1 || shape->height < 1 || shape->width > 0x7fffffff || shape->height > 0x7fffffff)
        return lf__fail(error, LF_TOO_LARGE, -1,
                        "a PNG of %lld x %lld pixels: each must be from 1 to 2147483647",
                        (long long)shape->width, (long long)shape->height);
    lf_status status = lf__allocate_array(&allocator, row_bytes, 1, (void **)&writer.row);
    if (status != LF_OK)
        return lf__fail_plain(error, status);
    status = lf__beside_open(&writer.beside, path, host, error);
    if (status == LF_OK) {
        if (run_libpng(&writer) || writer.beside.failure)
            status = lf__beside_commit(&writer.beside, error);
        else if (writer.no_memory)
            status = lf__fail_plain(error, LF_NO_MEMORY);
        else
            status = lf__fail(error, LF_IO_FAILED, -1, "%s: libpng: %s", path, writer.reason);
    }
    lf__beside_abort(&writer.beside);
    lf__free_array(&allocator, writer.row, row_bytes, 1);
    return status;
}
