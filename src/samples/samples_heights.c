/// Rows of a landscape, in parallel, and heights that are held in memory.
#include "base/base.h"
#include "base/size.h"
#include "raster/raster_write.h"
#include "samples/landscape.h"

#define BAND_ROWS 64 // between two looks at whether the caller wants to stop

typedef struct job {
    const lf_make_heights_def *def;
    const lf__land *land;
    int64_t first_row;
    float *values;
} job;

static void make_rows(void *user, int64_t first, int64_t last, int worker) {
    const job *job = user;
    (void)worker;
    for (int64_t row = first; row < last; row++) {
        float *values = job->values + row * job->def->columns;
        double y = (double)(job->def->first_row + job->first_row + row) * job->def->spacing;
        for (int64_t column = 0; column < job->def->columns; column++) {
            double x = (double)(job->def->first_column + column) * job->def->spacing;
            values[column] = (float)lf__land_height(job->land, x, y);
        }
    }
}

lf_status lf_make_rows(const lf_make_heights_def *given, int64_t first_row, int64_t row_count, float *values,
                       lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    size_t bytes;
    if (first_row < 0 || row_count < 0 || row_count > def.rows || first_row > def.rows - row_count || !values)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "rows %lld to %lld of %lld", (long long)first_row,
                        (long long)first_row + (long long)row_count, (long long)def.rows);
    if (row_count > 0 && !lf__size_array(row_count, (size_t)def.columns * sizeof(float), &bytes))
        return lf__fail_plain(error, LF_TOO_LARGE);
    for (int64_t done = 0; done < row_count; done += BAND_ROWS) {
        int64_t rows = row_count - done < BAND_ROWS ? row_count - done : BAND_ROWS;
        job job = {&def, &land, first_row + done, values + done * def.columns};
        lf__run(def.host.tasks, rows, 1, make_rows, &job);
        if (!lf__report(&def.host, "make", done + rows, row_count))
            return lf__fail_plain(error, LF_CANCELLED);
    }
    return LF_OK;
}

struct lf_made_heights {
    lf_allocator allocator;
    lf_heights heights;
    float *values;
};

void lf_made_heights_destroy(lf_made_heights *made) {
    if (!made)
        return;
    lf_allocator allocator = made->allocator;
    lf__give_array(&allocator, made->values, made->heights.columns * made->heights.rows, sizeof(float));
    lf__give(&allocator, made, sizeof *made, _Alignof(lf_made_heights));
}

lf_heights lf_made_heights_view(const lf_made_heights *made) {
    return made->heights;
}

lf_status lf_make_heights(const lf_make_heights_def *given, lf_made_heights **made, lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    if (!made)
        return lf__fail(error, LF_BAD_ARGUMENT, -1, "made is NULL");
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    int64_t count;
    if (__builtin_mul_overflow(def.columns, def.rows, &count))
        return lf__fail_plain(error, LF_TOO_LARGE);
    lf_allocator allocator = lf__allocator_of(&def.host);
    lf_made_heights *fresh = lf__take(&allocator, sizeof *fresh, _Alignof(lf_made_heights));
    if (!fresh)
        return lf__fail_plain(error, LF_NO_MEMORY);
    *fresh = (lf_made_heights){.allocator = allocator};
    status = lf__take_array(&allocator, count, sizeof(float), (void **)&fresh->values);
    fresh->heights =
        (lf_heights){fresh->values, def.columns, def.rows, def.columns, land.x_low, land.y_low, def.spacing};
    if (status != LF_OK)
        lf__fail_plain(error, status);
    else
        status = lf_make_rows(&def, 0, def.rows, fresh->values, error);
    if (status != LF_OK) {
        lf_made_heights_destroy(fresh);
        return status;
    }
    *made = fresh;
    return LF_OK;
}

static lf_status made_rows(void *user, int64_t first, int64_t count, float *values, lf_error *error) {
    return lf_make_rows(user, first, count, values, error);
}

lf_status lf_make_heights_file(const lf_make_heights_def *given, const char *path, lf_error *error) {
    lf_make_heights_def def;
    lf__land land;
    lf_status status = lf__land_read(given, &def, &land, error);
    if (status != LF_OK)
        return status;
    if (!path || (!lf__path_ends(path, ".tif") && !lf__path_ends(path, ".tiff")))
        return lf__fail(error, LF_UNSUPPORTED, -1, "%s: a landscape goes to .tif or .tiff",
                        path ? path : "NULL");
    lf_heights shape = {NULL, def.columns, def.rows, def.columns, land.x_low, land.y_low, def.spacing};
    lf_host host = def.host;
    def.host.progress = NULL; // the writer reports, over the whole
    return lf__raster_write(path, &shape, made_rows, &def, &host, error);
}
