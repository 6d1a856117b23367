#include "jobs.h"
#include <inttypes.h>
#include <string.h>
#include <sys/random.h>

#define JOBS 256     // kept at once, running or not
#define KEPT 600.0   // seconds that a reply is kept
#define LISTENERS 16 // who follow one job

typedef enum job_state { JOB_WAITING, JOB_RUNNING, JOB_DONE, JOB_FAILED, JOB_CANCELLED } job_state;

static const char *const state_names[] = {"waiting", "running", "done", "failed", "cancelled"};

struct job {
    server *server;
    setup *setup;
    char id[24];
    char *target, *body, *type;
    size_t body_size;
    http_method method;
    job_state state;
    bool cancel;
    char stage[32];
    int64_t done, total;
    uint64_t version; ///< counts changes
    double ended, deadline;
    reply reply;
    int users; ///< the table, the worker, and those who follow it
    struct MHD_Connection *listeners[LISTENERS];
    int listener_count;
    job *next;
    task task;
};

/// All jobs of a server. One lock is enough: they change a few times a second.
static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static job *first;
static int job_count;

static void free_job(job *job) {
    reply_free(&job->reply);
    memory_free(job->target);
    memory_free(job->body);
    memory_free(job->type);
    setup_release(job->setup);
    memory_free(job);
}

/// One user less; under the lock.
static void leave(job *job) {
    if (--job->users == 0)
        free_job(job);
}

/// Wake those who follow a job; under the lock.
static void wake(job *job) {
    for (int i = 0; i < job->listener_count; i++)
        MHD_resume_connection(job->listeners[i]);
    job->listener_count = 0;
}

static void change(job *job, job_state state) {
    job->state = state;
    job->version++;
    wake(job);
}

// ---- Begin and run ------------------------------------------------------------------------------

static job *make_job(exchange *exchange) {
    job *made = memory_take(sizeof *made);
    uint64_t random[1];
    if (!made)
        return NULL;
    memset(made, 0, sizeof *made);
    if (getrandom(random, sizeof random, 0) != sizeof random)
        random[0] = (uint64_t)(now_seconds() * 1e9);
    const char *type = MHD_lookup_connection_value(exchange->connection, MHD_HEADER_KIND, "Content-Type");
    snprintf(made->id, sizeof made->id, "%016" PRIx64, random[0]);
    made->server = exchange->http->server;
    made->setup = setup_hold(exchange->setup);
    made->target = memory_copy(exchange->target);
    made->type = memory_copy(type ? type : "");
    made->body_size = exchange->body.count;
    made->body = memory_take(exchange->body.count + 1);
    made->method = exchange->request.method;
    made->reply = (reply){.status = 200};
    made->users = 2;
    if (!made->target || !made->type || !made->body) {
        free_job(made);
        return NULL;
    }
    if (made->body_size)
        memcpy(made->body, exchange->body.bytes, made->body_size);
    return made;
}

static void write_state(const job *job, reply *reply) {
    json out = {&reply->body, &json_compact, 0, false};
    reply->type = "application/json";
    put_open(&out, NULL, '{');
    put_text(&out, "id", job->id);
    put_text(&out, "status", state_names[job->state]);
    if (job->stage[0])
        put_text(&out, "stage", job->stage);
    put_integer(&out, "done", job->done);
    put_integer(&out, "total", job->total);
    if (job->state >= JOB_DONE)
        put_integer(&out, "code", job->reply.status);
    put_close(&out, '}');
}

