/// Keys of clients from a file, each with its own rate.
#include "server.h"
#include <math.h>
#include <string.h>

static bool add_key(keys *keys, const char *line, size_t length, complaint *why) {
    size_t size = strcspn(line, " \t");
    if (size > length)
        size = length;
    double numbers[2] = {0, 0};
    int count = 0;
    const char *at = line + size, *end = line + length;
    while (at < end) {
        at += strspn(at, " \t") < (size_t)(end - at) ? strspn(at, " \t") : (size_t)(end - at);
        if (at == end)
            break;
        const char *next = count < 2 ? lf_number_read(at, end, &numbers[count]) : NULL;
        if (!next || !(numbers[count] >= 0 && numbers[count] <= 1e9) ||
            (next < end && *next != ' ' && *next != '\t'))
            return complain(why, "%.*s: expected KEY [REQUESTS-PER-SECOND [BURST]]",
                            length > 80 ? 80 : (int)length, line);
        at = next;
        count++;
    }
    key *list = memory_resize(keys->list, (size_t)(keys->count + 1) * sizeof *list);
    char *text = list ? memory_take(size + 1) : NULL;
    if (list)
        keys->list = list;
    if (!text)
        return complain(why, "out of memory");
    memcpy(text, line, size);
    text[size] = '\0';
    double burst = count > 1 ? fmax(1, numbers[1]) : fmax(1, numbers[0]);
    keys->list[keys->count++] = (key){text, numbers[0], burst, burst, 0};
    return true;
}

bool keys_parse(keys *keys, const char *text, size_t size, complaint *why) {
    char line[512];
    for (size_t from = 0, number = 1; from < size; number++) {
        const char *end = memchr(text + from, '\n', size - from);
        size_t length = end ? (size_t)(end - text) - from : size - from;
        complaint inner;
        if (length >= sizeof line)
            return complain(why, "line %zu: longer than 511 characters", number);
        memcpy(line, text + from, length);
        line[length] = '\0';
        from += length + 1;
        while (length > 0 && strchr(" \t\r", line[length - 1]))
            line[--length] = '\0';
        if (length > 0 && line[0] != '#' && !add_key(keys, line, length, &inner))
            return complain(why, "line %zu: %.400s", number, inner.text);
    }
    return true;
}

bool keys_read(keys *keys, const char *path, complaint *why) {
    lf_map map = {0};
    lf_error error;
    complaint inner;
    if (lf_map_open(path, &map, &error) != LF_OK)
        return complain(why, "%s", error.text);
    bool fine = keys_parse(keys, map.data ? map.data : "", map.size, &inner);
    lf_map_close(&map);
    if (fine && keys->count == 0)
        return complain(why, "%s: holds no key", path);
    return fine || complain(why, "%s: %.400s", path, inner.text);
}

void keys_free(keys *keys) {
    for (int64_t i = 0; i < keys->count; i++)
        memory_free(keys->list[i].text);
    memory_free(keys->list);
}

/// Compares all of both texts, so that the time does not tell how much of a key was right.
static bool same(const char *a, const char *b) {
    size_t la = strlen(a), lb = strlen(b), most = la > lb ? la : lb;
    unsigned char differs = la != lb;
    for (size_t i = 0; i < most; i++)
        differs |= (unsigned char)((i < la ? a[i] : 0) ^ (i < lb ? b[i] : 0));
    return !differs;
}

bool keys_admit(keys *keys, const char *text, double now, reply *reply) {
    if (keys->count == 0)
        return true;
    if (!text)
        return refuse(reply, 401, "key: missing: expected the header X-API-Key or the parameter key");
    key *found = NULL;
    for (int64_t i = 0; i < keys->count; i++)
        if (same(keys->list[i].text, text))
            found = &keys->list[i];
    if (!found)
        return refuse(reply, 403, "key: unknown");
    if (found->rate <= 0)
        return true;
    pthread_mutex_lock(&keys->lock);
    if (found->since == 0)
        found->since = now;
    found->filled = fmin(found->burst, found->filled + (now - found->since) * found->rate);
    found->since = now;
    bool admitted = found->filled >= 1;
    double wait = (1 - found->filled) / found->rate;
    found->filled -= admitted;
    pthread_mutex_unlock(&keys->lock);
    if (admitted)
        return true;
    reply_header(reply, "Retry-After", "%.0f", ceil(wait));
    return refuse_limit(reply, 429, "requests per second", found->rate, found->rate + 1) ||
           refuse(reply, 429, "requests per second: more than the limit of %.10g of this key", found->rate);
}
