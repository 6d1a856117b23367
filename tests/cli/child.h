/// The command in a child process: under limits, without a reader, or killed at one of the calls by which it changes files.
#ifndef TESTS_CLI_CHILD_H
#define TESTS_CLI_CHILD_H

#include <stdbool.h>
#include <stdint.h>

/// What is done to a child.
typedef enum child_mode {
    CHILD_PLAIN,
    CHILD_TRACED,  ///< the calls that change files are counted, and it may be killed at one
    CHILD_FULL,    ///< no file may grow
    CHILD_NOBODY,  ///< a user without rights, where we are one with all of them
    CHILD_UNHEARD, ///< nobody reads its standard output
} child_mode;

typedef struct child_end {
    int status;         ///< of its exit; -1: ended by a signal
    int changes;        ///< traced: calls that change files
    bool killed;        ///< by us
    int64_t most_bytes; ///< of memory at any time; not of a traced one
    char printed[4096]; ///< the beginning of standard output
    char said[4096];    ///< and of standard error
} child_end;

/// main of the command.
int landfall_main(int count, char **words);

/// Can children be traced here?
bool child_can_trace(void);

/// A hard limit of memory for children, by a control group of Linux; 0: none. False: it cannot be set here.
bool child_limit(int64_t bytes);

/// Run the command with words that are split by single blanks.
/// kill_at  traced: kill it before the change of that number, from 1; 0: never
child_end child_run(const char *words, child_mode mode, int kill_at);

#endif
