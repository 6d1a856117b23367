#include "jobs.h"
#include "tiles.h"
#include <string.h>
#include <strings.h>

#define INLINE_BODY 16384 // bytes: larger bodies are parsed by the workers

// ---- Replies ------------------------------------------------------------------------------------

static bool compressible(const char *type) {
    return type &&
           (strstr(type, "json") || strstr(type, "csv") || strstr(type, "svg") || strstr(type, "text"));
}

/// Replace a body by its gzip.
static bool compress_body(text *body) {
    text packed = {0};
    if (!gzip_write(&packed, body->bytes, body->count, 1)) {
        text_free(&packed);
        return false;
    }
    text_free(body);
    *body = packed;
    return true;
}

static void release_blob(void *user) {
    blob_release(user);
}

static struct MHD_Response *make_response(exchange *exchange) {
    reply *reply = &exchange->reply;
    struct MHD_Response *response;
    const char *type = reply->type;
    if (reply->blob) {
        exchange->sent = reply->blob->size;
        response = MHD_create_response_from_buffer_with_free_callback_cls(
            reply->blob->size, reply->blob->bytes, release_blob, reply->blob);
        if (!response)
            return NULL;
        if (reply->blob->gzipped)
            MHD_add_response_header(response, "Content-Encoding", "gzip");
        type = reply->blob->type;
        reply->blob = NULL;
    } else {
        double from = exchange->setup->settings.gzip_from;
        bool pack = exchange->request.gzip && from > 0 && (double)reply->body.count >= from &&
                    reply->body.count < 0x7fffffff && compressible(type) && compress_body(&reply->body);
        exchange->sent = reply->body.count;
        response = MHD_create_response_from_buffer_with_free_callback(reply->body.count, reply->body.bytes,
                                                                      memory_free);
        if (!response)
            return NULL;
        reply->body = (text){0};
        if (pack)
            MHD_add_response_header(response, "Content-Encoding", "gzip");
        if (from > 0 && compressible(type))
            MHD_add_response_header(response, "Vary", "Accept-Encoding");
    }
    if (type && reply->status != 204 && reply->status != 304)
        MHD_add_response_header(response, "Content-Type", type);
    for (int i = 0; i < reply->header_count; i++)
        MHD_add_response_header(response, reply->headers[i].name, reply->headers[i].value);
    return response;
}

/// Which pages of other origins may read this reply.
static void add_cors(exchange *exchange, struct MHD_Response *response) {
    const text_list *list = &exchange->setup->settings.cors;
    const char *origin =
        list->count ? MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Origin") : NULL;
    for (int64_t i = 0; i < list->count; i++) {
        bool any = strcmp(list->items[i], "*") == 0;
        if (!any && (!origin || strcmp(list->items[i], origin) != 0))
            continue;
        MHD_add_response_header(response, "Access-Control-Allow-Origin", any ? "*" : origin);
        if (!any)
            MHD_add_response_header(response, "Vary", "Origin");
        if (exchange->request.method == HTTP_OPTIONS) {
            MHD_add_response_header(response, "Access-Control-Allow-Methods",
                                    "GET, HEAD, POST, DELETE, OPTIONS");
            MHD_add_response_header(response, "Access-Control-Allow-Headers",
                                    "Content-Type, X-API-Key, Authorization");
            MHD_add_response_header(response, "Access-Control-Max-Age", "86400");
        }
        return;
    }
}

static enum MHD_Result send_reply(exchange *exchange, bool close) {
    struct MHD_Response *response = exchange->reply.status == 404 ? job_events(exchange) : NULL;
    bool events = response != NULL;
    if (events)
        exchange->reply.status = 200;
    else
        response = make_response(exchange);
    if (!response)
        return MHD_NO;
    add_cors(exchange, response);
    if (close || atomic_load(&exchange->http->server->draining))
        MHD_add_response_header(response, "Connection", "close");
    enum MHD_Result result =
        MHD_queue_response(exchange->connection, (unsigned)exchange->reply.status, response);
    watch_set(exchange->watch,
              events ? 0 : exchange->setup->settings.idle_seconds + (double)exchange->sent / 1e4);
    MHD_destroy_response(response);
    return result;
}

