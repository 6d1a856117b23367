/// What all subcommands share: the tables of commands and options, one run, messages, progress and memory.
#ifndef CLI_CLI_H
#define CLI_CLI_H

#include "output.h"
#include <landfall/io.h>
#include <landfall/landfall.h>

/// The exit status, as of grep.
enum { CLI_YES = 0, CLI_NO = 1, CLI_ERROR = 2 };

typedef struct cli cli;
typedef struct field field;

// ---- Tables -------------------------------------------------------------------------------------

/// What a run does with a file that an option or argument names.
typedef enum file_role { FILE_NONE, FILE_READ, FILE_WRITTEN, FILE_FOLDER } file_role;

/// Kinds of ground, by the path of the file.
enum { GROUND_RASTER = 1, GROUND_MESH = 2, GROUND_STORED = 4, GROUND_TERRAIN = 8, GROUND_WORLD = 16 };

/// One option. A group of them is an array that ends with a name of NULL. Everything in it is checked before a file is loaded.
typedef struct option {
    const char *name;  ///< without the dashes
    char letter;       ///< short form, or 0
    const char *value; ///< what its value is called in help, or NULL: it takes none
    const char *help;
    bool repeatable;
    int least, most;      ///< how many numbers the value has; most 0: least; both 0: it is text
    double low, high;     ///< bounds of each number; both 0: any number
    bool above;           ///< low itself is not allowed
    bool whole;           ///< whole numbers only
    bool ascending;       ///< the second number is not below the first
    bool nonzero;         ///< 0 is not allowed
    const char *names;    ///< names that are accepted (instead of numbers, if there are some): "|true|grid"
    const char *endings;  ///< accepted endings of a file: "|.svg|.png"
    const char *excludes; ///< options that cannot be given with it: "up all"
    const char *needs;    ///< it means nothing without one of these: "to|dir"
    unsigned grounds;     ///< kinds of ground that it applies to; 0: all
    const char *no_globe; ///< why it does not apply to globes, or NULL: it does
    file_role role;
    bool (*check)(const char *value, lf_error *why); ///< anything else about the value, or NULL
} option;

/// What else must hold between options. A condition is a list of terms, all of which hold; alternatives are split by |.
/// A term is NAME (given), NAME=VALUE, NAME=*.ENDING, NAME#N (given N times or more) or, of an argument, its name in capitals;
/// ! before it negates it. An array of rules ends with a subject of NULL; "" is a rule without a subject.
typedef struct rule {
    const char *
        subject; ///< the option, perhaps with a value, that the rule is about; it applies where that is given
    const char *when;     ///< further conditions, or NULL
    const char *needs;    ///< one of these must hold
    const char *excludes; ///< none of these may be given
    const char *refuse;   ///< why it is refused
    int least, most;      ///< how many numbers the subject's value then has
    const char *value;    ///< and what it is called
} rule;

/// A name that an argument may be, and what it means. A list of them ends with a name of NULL.
typedef struct choice {
    const char *name;
    const char *help;
} choice;

#define COMMAND_GROUPS 11

/// What a command asks of the ground that it loads.
enum {
    TAKES_GLOBES = 1, ///< also those
    NEEDS_RASTER = 2,
    NEEDS_METRES = 4, ///< x and y must not be degrees
};

/// A way to call landfall.
typedef struct command {
    const char *name;
    const char *arguments; ///< as help shows them
    int least, most;       ///< how many arguments there may be
    int (*run)(cli *run);
    const char *summary; ///< one line
    const char *details; ///< paragraphs, split by an empty line; lines that start with a blank are kept
    const option *groups[COMMAND_GROUPS]; ///< ends with NULL
    const rule *rules;                    ///< or NULL
    unsigned ground;                      ///< TAKES_GLOBES ...
    const char *metres;                   ///< what needs metres, for the message
    const choice *choices;                ///< what the argument may be, or NULL
    const field *const *answers;          ///< what its JSON answers have, up to NULL; or NULL
    const struct command *other; ///< another way to call it, taken when one of its signs occurs; or NULL
    const char *const *signs; ///< of such another way: these options, up to NULL; its options have one dash
    const char *program;      ///< a program beside the command that takes all words; or NULL
    const char *word;         ///< its first word, before all others; or NULL
} command;

/// All subcommands; ends with a name of NULL.
extern const command commands[];

/// The subcommand of that name, or NULL.
const command *command_find(const char *name);

/// The argument number `index` as help shows it, and its length; empty beyond the last.
const char *command_argument(const command *command, int index, size_t *length);

/// Where the next option of a command is; all zero: the first.
typedef struct option_place {
    int group, index;
} option_place;

/// The next option of a command, or NULL.
const option *command_next(const command *command, option_place *place);

/// The option of that name, of a length, or NULL.
const option *command_option(const command *command, const char *name, size_t length);

