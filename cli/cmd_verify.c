#include "stored.h"

int command_verify(cli *run) {
    lf_error error = {0};
    lf_store *store;
    lf_status status = lf_store_open(run->given.arguments[0], &run->host, true, &store, &error);
    progress_clear();
    if (status != LF_OK)
        return message_status(status, &error);
    lf_store_close(store);
    output_text(&run->out, "ok\n");
    return CLI_YES;
}
