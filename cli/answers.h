/// What subcommands share in writing answers.
#ifndef CLI_ANSWERS_H
#define CLI_ANSWERS_H

#include "cli.h"
#include "json.h"
#include "points.h"

/// Hits in a buffer that grows.
typedef struct hits {
    lf_hit *list;
    int64_t count;
    int64_t room;
} hits;

/// Room for that many hits; false without memory.
bool hits_reserve(hits *hits, int64_t room);
void hits_free(hits *hits);

/// Columns behind an answer: " POLYGON" (or cell), " NX NY NZ" and " METRES" as asked, the row's further columns, the newline.
typedef struct columns {
    bool polygon;
    bool normal;
    bool distance;
} columns;

void answer_tail(output *out, const lf_hit *hit, columns wanted, const row *asked);

/// The same with a distance.
void answer_far_tail(output *out, const lf_hit *hit, double distance, columns wanted, const row *asked);

/// The members of a hit in JSON; t only where it was measured from a point.
void answer_json_hit(json *document, const lf_hit *hit, bool with_t);

/// On a globe, which tile was hit and how far its posts are apart, into an open object.
void answer_json_tile(json *document, const lf_hit *hit);

/// The row's further columns in JSON, if it has any.
void answer_json_rest(json *document, const row *asked);

/// --digits into the output. Says what is wrong and returns false.
bool answer_digits(cli *run);

/// Where questions come from: given as options, or on standard input. Says what is wrong with the second
/// argument, or with having both, and returns false.
bool answer_source(const cli *run, const char *option, bool *from_input);

/// The values of an option that may be given again, as many rows; NULL when one is wrong, and that is said. Free it.
row *answer_rows(const cli *run, const char *option, row_shape shape);

/// Answer the rows of standard input, block by block; returns the exit status.
typedef bool answer_block(void *user, const row *rows, int64_t count);
int answer_standard_input(cli *run, row_shape shape, answer_block *answer, void *user);

/// The progress of a batch, by bytes of standard input where that is a file. False after an interrupt.
bool answer_progress(cli *run, const row_reader *reader);

#endif