/// The command, or its other way where the words behind it ask for that.
const command *command_meant(const command *command, int count, char *const *words);

// ---- Options of a run ---------------------------------------------------------------------------

/// An option as it was given.
typedef struct given {
    const option *option;
    const char *value; ///< NULL for options without one
} given;

typedef struct options {
    given *list;
    int count;
    const char **arguments;
    int argument_count;
    const char *dashes; ///< before a long option: "--", or "-" for gdal_viewshed's
} options;

/// How many numbers a row or value has. Those beyond `least` are optional: a column that does not start like a number is the first of
/// the further columns.
typedef struct row_shape {
    int least, most;
    const char *spelling; ///< for messages, such as "X,Y[,Z]"
} row_shape;

#define ROW_NUMBERS 8

/// Split the words behind the subcommand. Long options take their value behind `=` or a blank, short ones joined or behind a blank;
/// `--` ends options; a lone `-` is an argument. Prints what is wrong and returns false.
bool options_parse(options *parsed, const command *command, int count, char **words);
void options_free(options *parsed);

/// Check everything that the tables say about options: values, exclusions, requirements, kinds of ground. Prints the first fault and
/// returns false.
bool options_check(const cli *run);

/// Check that no given option is one that does not apply to globes. Prints the fault and returns false.
bool options_allow_globe(const cli *run);

bool options_has(const options *parsed, const char *name);
int options_count(const options *parsed, const char *name);

/// The value that the option was given for the time number `index` from 0; NULL beyond.
const char *options_nth(const options *parsed, const char *name, int index);
const char *options_value(const options *parsed, const char *name);

/// What a checked option says, or the fallback where it is not given.
double options_number(const options *parsed, const char *name, double fallback);
int64_t options_integer(const options *parsed, const char *name, int64_t fallback);

/// The numbers of the value number `index`; returns how many, 0 where it is not given or is a name.
int options_numbers(const options *parsed, const char *name, int index, double numbers[ROW_NUMBERS]);
lf_vec3 options_vector(const options *parsed, const char *name, lf_vec3 fallback);

/// Which of the option's names was given, from 0; or the fallback.
int options_choice(const options *parsed, const char *name, int fallback);

/// How many numbers an option's value has in this run, by its table and the rules.
row_shape options_shape(const cli *run, const char *name);

/// The value of an option that may be given again, as an array up to NULL; its length is options_count.
const char **options_list(const options *parsed, const char *name);

// ---- Progress and interrupts --------------------------------------------------------------------

typedef struct progress {
    lf_progress hook; ///< for lf_host: reports end here, false comes back after an interrupt
    bool shown;       ///< whether there is a terminal to show it on
    double started;   ///< seconds, when the command began
    double drawn;     ///< when the bar was last drawn
    const char *stage;
} progress;

/// Listen for the interrupt from now on. The bar is shown when standard error is a terminal and not `quiet`, and the command has run
/// for a second.
void progress_start(progress *bar, bool quiet);

/// Report a stage: true to continue, false after an interrupt.
bool progress_report(progress *bar, const char *stage, int64_t done, int64_t total);

/// Has there been an interrupt?
bool progress_interrupted(void);

/// Wait until there is something to read; false after an interrupt, also one that came before the wait.
bool progress_wait(int file);

/// Remove the bar from the terminal, if one is there.
void progress_clear(void);

/// After an interrupt: end by it, as the shell expects. Returns when there was none.
void progress_finish(void);

// ---- Messages and memory ------------------------------------------------------------------------

/// Set the name that messages start with: "landfall height".
void message_name(const char *subcommand);

/// And the program before it; "landfall" by default.
void message_program(const char *name);

/// From now on keep what is wrong instead of printing it, and print it: of several processes one does. from: who it is, such as
/// "rank 3 on node17:", or "".
void message_hold(void);
void message_release(const char *from);

/// Print on standard error what is wrong; returns CLI_ERROR.
int message_error(const char *format, ...) LF_PRINTF(1, 2);

/// The same, with a second line that says where help is.
int message_usage(const char *format, ...) LF_PRINTF(1, 2);

/// The same as both; return false.
#define failed(...) (message_error(__VA_ARGS__), false)
#define refused(...) (message_usage(__VA_ARGS__), false)

/// Print what a library call found wrong: its error's text, or the status's own. Nothing is printed of a cancelled call: main reports
/// interrupts, once. Returns CLI_ERROR.
int message_status(lf_status status, const lf_error *error);

/// A note that is no error.
void message_note(const char *text);

/// Did a library call succeed? Removes the progress bar and prints what is wrong when it did not.
bool succeeded(lf_status status, const lf_error *error);

/// Zeroed memory that lives until the run ends. Prints "out of memory" and exits with CLI_ERROR when there is none.
void *allocate(size_t count, size_t size);

/// The same block with space for more; what was there is kept, what is new is not zeroed. block may be NULL.
void *allocate_more(void *block, size_t count, size_t size);

