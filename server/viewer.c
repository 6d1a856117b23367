/// The viewer's files at /, and the files of datasets for it at /files/. Both only where the server has a viewer.
#include "server.h"
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

/// Most bytes of a file that is handed out.
#define VIEWER_MOST ((int64_t)512 << 20)

static const char *type_of(const char *path) {
    static const char *const types[][2] = {{".html", "text/html; charset=utf-8"}, {".js", "text/javascript"},
                                           {".mjs", "text/javascript"},           {".css", "text/css"},
                                           {".wasm", "application/wasm"},         {".png", "image/png"}};
    const char *ending = strrchr(path, '.');
    for (size_t k = 0; ending && k < sizeof types / sizeof *types; k++)
        if (strcmp(ending, types[k][0]) == 0)
            return types[k][1];
    return "application/octet-stream";
}

/// Is it a relative path of plain names, none of which begins with a dot?
static bool plain_path(const char *path) {
    if (strspn(path, "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_.-/") != strlen(path))
        return false;
    for (const char *at = path; at; at = strchr(at, '/'), at = at ? at + 1 : NULL)
        if (*at == '.' || *at == '/' || *at == '\0')
            return false;
    return true;
}

/// Send an open file; closes it. `name` is what the client asked for.
static void send_file(int file, const char *name, reply *reply) {
    struct stat about;
    if (fstat(file, &about) != 0 || !S_ISREG(about.st_mode)) {
        refuse(reply, 404, "%.100s: no such file", name);
    } else if (about.st_size > VIEWER_MOST) {
        refuse(reply, 413, "%.100s: %lld bytes: at most %lld are handed out", name, (long long)about.st_size,
               (long long)VIEWER_MOST);
    } else {
        char block[65536];
        ssize_t got;
        while ((got = read(file, block, sizeof block)) > 0 && !reply->body.failed)
            text_add(&reply->body, block, (size_t)got);
        if (got < 0)
            refuse(reply, 500, "%.100s: %s", name, strerror(errno));
        reply->type = type_of(name);
        reply_header(reply, "Cache-Control", "no-cache");
        // Isolated from other origins, the engine may use threads.
        reply_header(reply, "Cross-Origin-Opener-Policy", "same-origin");
        reply_header(reply, "Cross-Origin-Embedder-Policy", "require-corp");
    }
    close(file);
}

/// A page that says what is here, where there is no viewer.
static void send_index(reply *reply) {
    text_put(
        &reply->body,
        "<!doctype html><html lang=\"en\"><meta charset=\"utf-8\"><title>landfall serve</title>"
        "<h1>landfall serve</h1><p>The viewer is not installed. <code>./run web</code> builds it; then start "
        "<code>landfall serve --viewer FOLDER</code>, or install it by <code>./run install</code>.</p>"
        "<p>Requests: <a href=\"/v1/openapi.json\">/v1/openapi.json</a>, "
        "<a href=\"/v1/datasets\">/v1/datasets</a>, <a href=\"/healthz\">/healthz</a></p></html>\n");
    reply->type = type_of(".html");
}

/// From / to the page with the first dataset: its file, if the viewer reads such files, otherwise tiles of all of them.
static void send_to_page(const request *request, reply *reply) {
    const dataset_setting *first = request->settings->datasets;
    const char *ending = strrchr(first->file, '.');
    bool reads = ending && !request->settings->keep_files &&
                 (strcmp(ending, ".lf") == 0 || strcmp(ending, ".tif") == 0 || strcmp(ending, ".tiff") == 0);
    reply->status = 302;
    if (reads)
        reply_header(reply, "Location", "/?ground=files/%s", first->name);
    else
        reply_header(reply, "Location", "/?globe=terrain");
}

void viewer_file(request *request, reply *reply) {
    const char *path = *request->tail ? request->tail : "index.html";
    if (!*request->tail && !request->settings->viewer) {
        send_index(reply);
        return;
    }
    if (!*request->tail && request->query_count == 0) {
        send_to_page(request, reply);
        return;
    }
    if (!request->settings->viewer || !plain_path(path)) {
        refuse(reply, 404, "%.100s: no such path", request->path);
        return;
    }
    int folder = open(request->settings->viewer, O_RDONLY | O_DIRECTORY | O_CLOEXEC);
    int file = folder < 0 ? -1 : openat(folder, path, O_RDONLY | O_CLOEXEC | O_NOFOLLOW);
    if (folder >= 0)
        close(folder);
    if (file < 0)
        refuse(reply, 404, "%.100s: no such path", request->path);
    else
        send_file(file, path, reply);
}

void viewer_dataset(request *request, reply *reply) {
    const settings *settings = request->settings;
    bool given = settings->viewer && !settings->keep_files;
    for (int64_t k = 0; given && k < settings->dataset_count; k++) {
        if (strcmp(settings->datasets[k].name, request->tail) == 0) {
            int file = open(settings->datasets[k].file, O_RDONLY | O_CLOEXEC);
            if (file < 0)
                refuse(reply, 404, "%.100s: %s", request->path, strerror(errno));
            else
                send_file(file, request->path, reply);
            return;
        }
    }
    refuse(reply, 404, "%.100s: no such path", request->path);
}
