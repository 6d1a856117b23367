/// A request as it was read, and the reply to it. Nothing here knows of sockets, so that tests and fuzzers call it directly.
#ifndef SERVER_REQUEST_H
#define SERVER_REQUEST_H

#include "dataset.h"
#include "document.h"

typedef enum http_method {
    HTTP_GET = 1,
    HTTP_HEAD = 2,
    HTTP_POST = 4,
    HTTP_DELETE = 8,
    HTTP_OPTIONS = 16
} http_method;

/// A name with its value, both decoded and terminated.
typedef struct parameter {
    const char *name, *value;
} parameter;

#define PARAMETERS 64

typedef struct server server;
typedef struct route route;
typedef struct job job;

typedef struct request {
    server *server;
    const settings *settings;
    datasets *data;
    const route *route;
    http_method method;
    char *path;    ///< decoded, without the query
    char *storage; ///< of path and parameters
    parameter query[PARAMETERS], form[PARAMETERS];
    int query_count, form_count;
    const char *body, *body_type; ///< type "" without one
    size_t body_size;
    document document;         ///< the body, where it is JSON
    const value *json;         ///< all of that, or NULL
    char *form_text;           ///< a copy of the body, where it is a form
    bool gzip;                 ///< does the client take that?
    const char *if_none_match; ///< or NULL
    const char *tail;          ///< what follows the route's path
    lf_progress progress;      ///< of this request: false when the client is gone or its time is over
    job *job;
} request;

#define REPLY_HEADERS 8

/// Bytes that several replies share.
typedef struct blob {
    atomic_int users;
    size_t size;
    bool gzipped;
    char type[48], etag[40];
    int64_t voids;
    unsigned char bytes[];
} blob;

blob *blob_create(const void *bytes, size_t size);
blob *blob_hold(blob *blob);
void blob_release(blob *blob);

typedef struct reply {
    int status; ///< 200 until something else is said
    const char *type;
    text body;
    blob *blob; ///< instead of a body
    struct {
        char name[32], value[96];
    } headers[REPLY_HEADERS];
    int header_count;
    char message[512]; ///< why it failed; the route writes it in its own form
    const char *limit; ///< the name of the limit that was passed, with its value and what was asked for
    double allowed, asked;
} reply;

/// Split a target such as "/v1/height?at=1,2" into path and parameters. False: status and message are set.
bool request_target(request *request, const char *target, reply *reply);

/// Take in a body: JSON by its type, or a form. False: status and message are set.
bool request_body(request *request, const char *type, const char *body, size_t size, reply *reply);

void request_free(request *request);

/// The value of a parameter: of the query, of a form, or a text or number at the top of a JSON body. NULL: there is none.
/// A number is written into `number`.
const char *request_text(const request *request, const char *name, char number[LF_NUMBER_SIZE]);

/// A member of the JSON body; NULL: none.
const value *request_member(const request *request, const char *name);

/// A number within bounds; the usual one where the parameter is missing. False: status and message are set.
typedef struct range {
    double usual, least, most;
} range;
bool request_number(const request *request, const char *name, range range, double *value, reply *reply);

/// One of several words, separated by |; its index. The first one where it is missing.
bool request_choice(const request *request, const char *name, const char *words, int *index, reply *reply);

/// Refuse with a message; returns false.
__attribute__((format(printf, 3, 4))) bool refuse(reply *reply, int status, const char *format, ...);

/// Refuse because of a limit; names it, its value and what was asked for.
bool refuse_limit(reply *reply, int status, const char *limit, double allowed, double asked);

/// The status of a failed call of the library.
bool refuse_status(reply *reply, lf_status status, const lf_error *error);

__attribute__((format(printf, 3, 4))) void reply_header(reply *reply, const char *name, const char *format,
                                                        ...);
void reply_free(reply *reply);

#endif
