/// Requests and replies of other elevation services: Google, opentopodata, open-elevation and Valhalla.
#ifndef SERVER_SHAPES_H
#define SERVER_SHAPES_H

#include "heights.h"

void google_elevation(request *request, reply *reply);
void google_error(const request *request, reply *reply);

void topodata_elevation(request *request, reply *reply);
void topodata_root(request *request, reply *reply);
void topodata_health(request *request, reply *reply);
void topodata_datasets(request *request, reply *reply);
void topodata_error(const request *request, reply *reply);

void lookup_elevation(request *request, reply *reply);
void lookup_error(const request *request, reply *reply);

void valhalla_height(request *request, reply *reply);
void valhalla_error(const request *request, reply *reply);

/// The two numbers of "LAT,LON" (blanks around them are skipped); false when there is anything else.
bool read_pair(const char *text, size_t length, double *lat, double *lon);

/// Can this be a place? Latitudes are within 90 degrees where any dataset is on the earth.
bool possible_place(const request *request, double lon, double lat);

/// Was it refused because its body is not JSON? The known services have messages of their own for that.
bool broken_body(const reply *reply);

#endif