bool job_begin(exchange *exchange) {
    reply *reply = &exchange->reply;
    job *made = make_job(exchange);
    if (!made)
        return refuse(reply, 503, "out of memory");
    pthread_mutex_lock(&lock);
    bool space = job_count < JOBS;
    if (space) {
        made->next = first;
        first = made;
        job_count++;
        write_state(made, reply);
    }
    pthread_mutex_unlock(&lock);
    if (!space) {
        free_job(made);
        return refuse_limit(reply, 503, "jobs", JOBS, JOBS + 1);
    }
    reply->status = 202;
    reply_header(reply, "Location", "/v1/jobs/%s", made->id);
    made->task.job = made;
    if (work_add(&exchange->http->work, made->server, &made->task))
        return true;
    pthread_mutex_lock(&lock);
    made->cancel = true;
    made->ended = now_seconds();
    change(made, JOB_CANCELLED);
    leave(made);
    pthread_mutex_unlock(&lock);
    text_free(&reply->body);
    return refuse_limit(reply, 503, "waiting requests", (double)exchange->http->work.most,
                        (double)exchange->http->work.most + 1);
}

static bool job_goes_on(void *user, const char *stage, int64_t done, int64_t total) {
    job *job = user;
    pthread_mutex_lock(&lock);
    snprintf(job->stage, sizeof job->stage, "%s", stage ? stage : "");
    job->done = done;
    job->total = total;
    job->version++;
    bool goes_on = !job->cancel && !atomic_load(&job->server->stopping);
    pthread_mutex_unlock(&lock);
    if (goes_on && now_seconds() > job->deadline)
        return refuse_limit(&job->reply, 503, "seconds", job->setup->settings.max_seconds,
                            job->setup->settings.max_seconds + 1);
    return goes_on || refuse(&job->reply, 499, "cancelled");
}

void job_run(job *job) {
    request request = {.server = job->server,
                       .settings = &job->setup->settings,
                       .data = job->setup->data,
                       .method = job->method};
    atomic_fetch_sub(&job->server->waiting, 1);
    request.progress = (lf_progress){job, job_goes_on};
    job->deadline = now_seconds() + job->setup->settings.max_seconds;
    pthread_mutex_lock(&lock);
    bool cancelled = job->cancel;
    if (!cancelled)
        change(job, JOB_RUNNING);
    pthread_mutex_unlock(&lock);
    reply *reply = &job->reply;
    if (cancelled)
        refuse(reply, 499, "cancelled");
    if (!cancelled && request_target(&request, job->target, reply) && server_fit(&request, reply) &&
        request_body(&request, job->type, job->body, job->body_size, reply))
        server_answer(&request, reply);
    else
        server_fail(&request, reply);
    request_free(&request);
    pthread_mutex_lock(&lock);
    job->ended = now_seconds();
    change(job, job->cancel ? JOB_CANCELLED : reply->status < 400 ? JOB_DONE : JOB_FAILED);
    leave(job);
    pthread_mutex_unlock(&lock);
}

// ---- Show and follow ----------------------------------------------------------------------------

/// The job of "ID" or "ID/..."; under the lock.
static job *find(const char *text) {
    size_t length = strcspn(text, "/");
    for (job *job = first; job; job = job->next)
        if (strlen(job->id) == length && strncmp(job->id, text, length) == 0)
            return job;
    return NULL;
}

/// A copy of a finished reply.
static void copy_reply(const job *job, reply *reply) {
    reply->status = job->reply.status;
    reply->type = job->reply.type;
    if (job->reply.blob)
        reply->blob = blob_hold(job->reply.blob);
    else
        text_add(&reply->body, job->reply.body.bytes, job->reply.body.count);
    memcpy(reply->headers, job->reply.headers, sizeof reply->headers);
    reply->header_count = job->reply.header_count;
}

void job_show(request *request, reply *reply) {
    const char *rest = strchr(request->tail, '/');
    pthread_mutex_lock(&lock);
    job *job = find(request->tail);
    if (!job || (rest && strcmp(rest, "/result") != 0)) {
        refuse(reply, 404, "job %.40s: there is no such job", request->tail);
    } else if (request->method == HTTP_DELETE) {
        job->cancel = true;
        if (job->state == JOB_WAITING) {
            job->ended = now_seconds();
            change(job, JOB_CANCELLED);
        }
        write_state(job, reply);
    } else if (!rest) {
        write_state(job, reply);
    } else if (job->state < JOB_DONE) {
        refuse(reply, 409, "job %s: is %s", job->id, state_names[job->state]);
    } else {
        copy_reply(job, reply);
    }
    pthread_mutex_unlock(&lock);
}

