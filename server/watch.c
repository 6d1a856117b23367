/// Deadlines of connections: slow clients are cut off, however steadily they trickle.
#include "jobs.h"
#include <sys/socket.h>
#include <time.h>

void watch_set(watch *watch, double seconds) {
    if (watch)
        atomic_store(&watch->deadline, seconds > 0 ? (int64_t)((now_seconds() + seconds) * 1000) : 0);
}

static void link_in(http *http, watch *watch) {
    pthread_mutex_lock(&http->watch_lock);
    watch->after = http->watches;
    if (watch->after)
        watch->after->before = watch;
    http->watches = watch;
    pthread_mutex_unlock(&http->watch_lock);
}

static void link_out(http *http, watch *watch) {
    pthread_mutex_lock(&http->watch_lock);
    if (watch->before)
        watch->before->after = watch->after;
    else
        http->watches = watch->after;
    if (watch->after)
        watch->after->before = watch->before;
    pthread_mutex_unlock(&http->watch_lock);
}

void watch_connection(void *user, struct MHD_Connection *connection, void **context,
                      enum MHD_ConnectionNotificationCode code) {
    http *http = user;
    watch *own = *context;
    if (code == MHD_CONNECTION_NOTIFY_STARTED) {
        const union MHD_ConnectionInfo *info =
            MHD_get_connection_info(connection, MHD_CONNECTION_INFO_CONNECTION_FD);
        atomic_fetch_add(&http->server->connections, 1);
        own = memory_take(sizeof *own);
        if (!own)
            return; // libmicrohttpd's own timeout is left
        *own = (watch){.socket = info ? info->connect_fd : -1};
        setup *setup = server_setup(http->server);
        watch_set(own, setup->settings.idle_seconds);
        setup_release(setup);
        *context = own;
        link_in(http, own);
        return;
    }
    atomic_fetch_sub(&http->server->connections, 1);
    if (own) {
        link_out(http, own);
        memory_free(own);
        *context = NULL;
    }
}

/// Shut the sockets whose time is over; libmicrohttpd then closes them.
static void look(http *http) {
    int64_t now = (int64_t)(now_seconds() * 1000);
    pthread_mutex_lock(&http->watch_lock);
    for (watch *watch = http->watches; watch; watch = watch->after) {
        int64_t deadline = atomic_load(&watch->deadline);
        if (deadline > 0 && deadline < now && watch->socket >= 0) {
            shutdown(watch->socket, SHUT_RDWR);
            atomic_store(&watch->deadline, 0);
            atomic_fetch_add(&http->server->timed_out, 1);
        }
    }
    pthread_mutex_unlock(&http->watch_lock);
}

static void *watch_run(void *user) {
    http *http = user;
    for (;;) {
        struct timespec until;
        clock_gettime(CLOCK_REALTIME, &until);
        until.tv_nsec += 250000000;
        until.tv_sec += until.tv_nsec / 1000000000;
        until.tv_nsec %= 1000000000;
        pthread_mutex_lock(&http->watch_lock);
        if (!http->watch_ended)
            pthread_cond_timedwait(&http->watch_end, &http->watch_lock, &until);
        bool ended = http->watch_ended;
        pthread_mutex_unlock(&http->watch_lock);
        if (ended)
            break;
        look(http);
        jobs_tick(http->server);
    }
    return NULL;
}

bool watch_start(http *http) {
    http->watcher_runs = pthread_create(&http->watcher, NULL, watch_run, http) == 0;
    return http->watcher_runs;
}

void watch_stop(http *http) {
    if (!http->watcher_runs)
        return;
    pthread_mutex_lock(&http->watch_lock);
    http->watch_ended = true;
    pthread_cond_signal(&http->watch_end);
    pthread_mutex_unlock(&http->watch_lock);
    pthread_join(http->watcher, NULL);
}
