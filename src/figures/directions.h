/// directions.h: where north and the sun are on the map of a raster, and maps that depend on it: horizons, light and
/// shadow, hours of sun. A projected map is cut into parts with one direction each. For the command. Not installed.
#ifndef LF_DIRECTIONS_H
#define LF_DIRECTIONS_H

#include <landfall/io.h>
#include <landfall/sight.h>

/// What azimuths are counted from. All zero: +y of the map.
typedef struct lf_north {
    const lf_grid *grid;
    lf_crs_transform *way;   ///< from the map to longitudes and latitudes; NULL: there are none
    bool degrees;            ///< x and y are longitude and latitude
    bool turned;             ///< azimuths as given are converted: true north turns from place to place
    bool earth;              ///< longitudes and latitudes are known, on Earth
    bool wgs84;              ///< x and y are those of WGS 84: `way` is made when it is needed
    const lf_ground *ground; ///< of maps, if the grid is only the lattice of their samples; or NULL
    lf_window window;        ///< samples that maps are of; 0 x 0: all
    const lf_vec2 *places;   ///< of the grid's samples, if its geotransform is of another map; or NULL
} lf_north;

/// Is an ellipsoid one of Earth's?
bool lf_north_on_earth(const lf_ellipsoid *ellipsoid);

/// Find north on the map of a raster. `turned` is set where the map is projected.
void lf_north_open(const lf_grid *grid, const lf_raster_info *about, const lf_host *host, lf_north *north);
void lf_north_close(lf_north *north);

/// True east and north of a place, for azimuths as given; false: they need no conversion.
bool lf_north_compass(lf_north *north, lf_vec2 at, lf_compass *compass);

/// Longitude and latitude of a place of the map; false: it has none on Earth.
bool lf_north_place(lf_north *north, lf_vec2 at, lf_vec2 *lon_lat);

/// The middle of the raster, on its map.
lf_vec2 lf_north_middle(const lf_north *north);

/// The sun over a place, with its azimuth on the map: that of a moment or, where `given` is not NULL, a given direction.
/// False: the place is not on Earth.
bool lf_north_sun(lf_north *north, lf_vec2 at, const lf_sun_moment *moment, const lf_sun *given, lf_sun *sun);

/// Does the planet hide a sun below level from a height? As in lf_sun_shade.
bool lf_north_sun_is_down(const lf_north *north, const lf_curvature *curvature, double altitude_deg,
                          double height);

/// lf_horizon_map of the samples for an azimuth as given.
lf_status lf_north_horizon(lf_north *north, const lf_horizon_def *def, double azimuth_deg, float *values,
                           lf_error *error);

/// lf_sun_shade of the samples, by the sun of a moment over each place or, where moment is NULL, from a given
/// direction. `sun` is used outside the map, too.
lf_status lf_north_shade(lf_north *north, const lf_horizon_def *def, const lf_sun_moment *moment,
                         const lf_sun *sun, uint8_t *lit, lf_error *error);

/// Suns of a day over the middle of the raster.
typedef struct lf_north_day {
    int64_t suns;
    double hours; ///< that they count for
} lf_north_day;

/// lf_sun_hours of the samples over the day of a def, with the suns over each place.
/// day    its position is that of the middle
/// stats  always written
/// Errors: LF_UNSUPPORTED where the position of the sun is not known at that time.
lf_status lf_north_hours(lf_north *north, const lf_horizon_def *def, const lf_sun_day_def *day, float *hours,
                         lf_north_day *stats, lf_error *error);

#endif
