/// Settings in force, counters and what they say: /healthz and /metrics.
#include "cache.h"
#include <stdio.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

double now_seconds(void) {
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + 1e-9 * (double)time.tv_nsec;
}

// ---- Settings in force --------------------------------------------------------------------------

bool setup_open(int count, char **words, setup **opened, bool *help, complaint *why) {
    setup *made = memory_take(sizeof *made);
    if (!made)
        return complain(why, "out of memory");
    *made = (setup){0};
    atomic_init(&made->users, 1);
    pthread_mutex_init(&made->keys.lock, NULL);
    bool fine = settings_start(&made->settings) || complain(why, "out of memory");
    fine = fine && settings_read(&made->settings, count, words, help, why);
    if (fine && !*help)
        fine = (!made->settings.keys || keys_read(&made->keys, made->settings.keys, why)) &&
               datasets_open(&made->settings, &made->data, why);
    if (fine)
        *opened = made;
    else
        setup_release(made);
    return fine;
}

setup *setup_hold(setup *setup) {
    atomic_fetch_add(&setup->users, 1);
    return setup;
}

void setup_release(setup *setup) {
    if (!setup || atomic_fetch_sub(&setup->users, 1) > 1)
        return;
    datasets_release(setup->data);
    keys_free(&setup->keys);
    pthread_mutex_destroy(&setup->keys.lock);
    settings_free(&setup->settings);
    memory_free(setup);
}

setup *server_setup(server *server) {
    pthread_mutex_lock(&server->lock);
    setup *held = setup_hold(server->current);
    pthread_mutex_unlock(&server->lock);
    return held;
}

// ---- Counters -----------------------------------------------------------------------------------

static const double bounds[LATENCIES] = {0.0005, 0.001, 0.005, 0.01, 0.05, 0.1, 0.5, 1, 5};

void server_count(server *server, const route *route, int status, double seconds) {
    route_counters *counters = &server->counters[route ? route - routes : ROUTES];
    int bucket = 0;
    while (bucket < LATENCIES && seconds > bounds[bucket])
        bucket++;
    atomic_fetch_add_explicit(&counters->classes[status / 100 < 6 ? status / 100 : 5], 1,
                              memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->slower[bucket], 1, memory_order_relaxed);
    atomic_fetch_add_explicit(&counters->microseconds, (uint64_t)(seconds * 1e6), memory_order_relaxed);
}

static void write_route(text *out, const route_counters *counters, const char *path) {
    uint64_t sum = 0;
    for (int c = 1; c < 6; c++) {
        unsigned long long count = atomic_load(&counters->classes[c]);
        if (count > 0)
            text_format(out, "landfall_requests_total{route=\"%s\",code=\"%dxx\"} %llu\n", path, c, count);
    }
    for (int k = 0; k <= LATENCIES; k++)
        sum += atomic_load(&counters->slower[k]);
    if (sum == 0)
        return;
    sum = 0;
    for (int k = 0; k <= LATENCIES; k++) {
        char bound[32] = "+Inf";
        sum += atomic_load(&counters->slower[k]);
        if (k < LATENCIES)
            snprintf(bound, sizeof bound, "%g", bounds[k]);
        text_format(out, "landfall_request_seconds_bucket{route=\"%s\",le=\"%s\"} %llu\n", path, bound,
                    (unsigned long long)sum);
    }
    text_format(out, "landfall_request_seconds_sum{route=\"%s\"} %.6f\n", path,
                1e-6 * (double)atomic_load(&counters->microseconds));
    text_format(out, "landfall_request_seconds_count{route=\"%s\"} %llu\n", path, (unsigned long long)sum);
}

/// Bytes of memory that the system holds for this process; 0 where it does not say.
static double resident(void) {
    long long total = 0, pages = 0;
    FILE *file = fopen("/proc/self/statm", "r");
    if (!file)
        return 0;
    if (fscanf(file, "%lld %lld", &total, &pages) != 2)
        pages = 0;
    fclose(file);
    return (double)pages * (double)sysconf(_SC_PAGESIZE);
}

static void write_value(text *out, const char *name, const char *type, double value) {
    text_format(out, "# TYPE landfall_%s %s\nlandfall_%s ", name, type, name);
    text_number(out, value, NUMBER_SHORT, 0);
    text_byte(out, '\n');
}

void metrics(request *request, reply *reply) {
    server *server = request->server;
    text *out = &reply->body;
    reply->type = "text/plain; version=0.0.4; charset=utf-8";
    text_put(out, "# TYPE landfall_requests_total counter\n# TYPE landfall_request_seconds histogram\n");
    for (int i = 0; i < route_count(); i++)
        write_route(out, &server->counters[i], routes[i].path);
    write_route(out, &server->counters[ROUTES], "none");
    write_value(out, "connections", "gauge", atomic_load(&server->connections));
    write_value(out, "requests_active", "gauge", atomic_load(&server->active));
    write_value(out, "requests_waiting", "gauge", atomic_load(&server->waiting));
    write_value(out, "requests_cancelled_total", "counter", (double)atomic_load(&server->cancelled));
    write_value(out, "connections_timed_out_total", "counter", (double)atomic_load(&server->timed_out));
    write_value(out, "sent_bytes_total", "counter", (double)atomic_load(&server->sent));
    write_value(out, "reloads_total", "counter", (double)atomic_load(&server->reloads));
    cache_counts kept = cache_count(server->cache);
    write_value(out, "cache_hits_total", "counter", kept.hits);
    write_value(out, "cache_misses_total", "counter", kept.misses);
    write_value(out, "cache_bytes", "gauge", kept.bytes);
    write_value(out, "cache_entries", "gauge", kept.entries);
    write_value(out, "datasets", "gauge", request->data->count);
    write_value(out, "resident_bytes", "gauge", resident());
    write_value(out, "uptime_seconds", "gauge", now_seconds() - server->started);
}

void healthz(request *request, reply *reply) {
    reply->type = "application/json";
    if (atomic_load(&request->server->draining)) {
        reply->status = 503;
        snprintf(reply->message, sizeof reply->message, "shutting down");
        return;
    }
    text_format(&reply->body, "{\"status\":\"ok\",\"version\":\"%s\",\"datasets\":%d}", lf_version(),
                request->data->count);
}
