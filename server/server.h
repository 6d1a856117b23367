/// The running server: what a request is answered with, and what is counted.
#ifndef SERVER_SERVER_H
#define SERVER_SERVER_H

#include "request.h"

// ---- Routes -------------------------------------------------------------------------------------

struct route {
    const char *path; ///< a prefix where it ends in /
    unsigned methods; ///< of http_method; HEAD comes with GET
    bool heavy;       ///< runs on the workers
    bool open;        ///< needs no key
    void (*run)(request *request, reply *reply);
    void (*error)(const request *request, reply *reply);
    bool (*peek)(request *request, reply *reply); ///< answers at once what was made before; or NULL
};

#define ROUTES 48

extern const route routes[];
int route_count(void);

/// The route of a path, and what follows a prefix; NULL: none.
const route *route_find(const char *path, const char **tail);

// ---- Keys ---------------------------------------------------------------------------------------

/// A client's key with its own rate: a bucket of requests that fills with time.
typedef struct key {
    char *text;
    double rate, burst; ///< requests per second, and at once; rate 0: no limit
    double filled, since;
} key;

typedef struct keys {
    key *list;
    int64_t count;
    pthread_mutex_t lock;
} keys;

bool keys_read(keys *keys, const char *path, complaint *why);
bool keys_parse(keys *keys, const char *text, size_t size, complaint *why);
void keys_free(keys *keys);

/// May this key make a request now? False: status, message and Retry-After are set.
bool keys_admit(keys *keys, const char *text, double now, reply *reply);

// ---- Settings in force --------------------------------------------------------------------------

/// What a reload replaces; requests keep theirs until they are done.
typedef struct setup {
    atomic_int users;
    settings settings;
    datasets *data;
    keys keys;
    uint64_t generation; ///< counts reloads
} setup;

bool setup_open(int count, char **words, setup **opened, bool *help, complaint *why);
setup *setup_hold(setup *setup);
void setup_release(setup *setup);

// ---- Counters -----------------------------------------------------------------------------------

#define LATENCIES 9

typedef struct route_counters {
    atomic_uint_fast64_t classes[6]; ///< replies by hundreds of their status
    atomic_uint_fast64_t slower[LATENCIES + 1];
    atomic_uint_fast64_t microseconds;
} route_counters;

typedef struct cache cache;

struct server {
    pthread_mutex_t lock; ///< of `current`
    setup *current;
    atomic_int connections, active, waiting;
    atomic_uint_fast64_t cancelled, timed_out, received, sent, reloads;
    atomic_bool draining, stopping;
    route_counters counters[ROUTES + 1]; ///< the last one is of no route
    cache *cache;
    double started;
};

/// Seconds that only go up.
double now_seconds(void);

/// The settings in force, held.
setup *server_setup(server *server);

/// Answer a request: find its route, check it, run it. `fit` checks a route before the body is there.
bool server_fit(request *request, reply *reply);
void server_answer(request *request, reply *reply);

/// Write the message of a reply that failed in the form of its route.
void server_fail(request *request, reply *reply);

void server_count(server *server, const route *route, int status, double seconds);
/// The files of the viewer, and those of datasets.
void viewer_file(request *request, reply *reply);
void viewer_dataset(request *request, reply *reply);

void metrics(request *request, reply *reply);
void healthz(request *request, reply *reply);

#endif
