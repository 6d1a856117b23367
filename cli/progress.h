/// The progress bar, and the interrupt that cancels.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <landfall/base.h>

typedef struct progress {
    lf_progress hook; ///< for lf_host: reports end here, false comes back after an interrupt
    bool shown;       ///< whether there is anybody to show it to
    double started;   ///< seconds, when the command began
    double drawn;     ///< when the bar was last drawn
    const char *stage;
} progress;

/// Listen for the interrupt from now on. The bar is shown when standard error is a terminal and not `quiet`,
/// and the command has gone on for a second.
void progress_start(progress *bar, bool quiet);

/// Report a stage: true to go on, false after an interrupt.
bool progress_report(progress *bar, const char *stage, int64_t done, int64_t total);

/// Has there been an interrupt?
bool progress_interrupted(void);

/// Wait until there is something to read; false after an interrupt, also one that came before the wait.
bool progress_wait(int file);

/// Wipe the bar off the terminal, if one is there.
void progress_clear(void);

/// After an interrupt: die of it, as the shell expects. Returns when there was none.
void progress_finish(void);

#endif
