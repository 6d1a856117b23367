/// The viewer's files at /, and the files of datasets for it at /files/. Both only where the server has a viewer (--viewer).
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

void viewer_file(request *request, reply *reply) {
    const char *path = *request->tail ? request->tail : "index.html";
    if (!request->settings->viewer && !*request->tail) {
        refuse(reply, 404,
               "/: no viewer here: start landfall serve with --viewer FOLDER; /v1/openapi.json lists the "
               "requests");
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
    for (int64_t k = 0; settings->viewer && k < settings->dataset_count; k++) {
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
