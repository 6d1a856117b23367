/// The access log, and who a client is behind trusted proxies.
#include "exchange.h"
#include <arpa/inet.h>
#include <netinet/in.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

// ---- Addresses ----------------------------------------------------------------------------------

typedef struct address {
    int family; ///< 0: none
    unsigned char bytes[16];
} address;

static address parse_address(const char *text) {
    address found = {0};
    if (inet_pton(AF_INET, text, found.bytes) == 1)
        found.family = AF_INET;
    else if (inet_pton(AF_INET6, text, found.bytes) == 1)
        found.family = AF_INET6;
    return found;
}

/// Is a client's address within ADDRESS[/BITS]?
static bool matches(const char *rule, const address *client) {
    char text[64];
    const char *slash = strchr(rule, '/');
    snprintf(text, sizeof text, "%.*s", (int)(slash ? slash - rule : (int)strlen(rule)), rule);
    address own = parse_address(text);
    int bits = slash ? atoi(slash + 1) : own.family == AF_INET ? 32 : 128;
    if (own.family == 0 || own.family != client->family || bits < 0 ||
        bits > (own.family == AF_INET ? 32 : 128))
        return false;
    for (int i = 0; i < bits; i++)
        if ((own.bytes[i / 8] ^ client->bytes[i / 8]) >> (7 - i % 8) & 1)
            return false;
    return true;
}

static bool trusted(const settings *settings, const char *text) {
    address client = parse_address(text);
    for (int64_t i = 0; client.family && i < settings->trust.count; i++)
        if (matches(settings->trust.items[i], &client))
            return true;
    return false;
}

static void socket_address(const exchange *exchange, char out[64]) {
    const union MHD_ConnectionInfo *info =
        MHD_get_connection_info(exchange->connection, MHD_CONNECTION_INFO_CLIENT_ADDRESS);
    const struct sockaddr *client = info ? info->client_addr : NULL;
    snprintf(out, 64, "-");
    if (client && client->sa_family == AF_INET)
        inet_ntop(AF_INET, &((const struct sockaddr_in *)(const void *)client)->sin_addr, out, 64);
    else if (client && client->sa_family == AF_INET6)
        inet_ntop(AF_INET6, &((const struct sockaddr_in6 *)(const void *)client)->sin6_addr, out, 64);
}

/// The client: the last address of X-Forwarded-For that is not a trusted proxy, as long as all after it are.
static void client_address(const exchange *exchange, char out[64]) {
    const settings *settings = &exchange->setup->settings;
    socket_address(exchange, out);
    const char *list = settings->trust.count ? MHD_lookup_connection_value(exchange->connection,
                                                                           MHD_HEADER_KIND, "X-Forwarded-For")
                                             : NULL;
    size_t end = list ? strlen(list) : 0;
    while (end > 0 && trusted(settings, out)) {
        size_t from = end;
        while (from > 0 && list[from - 1] != ',')
            from--;
        const char *at = list + from;
        size_t length = end - from, blanks = strspn(at, " ");
        char one[64];
        blanks = blanks < length ? blanks : length;
        snprintf(one, sizeof one, "%.*s", (int)(length - blanks < 63 ? length - blanks : 63), at + blanks);
        one[strcspn(one, " ")] = '\0';
        if (!parse_address(one).family)
            return;
        memcpy(out, one, sizeof one);
        end = from > 0 ? from - 1 : 0;
    }
}

// ---- Lines --------------------------------------------------------------------------------------

bool access_open(access_log *log, const settings *settings, complaint *why) {
    pthread_mutex_init(&log->lock, NULL);
    log->json = strcmp(settings->log_format, "json") == 0;
    if (!settings->access_log)
        return true;
    log->file = strcmp(settings->access_log, "-") == 0 ? stdout : fopen(settings->access_log, "a");
    return log->file || complain(why, "--access-log %s: cannot be written", settings->access_log);
}

void access_close(access_log *log) {
    if (log->file && log->file != stdout)
        fclose(log->file);
    pthread_mutex_destroy(&log->lock);
}

static void write_json(text *line, const exchange *exchange, const char *client, const char *time) {
    json out = {line, &json_compact, 0, false};
    put_open(&out, NULL, '{');
    put_text(&out, "time", time);
    put_text(&out, "client", client);
    put_text(&out, "method", exchange->method);
    put_text(&out, "target", exchange->target);
    put_integer(&out, "status", exchange->reply.status);
    put_integer(&out, "bytes", (int64_t)exchange->sent);
    put_number(&out, "seconds", (double)(int64_t)((now_seconds() - exchange->began) * 1e6) / 1e6);
    put_close(&out, '}');
}

/// A target without quotes and control characters, so that no client can forge lines.
static void write_target(text *line, const char *target) {
    for (const char *c = target; *c; c++)
        if ((unsigned char)*c < 0x20 || *c == '"' || *c == '\\' || (unsigned char)*c >= 0x7f)
            text_format(line, "\\x%02x", (unsigned char)*c);
        else
            text_byte(line, *c);
}

void access_write(access_log *log, exchange *exchange) {
    char client[64], stamp[64];
    struct tm parts;
    text line = {0};
    if (!log->file)
        return;
    time_t now = time(NULL);
    gmtime_r(&now, &parts);
    strftime(stamp, sizeof stamp, log->json ? "%Y-%m-%dT%H:%M:%SZ" : "%d/%b/%Y:%H:%M:%S +0000", &parts);
    client_address(exchange, client);
    if (log->json) {
        write_json(&line, exchange, client, stamp);
    } else {
        text_format(&line, "%s - - [%s] \"%s ", client, stamp, exchange->method);
        write_target(&line, exchange->target ? exchange->target : "-");
        text_format(&line, " %s\" %d %zu", exchange->version, exchange->reply.status, exchange->sent);
    }
    text_byte(&line, '\n');
    pthread_mutex_lock(&log->lock);
    if (!line.failed) {
        fwrite(line.bytes, 1, line.count, log->file);
        fflush(log->file);
    }
    pthread_mutex_unlock(&log->lock);
    text_free(&line);
}
