/// Long requests that are not waited for: polled by an id, followed by server-sent events, cancelled.
#ifndef SERVER_JOBS_H
#define SERVER_JOBS_H

#include "exchange.h"

/// Begin a job for a request with async=true; the reply tells its id. False: it was refused.
bool job_begin(exchange *exchange);

/// /v1/jobs/ID, /v1/jobs/ID/result: the state of a job, or its reply.
void job_show(request *request, reply *reply);

/// /v1/jobs/ID/events as a response of its own; NULL: it is no such request, or there is no such job.
struct MHD_Response *job_events(exchange *exchange);

/// Run a job on a worker.
void job_run(job *job);

/// Let those who follow jobs look again, and forget old jobs; called now and then.
void jobs_tick(server *server);

/// Cancel and forget all of them.
void jobs_end(server *server);

#endif