// ---- Requests -----------------------------------------------------------------------------------

/// Called with the first line of a request, before its headers: makes what all later calls get.
static void *begin(void *user, const char *target, struct MHD_Connection *connection) {
    http *http = user;
    exchange *made = memory_take(sizeof *made);
    if (!made)
        return NULL;
    memset(made, 0, sizeof *made);
    made->target = memory_copy(target);
    if (!made->target) {
        memory_free(made);
        return NULL;
    }
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(connection, MHD_CONNECTION_INFO_SOCKET_CONTEXT);
    made->http = http;
    made->connection = connection;
    made->watch = info ? info->socket_context : NULL;
    made->setup = server_setup(http->server);
    made->began = now_seconds();
    made->deadline = made->began + made->setup->settings.max_seconds;
    made->reply = (reply){.status = 200};
    made->request = (request){.server = http->server,
                              .settings = &made->setup->settings,
                              .data = made->setup->data,
                              .progress = {made, exchange_goes_on}};
    return made;
}

static http_method method_of(const char *name) {
    static const struct {
        const char *name;
        http_method method;
    } methods[] = {{"GET", HTTP_GET},
                   {"HEAD", HTTP_HEAD},
                   {"POST", HTTP_POST},
                   {"DELETE", HTTP_DELETE},
                   {"OPTIONS", HTTP_OPTIONS}};
    for (size_t i = 0; i < sizeof methods / sizeof *methods; i++)
        if (strcmp(methods[i].name, name) == 0)
            return methods[i].method;
    return 0;
}

static enum MHD_Result count_length(void *user, enum MHD_ValueKind kind, const char *key, const char *value) {
    (void)kind;
    (void)value;
    *(int *)user += strcasecmp(key, "Content-Length") == 0 || strcasecmp(key, "Transfer-Encoding") == 0;
    return MHD_YES;
}

static const char *key_of(exchange *exchange) {
    const char *given = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "X-API-Key");
    const char *bearer = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Authorization");
    if (given)
        return given;
    if (bearer && strncmp(bearer, "Bearer ", 7) == 0)
        return bearer + 7;
    for (int i = 0; i < exchange->request.query_count; i++)
        if (strcmp(exchange->request.query[i].name, "key") == 0)
            return exchange->request.query[i].value;
    return NULL;
}

/// Is the announced body within the limit, and announced once?
static bool check_length(exchange *exchange) {
    reply *reply = &exchange->reply;
    const char *length = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Content-Length");
    double most = exchange->setup->settings.max_body, announced = 0;
    int lengths = 0;
    MHD_get_connection_values(exchange->connection, MHD_HEADER_KIND, count_length, &lengths);
    if (lengths > 1)
        return refuse(reply, 400,
                      "Content-Length and Transfer-Encoding: expected at most one of these, once");
    if (length && !lf_number_read(length, length + strlen(length), &announced))
        return refuse(reply, 400, "Content-Length %.32s: expected a number", length);
    return announced <= most || refuse_limit(reply, 413, "body bytes", most, announced);
}

static bool has_body(exchange *exchange) {
    const char *length = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Content-Length");
    return (length && strcmp(length, "0") != 0) ||
           MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Transfer-Encoding");
}

/// Look at the head of a request; false: it is refused.
static bool check_head(exchange *exchange) {
    request *request = &exchange->request;
    reply *reply = &exchange->reply;
    const char *encoding =
        MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Accept-Encoding");
    request->method = method_of(exchange->method);
    request->gzip = encoding && strstr(encoding, "gzip");
    request->if_none_match =
        MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "If-None-Match");
    if (!request_target(request, exchange->target, reply))
        return false;
    if (!request->method)
        return refuse(reply, 501, "method %.15s: expected GET, HEAD, POST, DELETE or OPTIONS",
                      exchange->method);
    if (!server_fit(request, reply) || !check_length(exchange))
        return false;
    return request->route->open || request->method == HTTP_OPTIONS ||
           keys_admit(&exchange->setup->keys, key_of(exchange), exchange->began, reply);
}

