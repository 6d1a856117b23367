/// Standard output, buffered, with its failures kept until somebody asks.
#ifndef CLI_OUTPUT_H
#define CLI_OUTPUT_H

#include <landfall/geom.h>

typedef struct output {
    int file; ///< descriptor
    char *buffer;
    size_t used;
    int digits; ///< behind the point; -1: the shortest text that reads back
    int fault;  ///< errno of the first write that failed; nothing is written after it
} output;

/// Start writing to a descriptor; false without memory.
bool output_open(output *out, int file);

void output_bytes(output *out, const char *bytes, size_t length);
void output_text(output *out, const char *text);
void output_char(output *out, char c);
void output_number(output *out, double value);
void output_integer(output *out, int64_t value);

/// A cell of a CSV table: in quotes when it must be.
void output_cell(output *out, const char *text);

/// Three numbers with a separator between them.
void output_vector(output *out, lf_vec3 vector, char separator);

/// Hand everything on; false when a write failed, now or before.
bool output_flush(output *out);

/// Flush, close and free. Says what failed (a reader that went away is no news to anybody: that is only a
/// status) and returns false.
bool output_close(output *out);

#endif
