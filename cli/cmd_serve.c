/// landfall serve and landfall view: start landfall-serve, a program of its own, so that the command needs no web server's libraries.
#include "commands.h"
#include <stdint.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

int command_program(const command *command, int count, char **words) {
    char path[4096], *list[1024];
    ssize_t length = readlink("/proc/self/exe", path, sizeof path);
    char *folder =
        length > 0 && (size_t)length < sizeof path - 64 ? (path[length] = '\0', strrchr(path, '/')) : NULL;
    if (!folder || count >= 1000)
        return message_error("%s: cannot be started", command->program);
    snprintf(folder + 1, 64, "%s", command->program);
    int first = 0;
    list[first++] = path;
    if (command->word)
        list[first++] = (char *)(uintptr_t)command->word;
    memcpy(list + first, words, (size_t)count * sizeof *words);
    list[first + count] = NULL;
    execv(path, list);
    return message_error("%s: not found: landfall was built without libmicrohttpd", path);
}

int command_serve(cli *run) {
    (void)run;
    return CLI_ERROR; // main starts the program instead
}
