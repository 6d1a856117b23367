/// landfall: the command. The subcommands are in commands.c, one file each.
#include "commands.h"
#include "ground.h"
#include "tiles.h"
#include <fcntl.h>
#include <landfall/omp.h>
#include <signal.h>
#include <string.h>
#include <unistd.h>

static void write_log(void *user, lf_log_level level, const char *text) {
    const cli *run = user;
    (void)level;
    if (!run->quiet)
        message_note(text);
}

/// The hooks that every call into the library gets.
static void set_up(cli *run) {
    run->quiet = options_has(&run->given, "quiet") || options_has(&run->given, "q") || tiles_silent();
    run->json = options_has(&run->given, "json");
    run->tasks =
        lf_tasks_openmp((int)options_integer(&run->given, "threads", run_crew ? run_crew->threads : 0));
    run->log = (lf_log){run, write_log};
    progress_start(&run->bar, run->quiet);
    run->host = (lf_host){NULL, &run->tasks, &run->bar.hook, &run->log};
    run->out.digits = (int)options_integer(&run->given, "digits", -1);
}

static int run_command(cli *run, int count, char **words) {
    int status = CLI_ERROR;
    message_name(run->command->name);
    run->command = command_meant(run->command, count, words);
    if (options_parse(&run->given, run->command, count, words)) {
        if (options_has(&run->given, "help")) {
            help_command(&run->out, run->command);
            status = CLI_YES;
        } else if (run_files_exist(run) && run_files_writable(run) && options_check(run)) {
            set_up(run);
            status = run->command->run(run);
            coordinates_end(&run->coordinates);
            ground_free(&run->ground);
        }
    }
    return status;
}

/// `landfall --help`, `landfall help [NAME]`, and `landfall help --man [NAME]`: a page for man.
static int show_help(cli *run, const char *name, bool manual) {
    const command *command = name ? command_find(name) : NULL;
    if (name && !command)
        return message_usage("%s: unknown command", name);
    if (manual)
        manual_write(&run->out, command);
    else if (command)
        help_command(&run->out, command);
    else
        help_overview(&run->out);
    return CLI_YES;
}

static int dispatch(cli *run, int count, char **words) {
    const char *first = count > 1 ? words[1] : NULL;
    if (!first)
        return message_usage("COMMAND: missing argument");
    if (strcmp(first, "help") == 0 && count > 2 && strcmp(words[2], "--man") == 0)
        return show_help(run, count > 3 ? words[3] : NULL, true);
    if (strcmp(first, "help") == 0 && count > 2 && strcmp(words[2], "--completion") == 0) {
        const char *shell = count > 3 ? words[3] : "bash";
        return completion_write(&run->out, shell)
                   ? CLI_YES
                   : message_usage("--completion %s: expected bash, zsh or fish", shell);
    }
    if (strcmp(first, "--help") == 0 || strcmp(first, "-h") == 0 || strcmp(first, "help") == 0)
        return show_help(run, count > 2 ? words[2] : NULL, false);
    if (strcmp(first, "--version") == 0) {
        output_format(&run->out, "landfall %s\n", lf_version());
        return CLI_YES;
    }
    run->command = command_find(first);
    if (!run->command)
        return message_usage("%s: unknown %s", first, first[0] == '-' ? "option" : "command");
    if (run->command->program) {
        message_name(run->command->name);
        return command_program(run->command, count - 2, words + 2);
    }
    return run_command(run, count - 2, words + 2);
}

/// The caller may have closed a standard descriptor; the next file opened would take its number and get our answers. What is opened
/// here instead fails when it is used.
static void hold_descriptors(void) {
    for (int file = STDIN_FILENO; file <= STDERR_FILENO; file++)
        if (fcntl(file, F_GETFD) < 0)
            open("/dev/null", file == STDIN_FILENO ? O_WRONLY : O_RDONLY);
}

int main(int count, char **words) {
    static cli run;
    hold_descriptors();
    // A reader that goes away and a file that may not grow any further (ulimit -f) become failed writes.
    signal(SIGPIPE, SIG_IGN);
    signal(SIGXFSZ, SIG_IGN);
    if (!output_open(&run.out, STDOUT_FILENO))
        return message_error("out of memory");
    int status = dispatch(&run, count, words);
    if (!output_close(&run.out))
        status = CLI_ERROR;
    if (progress_interrupted())
        message_error("interrupted");
    progress_finish();
    free_all();
    return status;
}
