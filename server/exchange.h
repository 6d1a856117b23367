/// A connection, a request on it, and the threads that work on them.
#ifndef SERVER_EXCHANGE_H
#define SERVER_EXCHANGE_H

#include "http.h"
#include <microhttpd.h>
#include <stdio.h>

/// An open connection and until when it may take for what it is doing.
typedef struct watch {
    int socket;
    atomic_int_fast64_t deadline; ///< milliseconds of now_seconds; 0: none
    struct watch *before, *after;
} watch;

typedef struct exchange exchange;

/// What waits for a worker: a request whose client waits too, or a job.
typedef struct task {
    exchange *exchange;
    job *job;
    struct task *next;
} task;

struct exchange {
    http *http;
    struct MHD_Connection *connection;
    watch *watch;
    setup *setup;
    char *target;
    char method[16], version[16];
    request request;
    reply reply;
    text body;
    double began, deadline, checked;
    bool checked_in; ///< the head has been looked at
    bool ready;      ///< the reply is there
    bool counted;    ///< among the active ones
    size_t sent;
    task task;
};

/// Long requests that wait for a thread.
typedef struct work {
    pthread_mutex_t lock;
    pthread_cond_t more;
    task *first, *last;
    int64_t waiting, most;
    bool ended;
    pthread_t *threads;
    int thread_count;
} work;

/// The access log.
typedef struct access_log {
    pthread_mutex_t lock;
    FILE *file; ///< NULL: none
    bool json;
} access_log;

struct http {
    server *server;
    struct MHD_Daemon *daemon;
    work work;
    access_log log;
    pthread_mutex_t watch_lock;
    watch *watches;
    pthread_t watcher;
    pthread_cond_t watch_end;
    bool watcher_runs, watch_ended;
    char *certificate, *tls_key;
};

/// What libmicrohttpd calls for a request: with its first line, with its head and body, and at its end.
struct http_callbacks {
    MHD_AccessHandlerCallback handle;
    void *(*begin)(void *user, const char *target, struct MHD_Connection *connection);
    MHD_RequestCompletedCallback done;
};
extern const struct http_callbacks http_callbacks;

bool work_start(work *work, int threads, int64_t most);
void work_end(work *work);

/// Hand a task to the workers; false when too many wait.
bool work_add(work *work, server *server, task *task);

/// Parse the body and answer; on whichever thread.
void exchange_run(exchange *exchange);

/// lf_progress of a request: false when its client is gone, its time is over or the server stops.
bool exchange_goes_on(void *user, const char *stage, int64_t done, int64_t total);

bool watch_start(http *http);
void watch_stop(http *http);
void watch_connection(void *user, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode code);

/// Give a connection so many seconds for what comes now; 0: any time.
void watch_set(watch *watch, double seconds);

bool access_open(access_log *log, const settings *settings, complaint *why);
void access_write(access_log *log, exchange *exchange);
void access_close(access_log *log);

#endif
