#include "base/base.h"
#include <stdio.h>

void lf__run(const lf_tasks *tasks, int64_t count, int64_t grain, lf_task *task, void *job) {
    if (count <= 0)
        return;
    if (tasks && tasks->run && count > grain)
        tasks->run(tasks->user, count, grain, task, job);
    else
        task(job, 0, count, 0);
}

bool lf__report(const lf_host *host, const char *stage, int64_t done, int64_t total) {
    if (!host || !host->progress || !host->progress->report)
        return true;
    return host->progress->report(host->progress->user, stage, done, total);
}

void lf__log(const lf_host *host, lf_log_level level, const char *format, ...) {
    if (!host || !host->log || !host->log->write)
        return;
    char text[512];
    va_list arguments;
    va_start(arguments, format);
    lf__format(text, sizeof text, format, arguments);
    va_end(arguments);
    host->log->write(host->log->user, level, text);
}