/// A list with space for `count` items: the same where *capacity is enough, else one that is at least twice as long.
void *reserve(void *list, int64_t *capacity, int64_t count, size_t size);

/// Free everything that was allocated.
void free_all(void);

// ---- One run ------------------------------------------------------------------------------------

/// Ground, and what it was made from: a mesh (file, mesh), a raster (raster, grid, about), a folder of terrain tiles (terrain, globe),
/// a .lf file (store) that holds any of these, a group, or a model; or a world file (world).
typedef struct loaded {
    lf_store *store;      ///< then grid, mesh, globe and ground are its own
    lf_world_file *world; ///< then grid, globe and ground are its own; the globe is only a part of it
    lf_polygon_file *file;
    lf_mesh *mesh;
    lf_raster *raster;
    lf_grid *grid;     ///< NULL for a mesh
    lf_grid *lattice;  ///< of results over ground that is no raster: its heights; grid is then the same,
    lf_grid *own_grid; ///< and this is the raster's own, if it has one
    const char *lattice_crs;       ///< of the lattice, if it is not the ground's; or NULL
    lf_crs_transform *lattice_way; ///< then from it to the ground's,
    lf_vec2 *lattice_places;       ///< and where its samples are on the ground
    bool lattice_degrees;          ///< x and y of the lattice are degrees
    lf_polygons polygons;          ///< of a mesh
    lf_tile_folder *terrain;
    lf_globe *globe; ///< NULL for anything else; the ground is the finest there is of it
    lf_raster_info about;
    const lf_ground *ground;
} loaded;

/// How points as given become those of the ground.
typedef struct coordinates {
    lf_crs_transform *way; ///< from the points' system to the ground's, or NULL
    bool degrees;          ///< of the ground
    bool centred;  ///< the ground is a globe: its points are earth-centred, those given are LON,LAT,HEIGHT
    double middle; ///< longitude of the ground's middle
    lf_ellipsoid ellipsoid;
} coordinates;

/// Samples of a raster on disk: tile_copy.h.
typedef struct tile_copy tile_copy;

/// Adds to a reach what a question needs: reach.h.
typedef struct reach reach;
typedef void ask_reach(reach *reach, void *user);

/// One run of a subcommand: what was given, where answers go, the hooks that the library gets, and the ground.
struct cli {
    const command *command;
    options given;
    output out;
    progress bar;
    lf_tasks tasks;
    lf_log log;
    lf_host host;
    bool quiet;
    bool json;
    loaded ground;
    coordinates coordinates;
    ask_reach *reach; ///< what of a raster the question needs; NULL: all of it
    void *reach_user;
    tile_copy *copy;        ///< of the ground, from which its samples are taken when it is complete; or NULL
    lf_world_scenes scenes; ///< runs the scripts that a world file names
    bool reach_sight;       ///< the question is about sight
    size_t memory;          ///< most bytes that a raster may take; 0: what is available
    bool heights_known;
    double partial_low, partial_high; ///< then: of all samples of a raster that is read in parts
    const lf_raster_keep
        *raster_keep;              ///< of `landfall build`: what it keeps of the ground's samples, or NULL
    const lf_grid_keep *grid_keep; ///< and of its compressed heights
    bool sweeps;                   ///< the ground is swept once: bounds of small squares would hardly be used
};

// ---- Help ---------------------------------------------------------------------------------------

/// What `landfall --help` prints.
void help_overview(output *out);

/// What `landfall NAME --help` prints.
void help_command(output *out, const command *command);

/// A page for man; command NULL: that of landfall itself.
void manual_write(output *out, const command *command);

/// What a shell (bash, zsh or fish) needs to complete subcommands and options. False: another shell.
bool completion_write(output *out, const char *shell);

// ---- Files of a run: no output may replace an input or another output ---------------------------

/// Check that every input named on the command line exists. Prints what is wrong and returns false.
bool run_files_exist(const cli *run);

/// Check that every output can be written, that none is a file that the run reads (also through links, as a source of a VRT or as a
/// sidecar file) and that no two are the same file. Prints what is wrong and returns false.
bool run_files_writable(const cli *run);

/// Is the path, which may not exist, a file that the run reads? `input` is the argument or option value that it belongs to.
bool run_files_reads(const cli *run, const char *path, const char **input);

/// Check that no output would replace a file that was found to be read: a part of a world. Prints what is wrong and returns false.
bool run_files_keep(const cli *run, const char *input);

/// Is the path a file that the run writes? `option` is what names it, such as "-o".
bool run_files_writes(const cli *run, const char *path, const char **option);

/// Call `found` for each file that the run reads: those named on the command line, and their sources and sidecar files.
void run_files_each(const cli *run, lf_file_found *found, void *user);

/// What an argument of a command is, counted from 0.
file_role run_files_argument(const command *command, int index);

#endif
