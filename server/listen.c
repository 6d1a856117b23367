/// Start and stop of the listening server.
#include "jobs.h"
#include <netdb.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <time.h>
#include <unistd.h>

/// HOST:PORT or [HOST]:PORT to an address.
static bool find_address(const char *listen, struct sockaddr_storage *address, complaint *why) {
    char host[128];
    const char *colon = strrchr(listen, ':'), *from = listen + (*listen == '[');
    struct addrinfo wanted = {.ai_flags = AI_NUMERICHOST | AI_NUMERICSERV | AI_PASSIVE,
                              .ai_socktype = SOCK_STREAM},
                    *found = NULL;
    if (!colon || colon - from >= (long)sizeof host)
        return complain(why, "--listen %s: expected HOST:PORT, such as 127.0.0.1:8080", listen);
    snprintf(host, sizeof host, "%.*s", (int)(colon - from), from);
    host[strcspn(host, "]")] = '\0';
    if (strcmp(host, "localhost") == 0)
        snprintf(host, sizeof host, "127.0.0.1");
    if (getaddrinfo(host[0] ? host : "0.0.0.0", colon + 1, &wanted, &found) != 0 || !found)
        return complain(why, "--listen %s: expected HOST:PORT, such as 127.0.0.1:8080", listen);
    memcpy(address, found->ai_addr, found->ai_addrlen);
    freeaddrinfo(found);
    return true;
}

/// As many open files as connections need, where the system allows it.
static unsigned raise_files(double connections) {
    struct rlimit limit;
    double most = connections;
    if (getrlimit(RLIMIT_NOFILE, &limit) != 0)
        return (unsigned)most;
    if ((double)limit.rlim_cur < connections + 64) {
        limit.rlim_cur = limit.rlim_max == RLIM_INFINITY || (double)limit.rlim_max > connections + 64
                             ? (rlim_t)connections + 64
                             : limit.rlim_max;
        setrlimit(RLIMIT_NOFILE, &limit);
        getrlimit(RLIMIT_NOFILE, &limit);
    }
    if ((double)limit.rlim_cur < most + 64)
        most = (double)limit.rlim_cur - 64;
    return most < 4 ? 4 : (unsigned)most;
}

static char *read_pem(const char *path, complaint *why) {
    lf_map map = {0};
    lf_error error;
    if (lf_map_open(path, &map, &error) != LF_OK) {
        complain(why, "%s", error.text);
        return NULL;
    }
    char *text = memory_take(map.size + 1);
    if (text && map.size)
        memcpy(text, map.data, map.size);
    if (text)
        text[map.size] = '\0';
    else
        complain(why, "out of memory");
    lf_map_close(&map);
    return text;
}

static void write_url(http *http, bool tls, char url[128]) {
    const union MHD_DaemonInfo *info = MHD_get_daemon_info(http->daemon, MHD_DAEMON_INFO_LISTEN_FD);
    struct sockaddr_storage address;
    socklen_t size = sizeof address;
    char host[64] = "?", port[16] = "?";
    if (info && getsockname(info->listen_fd, (struct sockaddr *)&address, &size) == 0)
        getnameinfo((struct sockaddr *)&address, size, host, sizeof host, port, sizeof port,
                    NI_NUMERICHOST | NI_NUMERICSERV);
    snprintf(url, 128, strchr(host, ':') ? "http%s://[%s]:%s" : "http%s://%s:%s", tls ? "s" : "", host, port);
}

