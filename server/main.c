/// landfall-serve: the program behind `landfall serve`.
#include "cache.h"
#include "http.h"
#include <fcntl.h>
#include <gdal.h>
#include <jansson.h>
#include <signal.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static int fail(const complaint *why) {
    fprintf(stderr, "landfall %s: %s\n", server_verb, why->text);
    return 2;
}

static int help(void) {
    text out = {0};
    settings_help(&out);
    fwrite(out.bytes, 1, out.count, stdout);
    text_free(&out);
    return 0;
}

/// Read settings and grounds again. What is wrong with them is printed, and the old ones stay in force.
static void reload(server *server, int count, char **words) {
    setup *next = NULL;
    bool wants_help;
    complaint why;
    if (!setup_open(count, words, &next, &wants_help, &why)) {
        fprintf(stderr, "landfall %s: reload: %s: the old settings stay\n", server_verb, why.text);
        return;
    }
    pthread_mutex_lock(&server->lock);
    setup *old = server->current;
    next->generation = old->generation + 1;
    server->current = next;
    pthread_mutex_unlock(&server->lock);
    setup_release(old);
    atomic_fetch_add(&server->reloads, 1);
    if (!next->settings.quiet)
        printf("landfall %s: reloaded\n", server_verb);
    fflush(stdout);
}

/// Open a page in the user's browser, where there is a desktop and xdg-open; its output is of no interest.
static void open_page(const char *page) {
    posix_spawn_file_actions_t actions;
    pid_t child;
    char *words[] = {"xdg-open", (char *)(uintptr_t)page, NULL};
    if ((!getenv("DISPLAY") && !getenv("WAYLAND_DISPLAY")) || posix_spawn_file_actions_init(&actions) != 0)
        return;
    for (int file = 0; file < 3; file++)
        posix_spawn_file_actions_addopen(&actions, file, "/dev/null", O_RDWR, 0);
    posix_spawnp(&child, words[0], &actions, NULL, words, environ);
    posix_spawn_file_actions_destroy(&actions);
}

static void announce(const server *server, const char *url) {
    const setup *setup = server->current;
    printf("landfall %s: listening on %s\n", server_verb, url);
    for (int i = 0; !setup->settings.quiet && i < setup->data->count; i++) {
        const dataset *dataset = &setup->data->list[i];
        double x = 0.5 * (dataset->low.x + dataset->high.x), y = 0.5 * (dataset->low.y + dataset->high.y);
        printf("  %s/v1/height?at=%.10g,%.10g&dataset=%s\n", url, x, y, dataset->name);
        double across = 10000 / dataset->resolution;
        if (dataset->grid && dataset->earth && across * across <= setup->settings.max_cells)
            printf("  %s/v1/viewshed?at=%.10g,%.10g&dataset=%s&range=5000\n", url, x, y, dataset->name);
    }
    if (!setup->settings.quiet)
        printf("  %s/v1/datasets\n  %s/v1/openapi.json\n", url, url);
    if (setup->settings.viewer) {
        char page[256];
        snprintf(page, sizeof page, setup->settings.view ? "%s/?ground=files/%s" : "%s/", url,
                 setup->data->list[0].name);
        printf("  %s\n", page);
        if (setup->settings.view)
            open_page(page);
    }
    fflush(stdout);
}

int main(int count, char **words) {
    static server server;
    complaint why;
    bool wants_help;
    char url[128];
    http *http = NULL;
    sigset_t signals;
    if (count > 1 && strcmp(words[1], "--view") == 0) // as the command calls it
        server_verb = "view";
    sigemptyset(&signals);
    sigaddset(&signals, SIGHUP);
    sigaddset(&signals, SIGTERM);
    sigaddset(&signals, SIGINT);
    pthread_sigmask(SIG_BLOCK, &signals, NULL); // before the first thread
    signal(SIGPIPE, SIG_IGN);
    json_set_alloc_funcs(memory_take, memory_free);
    GDALAllRegister();
    pthread_mutex_init(&server.lock, NULL);
    server.started = now_seconds();
    if (!setup_open(count - 1, words + 1, &server.current, &wants_help, &why))
        return fail(&why);
    if (wants_help) {
        setup_release(server.current);
        return help();
    }
    server.cache = cache_create((size_t)(server.current->settings.cache_mib * 1048576),
                                server.current->settings.cache_folder);
    if (!server.cache || !http_start(&server, &http, url, &why)) {
        setup_release(server.current);
        return fail(&why);
    }
    announce(&server, url);
    for (int signal = 0; signal != SIGTERM && signal != SIGINT;) {
        sigwait(&signals, &signal);
        if (signal == SIGHUP)
            reload(&server, count - 1, words + 1);
    }
    http_stop(http, server.current->settings.drain_seconds);
    cache_destroy(server.cache);
    setup_release(server.current);
    pthread_mutex_destroy(&server.lock);
    return 0;
}
