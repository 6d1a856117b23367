/// What the files of the store benchmark share.
#ifndef LF_BENCH_STORE_H
#define LF_BENCH_STORE_H

#include "field.h"
#include "support.h"

/// The largest error that everybody is allowed, in metres.
#define STORE_ERROR 0.1

enum { STORE_CODECS = 5 };

/// A path in the folder for the benchmark's own files, in a static buffer.
const char *store_path(const char *name);

/// Bytes of a file; 0 where there is none.
double store_file_bytes(const char *path);

/// The mountains with every codec, and max-plus with its bounds stored in full too.
typedef struct store_grounds {
    int64_t samples;
    lf_grid *grids[STORE_CODECS + 1];
    const lf_ground *grounds[STORE_CODECS + 1];
    double build_seconds; ///< of raw
} store_grounds;

void store_grounds_open(store_grounds *grounds, const bench_field *field);
void store_grounds_close(store_grounds *grounds);

/// Bytes a sample of whole files: every codec, and GeoTIFF by DEFLATE, LERC and ZSTD.
void store_sizes(const store_grounds *grounds, const bench_field *field, bench_report *report);
/// The same over the real rasters.
void store_real_sizes(bench_report *report);

/// Opening against building.
void store_opening(const store_grounds *grounds, bench_report *report);

/// Heights, rays and sight lines on every codec.
void store_asking(const store_grounds *grounds, const bench_field *field, bench_report *report);

/// Heights against GDALRasterIO on a warm tiled GeoTIFF.
void store_against_gdal(const store_grounds *grounds, const bench_field *field, bench_report *report);

#endif
