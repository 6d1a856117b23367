/// Threads for long requests, and when these are given up.
#include "jobs.h"
#include <poll.h>

void exchange_run(exchange *exchange) {
    request *request = &exchange->request;
    reply *reply = &exchange->reply;
    const char *type = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Content-Type");
    if (request_body(request, type, exchange->body.bytes, exchange->body.count, reply))
        server_answer(request, reply);
    else
        server_fail(request, reply);
    exchange->ready = true;
}

bool exchange_goes_on(void *user, const char *stage, int64_t done, int64_t total) {
    exchange *exchange = user;
    double now = now_seconds();
    (void)stage;
    (void)done;
    (void)total;
    if (atomic_load(&exchange->http->server->stopping))
        return refuse(&exchange->reply, 503, "shutting down");
    if (now > exchange->deadline) {
        double most = exchange->setup->settings.max_seconds;
        return refuse_limit(&exchange->reply, 503, "seconds", most, now - exchange->began);
    }
    if (now - exchange->checked < 0.05 || !exchange->watch)
        return true;
    exchange->checked = now;
    struct pollfd socket = {exchange->watch->socket, POLLRDHUP, 0};
    if (poll(&socket, 1, 0) > 0 && socket.revents & (POLLRDHUP | POLLHUP | POLLERR)) {
        atomic_fetch_add(&exchange->http->server->cancelled, 1);
        return refuse(&exchange->reply, 499, "the client closed the connection");
    }
    return true;
}

bool work_add(work *work, server *server, task *task) {
    pthread_mutex_lock(&work->lock);
    bool space = work->waiting < work->most && !work->ended;
    if (space) {
        task->next = NULL;
        if (work->last)
            work->last->next = task;
        else
            work->first = task;
        work->last = task;
        work->waiting++;
        atomic_fetch_add(&server->waiting, 1);
        pthread_cond_signal(&work->more);
    }
    pthread_mutex_unlock(&work->lock);
    return space;
}

static task *take(work *work) {
    pthread_mutex_lock(&work->lock);
    while (!work->first && !work->ended)
        pthread_cond_wait(&work->more, &work->lock);
    task *task = work->first;
    if (task) {
        work->first = task->next;
        if (!work->first)
            work->last = NULL;
        work->waiting--;
    }
    pthread_mutex_unlock(&work->lock);
    return task;
}

static void *run(void *user) {
    for (task *task; (task = take(user));) {
        exchange *exchange = task->exchange;
        if (task->job) {
            job_run(task->job);
            continue;
        }
        struct MHD_Connection *connection = exchange->connection;
        atomic_fetch_sub(&exchange->http->server->waiting, 1);
        exchange->deadline = now_seconds() + exchange->setup->settings.max_seconds;
        exchange_run(exchange);
        MHD_resume_connection(connection);
    }
    return NULL;
}

bool work_start(work *work, int threads, int64_t most) {
    pthread_mutex_init(&work->lock, NULL);
    pthread_cond_init(&work->more, NULL);
    work->most = most;
    work->threads = memory_take((size_t)threads * sizeof *work->threads);
    while (work->threads && work->thread_count < threads &&
           pthread_create(&work->threads[work->thread_count], NULL, run, work) == 0)
        work->thread_count++;
    return work->thread_count == threads;
}

void work_end(work *work) {
    pthread_mutex_lock(&work->lock);
    work->ended = true;
    pthread_cond_broadcast(&work->more);
    pthread_mutex_unlock(&work->lock);
    for (int i = 0; i < work->thread_count; i++)
        pthread_join(work->threads[i], NULL);
    memory_free(work->threads);
    pthread_cond_destroy(&work->more);
    pthread_mutex_destroy(&work->lock);
}
