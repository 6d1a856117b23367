/// Places on a planet of tiles: a folder of terrain tiles (layer.json and quantized-mesh-1.0), or rasters in degrees.
///
///     terrain FOLDER 7.95 46.93
///     terrain planet.tif 7.95 46.93
#include <landfall/io.h>
#include <stdio.h>
#include <string.h>

static bool read_number(const char *word, double *value) {
    const char *end = word + strlen(word);
    return lf_number_read(word, end, value) == end;
}

static lf_status ask(const lf_globe_def *def, double lon, double lat, lf_error *error) {
    lf_globe *globe = NULL;
    lf_globe_elevation ground;
    lf_status status = lf_globe_create(def, &globe, error);
    if (status == LF_OK)
        status = lf_globe_height_finest(globe, lon, lat, &ground);
    if (status == LF_OK && ground.reason == LF_REASON_ANSWERED)
        printf("%.2f m above the ellipsoid, from tile %d/%d/%d\n", ground.height, ground.tile.level,
               ground.tile.column, ground.tile.row);
    else if (status == LF_OK)
        printf("no ground: %s\n", lf_reason_name(ground.reason));
    lf_globe_destroy(globe);
    return status;
}

int main(int count, char **words) {
    lf_globe_def def = lf_globe_def_default();
    lf_raster_def raster = lf_raster_def_default();
    lf_tile_folder *terrain = NULL;
    lf_globe_rasters *rasters = NULL;
    lf_error error = {0};
    double lon, lat;
    if (count != 4 || !read_number(words[2], &lon) || !read_number(words[3], &lat)) {
        fprintf(stderr, "usage: terrain FOLDER|RASTER LON LAT\n");
        return 2;
    }
    const char *ending = strrchr(words[1], '.');
    bool folder = !ending || strchr(ending, '/');
    lf_status status =
        folder ? lf_tile_folder_open(words[1], NULL, &terrain, &error)
               : lf_globe_rasters_open((const char *const *)&words[1], 1, &raster, 64, &rasters, &error);
    if (status == LF_OK && folder) {
        def.provider = lf_tile_folder_provider(terrain, &def.level_count);
    } else if (status == LF_OK) {
        def = lf_globe_rasters_def(rasters);
    }
    if (status == LF_OK)
        status = ask(&def, lon, lat, &error);
    lf_globe_rasters_close(rasters);
    lf_tile_folder_close(terrain);
    if (status != LF_OK)
        fprintf(stderr, "terrain: %s\n", error.text[0] ? error.text : lf_status_text(status));
    return status == LF_OK ? 0 : 2;
}
