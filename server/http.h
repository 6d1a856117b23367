/// Sockets, connections and threads around the answers: libmicrohttpd.
#ifndef SERVER_HTTP_H
#define SERVER_HTTP_H

#include "server.h"

typedef struct http http;

/// Listen and serve; written is where, as a URL. The server has its first settings.
bool http_start(server *server, http **started, char url[128], complaint *why);

/// Accept no more, let requests finish for so many seconds, cancel the others, and end.
void http_stop(http *http, double seconds);

#endif
