/// Memory runs out at every allocation of a request in turn: the reply is whole or says so, and nothing leaks or crashes.
#include "in_process.h"
#include "support.h"
#include <jansson.h>
#include <stdlib.h>
#include <string.h>

typedef struct asked {
    http_method method;
    const char *target, *type, *body;
} asked;

static const asked requests[] = {
    {HTTP_GET, "/healthz", NULL, ""},
    {HTTP_GET, "/metrics", NULL, ""},
    {HTTP_GET, "/datasets", NULL, ""},
    {HTTP_GET, "/v1/datasets", NULL, ""},
    {HTTP_GET, "/v1/height?at=7.25,46.25", NULL, ""},
    {HTTP_POST, "/v1/height?format=geojson", "application/json",
     "{\"points\":[[7.1,46.1],[7.2,46.2],[9,9]],\"detail\":true}"},
    {HTTP_GET, "/maps/api/elevation/json?path=46.1,7.1|46.3,7.3&samples=20", NULL, ""},
    {HTTP_GET, "/v1/plane?locations=46.1,7.1|46.3,7.3&interpolation=cubic&samples=7", NULL, ""},
    {HTTP_POST, "/v1/plane", "application/x-www-form-urlencoded", "locations=46.1,7.1"},
    {HTTP_POST, "/api/v1/lookup", "application/json",
     "{\"locations\":[{\"latitude\":46.1,\"longitude\":7.1}]}"},
    {HTTP_POST, "/height", "application/json",
     "{\"range\":true,\"resample_distance\":500,\"encoded_polyline\":\"_{rpvA_flnLgyrAgyrA\"}"},
    {HTTP_GET, "/v1/sight?from=7.1,46.1&to=7.3,46.3", NULL, ""},
    {HTTP_GET, "/v1/profile?from=7.1,46.1&to=7.3,46.3&format=csv", NULL, ""},
    {HTTP_GET, "/v1/ray?from=7.1,46.1,500&azimuth=90&pitch=-5", NULL, ""},
    {HTTP_GET, "/v1/viewshed?at=7.25,46.25&range=10000", NULL, ""},
    {HTTP_GET, "/v1/viewshed?points=7.25,46.25|7.2,46.2&range=10000&mode=count", NULL, ""},
    {HTTP_GET, "/v1/viewshed?at=7.25,46.25&range=10000&format=geojson", NULL, ""},
    {HTTP_GET, "/v1/horizon?at=7.25,46.25&step=30&format=png", NULL, ""},
    {HTTP_GET, "/v1/sun?at=7.25,46.25&date=2026-06-21&step_minutes=60", NULL, ""},
    {HTTP_GET, "/v1/intervisible?points=7.25,46.25|7.2,46.2|7.1,46.1", NULL, ""},
    {HTTP_GET, "/v1/walk?from=7.25,46.25&to=7.2,46.2&step=100", NULL, ""},
    {HTTP_GET, "/tiles/hillshade/9/266/181.png", NULL, ""},
    {HTTP_GET, "/terrain/layer.json", NULL, ""},
    {HTTP_GET, "/terrain/8/266/193.terrain", NULL, ""},
    {HTTP_GET, "/tiles/viewshed/9/266/181.png?at=7.25,46.25&range=9000", NULL, ""},
    {HTTP_GET, "/nothing", NULL, ""},
};

static void every_allocation_fails(void **state) {
    static in_process here;
    (void)state;
    json_set_alloc_funcs(memory_take, memory_free);
    in_process_start(&here);
    for (size_t k = 0; k < sizeof requests / sizeof *requests; k++) {
        const asked *asked = &requests[k];
        reply whole, broken;
        char *body = strdup(asked->body);
        cache_destroy(here.server.cache);
        here.server.cache = cache_create(1 << 20, NULL);
        int status =
            in_process_ask(&here, asked->method, asked->target, asked->type, body, strlen(body), &whole);
        if (status != (strcmp(asked->target, "/nothing") ? 200 : 404))
            fail_msg("%s: %d: %s", asked->target, status, whole.message);
        int64_t failures = 0;
        for (int64_t n = 0; n < 3000; n++) {
            cache_destroy(here.server.cache);
            here.server.cache = cache_create(1 << 20, NULL);
            memory_fail_after(n);
            int result =
                in_process_ask(&here, asked->method, asked->target, asked->type, body, strlen(body), &broken);
            bool failed = memory_fail_after(-1) > n;
            failures += result == 503;
            if (result == status && whole.body.count &&
                strcmp(asked->target, "/metrics") != 0) { // none, or one that could be spared
                assert_int_equal(broken.body.count, whole.body.count);
                assert_memory_equal(broken.body.bytes, whole.body.bytes, whole.body.count);
            } else {
                assert_true(result == 503 || result == status);
            }
            reply_free(&broken);
            if (!failed)
                break;
        }
        assert_true(failures > 0);
        reply_free(&whole);
        free(body);
    }
    in_process_end(&here);
}

static void settings_fail(void **state) {
    static const char text[] = "{\"datasets\":[{\"name\":\"a\",\"file\":\"b\",\"datum\":\"c\"}],\"cors\":["
                               "\"x\",\"y\"],\"listen\":\"l:1\"}";
    (void)state;
    bool done = false;
    for (int64_t n = 0; n < 200 && !done; n++) {
        settings settings;
        complaint why;
        memory_fail_after(n);
        bool fine = settings_start(&settings) && settings_parse(&settings, text, sizeof text - 1, &why);
        done = memory_fail_after(-1) <= n;
        assert_true(fine == done);
        settings_free(&settings);
    }
    assert_true(done);
}

/// A viewer that the server finds by itself hands out the files of datasets on this machine only.
static void found_viewers_keep_files(void **state) {
    static const char *const listens[] = {"127.0.0.1:8080", "localhost:1", "[::1]:1", "0.0.0.0:8080",
                                          "198.51.100.7:80"};
    (void)state;
    setenv("LANDFALL_VIEWER", "/", 1);
    for (int k = 0; k < 5; k++) {
        settings settings;
        complaint why;
        bool help;
        char ground[] = "a.tif", option[] = "--listen", listen[32];
        snprintf(listen, sizeof listen, "%s", listens[k]);
        char *words[] = {ground, option, listen};
        assert_true(settings_start(&settings) && settings_read(&settings, 3, words, &help, &why));
        assert_string_equal(settings.viewer, "/");
        assert_int_equal(settings.keep_files, k >= 3);
        settings_free(&settings);
    }
    unsetenv("LANDFALL_VIEWER");
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_allocation_fails),
        cmocka_unit_test(found_viewers_keep_files),
        cmocka_unit_test(settings_fail),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