/// One who follows a job.
typedef struct follower {
    job *job;
    struct MHD_Connection *connection;
    uint64_t seen;
    double last;
    bool ended;
} follower;

/// The next event, or nothing so far: the connection then sleeps until there is one.
static ssize_t next_event(void *user, uint64_t position, char *out, size_t most) {
    follower *follower = user;
    job *job = follower->job;
    text event = {0};
    (void)position;
    if (follower->ended)
        return MHD_CONTENT_READER_END_OF_STREAM;
    pthread_mutex_lock(&lock);
    bool ends = job->state >= JOB_DONE;
    if (ends || follower->seen != job->version + 1) {
        struct reply state = {0};
        write_state(job, &state);
        text_format(&event, "event: %s\ndata: ", ends ? "end" : "progress");
        text_add(&event, state.body.bytes, state.body.count);
        text_put(&event, "\n\n");
        text_free(&state.body);
        follower->seen = job->version + 1;
        follower->ended = ends;
    } else if (now_seconds() - follower->last > 5) {
        text_put(&event, ": still there\n\n"); // finds out whether the client is
    } else if (job->listener_count < LISTENERS) {
        job->listeners[job->listener_count++] = follower->connection;
        MHD_suspend_connection(follower->connection);
    }
    pthread_mutex_unlock(&lock);
    size_t count = event.failed || event.count > most ? 0 : event.count;
    if (count) {
        memcpy(out, event.bytes, count);
        follower->last = now_seconds();
    }
    text_free(&event);
    return (ssize_t)count;
}

static void end_following(void *user) {
    follower *follower = user;
    pthread_mutex_lock(&lock);
    leave(follower->job);
    pthread_mutex_unlock(&lock);
    memory_free(follower);
}

struct MHD_Response *job_events(exchange *exchange) {
    const request *request = &exchange->request;
    const char *rest = request->tail ? strchr(request->tail, '/') : NULL;
    if (!request->route || strcmp(request->route->path, "/v1/jobs/") != 0 || !rest ||
        strcmp(rest, "/events") != 0)
        return NULL;
    follower *made = memory_take(sizeof *made);
    if (!made)
        return NULL;
    pthread_mutex_lock(&lock);
    job *job = find(request->tail);
    if (job && job->users > LISTENERS)
        job = NULL;
    if (job)
        job->users++;
    pthread_mutex_unlock(&lock);
    *made = (follower){.job = job, .connection = exchange->connection, .last = now_seconds()};
    if (!job) {
        memory_free(made);
        return NULL;
    }
    struct MHD_Response *response =
        MHD_create_response_from_callback(MHD_SIZE_UNKNOWN, 2048, next_event, made, end_following);
    if (response) {
        MHD_add_response_header(response, "Content-Type", "text/event-stream");
        MHD_add_response_header(response, "Cache-Control", "no-store");
    } else {
        end_following(made);
    }
    return response;
}

// ---- Keep and forget ----------------------------------------------------------------------------

void jobs_tick(server *server) {
    double now = now_seconds();
    (void)server;
    pthread_mutex_lock(&lock);
    for (job **at = &first; *at;) {
        job *job = *at;
        wake(job);
        if (job->state >= JOB_DONE && now - job->ended > KEPT) {
            *at = job->next;
            job_count--;
            leave(job);
        } else {
            at = &job->next;
        }
    }
    pthread_mutex_unlock(&lock);
}

void jobs_end(server *server) {
    (void)server;
    pthread_mutex_lock(&lock);
    while (first) {
        job *job = first;
        first = job->next;
        job_count--;
        job->cancel = true;
        if (job->state < JOB_DONE)
            change(job, JOB_CANCELLED);
        wake(job);
        leave(job);
    }
    pthread_mutex_unlock(&lock);
}
