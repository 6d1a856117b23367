/// Places in requests, and the heights at them from the first dataset that has one.
#ifndef SERVER_HEIGHTS_H
#define SERVER_HEIGHTS_H

#include "request.h"

/// Places of a request: x is the longitude (or x of the map), y the latitude.
typedef struct places {
    lf_vec2 *list;
    double *z; ///< NULL, or the third number of each; NAN without one
    int64_t count, space;
    bool geographic; ///< they are longitudes and latitudes (set by api_points_read)
} places;

void places_free(places *places);

/// One more place, within the limit on points. False: status and message are set.
bool places_add(places *places, const request *request, double x, double y, reply *reply);

/// Google's encoded polyline with 5 or 6 decimals. False when it is broken: status 400.
bool places_polyline(places *places, const request *request, const char *text, size_t length, int decimals,
                     reply *reply);

/// The other way round.
void polyline_encode(text *out, const lf_vec2 *list, int64_t count, int decimals);

/// Replace places by so many at equal distances along the geodesics between them, both ends included.
bool places_along(places *places, int64_t count, reply *reply);

typedef enum interpolation {
    INTERPOLATION_NEAREST, ///< the nearest sample
    INTERPOLATION_BILINEAR,
    INTERPOLATION_CUBIC,
    INTERPOLATION_SURFACE ///< the surface that the ground defines
} interpolation;

/// Which datasets answer, in their order.
typedef struct selection {
    int count;
    int list[256];
} selection;

/// All datasets; where some are on the earth, those alone.
selection select_all(const datasets *data);

/// What is known of a height.
typedef struct elevation {
    double height; ///< NAN: none
    int dataset;   ///< that it is of; of the last one asked where there is none
    lf_reason reason;
} elevation;

/// The heights at places. `answers` has space for all. False: status and message are set.
bool heights_find(const request *request, const selection *selection, const places *places, interpolation how,
                  elevation *answers, reply *reply);

#endif