static bool open_daemon(http *http, const settings *settings, const struct http_callbacks *callbacks,
                        complaint *why) {
    struct sockaddr_storage address;
    unsigned flags = MHD_USE_EPOLL_INTERNAL_THREAD | MHD_ALLOW_SUSPEND_RESUME | MHD_USE_TURBO;
    if (!find_address(settings->listen, &address, why))
        return false;
    if (settings->tls_certificate) {
        flags |= MHD_USE_TLS;
        http->certificate = read_pem(settings->tls_certificate, why);
        http->tls_key = http->certificate ? read_pem(settings->tls_key, why) : NULL;
        if (!http->tls_key)
            return false;
    }
    if (address.ss_family == AF_INET6)
        flags |= MHD_USE_IPv6;
    unsigned threads =
        settings->threads > 0 ? (unsigned)settings->threads : (unsigned)sysconf(_SC_NPROCESSORS_ONLN);
    struct MHD_OptionItem more[8];
    int count = 0;
    if (threads > 1)
        more[count++] = (struct MHD_OptionItem){MHD_OPTION_THREAD_POOL_SIZE, (intptr_t)threads, NULL};
    if (http->tls_key) {
        more[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_CERT, 0, http->certificate};
        more[count++] = (struct MHD_OptionItem){MHD_OPTION_HTTPS_MEM_KEY, 0, http->tls_key};
    }
    more[count] = (struct MHD_OptionItem){MHD_OPTION_END, 0, NULL};
    http->daemon = MHD_start_daemon(
        flags, 0, NULL, NULL, callbacks->handle, http, MHD_OPTION_SOCK_ADDR, (struct sockaddr *)&address,
        MHD_OPTION_URI_LOG_CALLBACK, callbacks->begin, http, MHD_OPTION_NOTIFY_COMPLETED, callbacks->done,
        http, MHD_OPTION_NOTIFY_CONNECTION, watch_connection, http, MHD_OPTION_CONNECTION_LIMIT,
        raise_files(settings->connections), MHD_OPTION_CONNECTION_TIMEOUT, (unsigned)settings->idle_seconds,
        MHD_OPTION_CONNECTION_MEMORY_LIMIT, (size_t)32768, MHD_OPTION_LISTEN_BACKLOG_SIZE, 1024u,
        MHD_OPTION_ARRAY, more, MHD_OPTION_END);
    return http->daemon ||
           complain(why, "--listen %s: cannot listen there%s", settings->listen,
                    settings->tls_certificate ? ", or the certificate and key do not fit" : "");
}

static void http_free(http *http) {
    access_close(&http->log);
    pthread_cond_destroy(&http->watch_end);
    pthread_mutex_destroy(&http->watch_lock);
    memory_free(http->certificate);
    memory_free(http->tls_key);
    memory_free(http);
}

bool http_start(server *server, http **started, char url[128], complaint *why) {
    const settings *settings = &server->current->settings;
    http *made = memory_take(sizeof *made);
    if (!made)
        return complain(why, "out of memory");
    memset(made, 0, sizeof *made);
    made->server = server;
    pthread_mutex_init(&made->watch_lock, NULL);
    pthread_cond_init(&made->watch_end, NULL);
    int workers = settings->workers > 0 ? (int)settings->workers : (int)sysconf(_SC_NPROCESSORS_ONLN);
    bool fine = access_open(&made->log, settings, why);
    if (fine && !(work_start(&made->work, workers, (int64_t)settings->queue) && watch_start(made)))
        fine = complain(why, "threads: cannot be started");
    fine = fine && open_daemon(made, settings, &http_callbacks, why);
    if (!fine) {
        watch_stop(made);
        if (made->work.threads)
            work_end(&made->work);
        http_free(made);
        return false;
    }
    write_url(made, settings->tls_certificate != NULL, url);
    *started = made;
    return true;
}

static void pause_for(double seconds) {
    struct timespec time = {(time_t)seconds, (long)((seconds - (double)(time_t)seconds) * 1e9)};
    nanosleep(&time, NULL);
}

void http_stop(http *http, double seconds) {
    server *server = http->server;
    double end = now_seconds() + seconds;
    atomic_store(&server->draining, true);
    int listening = MHD_quiesce_daemon(http->daemon);
    while (atomic_load(&server->active) > 0 && now_seconds() < end)
        pause_for(0.02);
    atomic_store(&server->stopping, true);
    work_end(&http->work);
    jobs_end(server);
    pause_for(0.05); // replies of the last requests go out
    MHD_stop_daemon(http->daemon);
    if (listening >= 0)
        close(listening);
    watch_stop(http);
    http_free(http);
}