/// Take in a part of a body. What is beyond the limit is dropped, and much more than that closes the connection.
static bool take_body(exchange *exchange, const char *data, size_t size) {
    double most = exchange->setup->settings.max_body;
    if ((double)(exchange->body.count + size) > most) {
        refuse_limit(&exchange->reply, 413, "body bytes", most, (double)(exchange->body.count + size));
        exchange->reply.asked += exchange->reply.limit ? (double)size : 0;
        exchange->sent += size;
        return (double)exchange->sent <= 4 * most + 65536;
    }
    text_add(&exchange->body, data, size);
    return true;
}

/// The request is complete: answer it here, or let the workers.
static enum MHD_Result complete(exchange *exchange) {
    reply *reply = &exchange->reply;
    watch_set(exchange->watch, 0);
    if (reply->status == 200 && exchange->body.failed)
        refuse(reply, 503, "out of memory");
    if (reply->status != 200) {
        server_fail(&exchange->request, reply);
        return send_reply(exchange, has_body(exchange));
    }
    const route *route = exchange->request.route;
    if (route->peek && exchange->request.method != HTTP_OPTIONS && route->peek(&exchange->request, reply))
        return send_reply(exchange, false);
    if (!route->heavy && exchange->body.count <= INLINE_BODY) {
        exchange_run(exchange);
        return send_reply(exchange, false);
    }
    char number[LF_NUMBER_SIZE];
    const char *later =
        request_text(&exchange->request, "async", number); // of the query: the body has not been read
    if (later && strcmp(later, "true") == 0) {
        if (!job_begin(exchange))
            server_fail(&exchange->request, reply);
        return send_reply(exchange, false);
    }
    MHD_suspend_connection(exchange->connection);
    exchange->task.exchange = exchange;
    if (work_add(&exchange->http->work, exchange->http->server, &exchange->task))
        return MHD_YES;
    double most = (double)exchange->http->work.most;
    reply_header(reply, "Retry-After", "1");
    refuse_limit(reply, 503, "waiting requests", most, most + 1);
    server_fail(&exchange->request, reply);
    exchange->ready = true;
    MHD_resume_connection(exchange->connection);
    return MHD_YES;
}

static enum MHD_Result handle(void *user, struct MHD_Connection *connection, const char *url,
                              const char *method, const char *version, const char *data, size_t *size,
                              void **context) {
    exchange *exchange = *context;
    (void)user;
    (void)connection;
    (void)url;
    if (!exchange)
        return MHD_NO;
    if (!exchange->checked_in) {
        exchange->checked_in = exchange->counted = true;
        atomic_fetch_add(&exchange->http->server->active, 1);
        snprintf(exchange->method, sizeof exchange->method, "%s", method);
        snprintf(exchange->version, sizeof exchange->version, "%s", version);
        watch_set(exchange->watch, exchange->setup->settings.body_seconds);
        if (check_head(exchange) ||
            !has_body(exchange)) // what is wrong without a body is said in order, and the connection goes on
            return MHD_YES;
        server_fail(&exchange->request, &exchange->reply);
        return send_reply(exchange, true);
    }
    if (exchange->ready)
        return send_reply(exchange, false);
    if (*size > 0) {
        bool fine = take_body(exchange, data, *size);
        *size = 0;
        return fine ? MHD_YES : MHD_NO;
    }
    return complete(exchange);
}

static void done(void *user, struct MHD_Connection *connection, void **context,
                 enum MHD_RequestTerminationCode code) {
    http *http = user;
    exchange *exchange = *context;
    (void)connection;
    (void)code;
    if (!exchange)
        return;
    if (exchange->counted) {
        server_count(http->server, exchange->request.route, exchange->reply.status,
                     now_seconds() - exchange->began);
        atomic_fetch_add_explicit(&http->server->sent, exchange->sent, memory_order_relaxed);
        access_write(&http->log, exchange);
        atomic_fetch_sub(&http->server->active, 1);
    }
    watch_set(exchange->watch, exchange->setup->settings.idle_seconds);
    request_free(&exchange->request);
    reply_free(&exchange->reply);
    text_free(&exchange->body);
    memory_free(exchange->target);
    setup_release(exchange->setup);
    memory_free(exchange);
    *context = NULL;
}

const struct http_callbacks http_callbacks = {handle, begin, done};
