/// landfall-mpi: the jobs of the command that are computed in tiles, by all processes of an MPI job.
///
/// Every process runs the same command. Tiles are handed out one by one, the most expensive first, by a thread of rank 0, which
/// sleeps while nobody asks. Each process writes the files of its own tiles. What goes wrong in one process ends all of them: the
/// one with the lowest rank prints its message.
#include "tiles.h"
#include <fcntl.h>
#include <mpi.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

enum { TAG_ASK = 1, TAG_ANSWER, TAG_STOP, TAG_END };

#define NAP_NANOSECONDS 500000 // between two looks for a question

int landfall_main(int count, char **words);

static int rank, size;
static bool failed_somewhere;

/// Wait without keeping a core busy: others may need it, the thread of rank 0 that answers among them.
static void wait_for(MPI_Request *request) {
    int done = 0;
    while (MPI_Test(request, &done, MPI_STATUS_IGNORE) == MPI_SUCCESS && !done) {
        struct timespec nap = {0, NAP_NANOSECONDS};
        nanosleep(&nap, NULL);
    }
}

// ---- Handing out tiles --------------------------------------------------------------------------

static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
static int64_t handed_out, finished;
static bool stopped, quiet;
static bool *busy; ///< which ranks have a tile
static pthread_t server;

/// A rank that asks again has finished its tile. Ten lines tell how far all ranks are.
static void note_finished(int from, int64_t count) {
    int64_t tenths = count > 0 ? finished * 10 / count : 0;
    if (!busy[from])
        return;
    finished++;
    if (!quiet && !stopped && finished * 10 / count > tenths)
        fprintf(stderr, "landfall-mpi: %lld of %lld tiles done on %d ranks\n", (long long)finished,
                (long long)count, size);
}

/// The next number below count, or count.
static int64_t hand_out(int from, int64_t count) {
    pthread_mutex_lock(&lock);
    note_finished(from, count);
    int64_t next = stopped || handed_out >= count ? count : handed_out++;
    busy[from] = next < count;
    pthread_mutex_unlock(&lock);
    return next;
}

static void *serve(void *unused) {
    for (bool running = true; running;) {
        int waiting = 0;
        MPI_Status from;
        int64_t count = 0;
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &waiting, &from);
        if (!waiting) { // MPI_Recv would keep a core busy
            struct timespec nap = {0, NAP_NANOSECONDS};
            nanosleep(&nap, NULL);
            continue;
        }
        if (from.MPI_TAG == TAG_ANSWER)
            continue; // to the main thread of rank 0
        MPI_Recv(&count, 1, MPI_INT64_T, from.MPI_SOURCE, from.MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
        if (from.MPI_TAG == TAG_ASK) {
            int64_t next = hand_out(from.MPI_SOURCE, count);
            MPI_Send(&next, 1, MPI_INT64_T, from.MPI_SOURCE, TAG_ANSWER, MPI_COMM_WORLD);
        } else if (from.MPI_TAG == TAG_STOP) {
            pthread_mutex_lock(&lock);
            stopped = true;
            pthread_mutex_unlock(&lock);
        } else {
            running = false;
        }
    }
    return unused;
}

static int64_t next_tile(int64_t count) {
    int64_t next = 0;
    MPI_Request answer;
    if (rank == 0)
        return hand_out(0, count);
    MPI_Irecv(&next, 1, MPI_INT64_T, 0, TAG_ANSWER, MPI_COMM_WORLD, &answer);
    MPI_Send(&count, 1, MPI_INT64_T, 0, TAG_ASK, MPI_COMM_WORLD);
    wait_for(&answer);
    return next;
}

/// Nobody gets another tile.
static void stop_all(void) {
    int64_t nothing = 0;
    if (rank > 0) {
        MPI_Send(&nothing, 1, MPI_INT64_T, 0, TAG_STOP, MPI_COMM_WORLD);
        return;
    }
    pthread_mutex_lock(&lock);
    stopped = true;
    pthread_mutex_unlock(&lock);
}

// ---- Agreement ----------------------------------------------------------------------------------

/// The lowest rank that failed prints what it has to say: which one it is, where rank 0 could do the same.
static bool agree(bool fine) {
    int mine = fine ? size : rank, lowest = size;
    MPI_Request request;
    if (failed_somewhere)
        return false;
    MPI_Iallreduce(&mine, &lowest, 1, MPI_INT, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for(&request);
    failed_somewhere = lowest < size;
    if (lowest == rank) {
        char host[MPI_MAX_PROCESSOR_NAME + 1] = "", origin[MPI_MAX_PROCESSOR_NAME + 40] = "";
        int length = 0;
        if (rank > 0 && MPI_Get_processor_name(host, &length) == MPI_SUCCESS)
            snprintf(origin, sizeof origin, "rank %d on %s:", rank, host);
        message_release(origin);
    }
    return lowest == size;
}

static void share(void *bytes, size_t count) {
    MPI_Request request;
    MPI_Ibcast(bytes, (int)count, MPI_BYTE, 0, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

static void least(double *numbers, int count) {
    MPI_Request request;
    MPI_Iallreduce(MPI_IN_PLACE, numbers, count, MPI_DOUBLE, MPI_MIN, MPI_COMM_WORLD, &request);
    wait_for(&request);
}

// ---- The program --------------------------------------------------------------------------------

/// Only jobs in tiles can be shared.
static bool is_accepted(int count, char **words) {
    static const char *const names[] = {"total", "viewshed", "horizon", "shadow", "sunhours"};
    bool known = false, output = false;
    for (size_t i = 0; i < sizeof names / sizeof *names && count > 1; i++)
        known = known || strcmp(words[1], names[i]) == 0;
    for (int i = 2; i < count; i++) {
        quiet = quiet || strcmp(words[i], "-q") == 0 || strcmp(words[i], "--quiet") == 0;
        output = output || strncmp(words[i], "-o", 2) == 0 || strncmp(words[i], "--output", 8) == 0 ||
                 strcmp(words[i], "--help") == 0;
    }
    if (!known)
        return failed("%s: expected total, viewshed, horizon, shadow or sunhours",
                      count > 1 ? words[1] : "COMMAND");
    return output || failed("%s: expected -o and the name of a raster", words[1]);
}

int main(int count, char **words) {
    int provided, local = 1;
    MPI_Comm node;
    MPI_Init_thread(&count, &words, MPI_THREAD_MULTIPLE, &provided);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Comm_split_type(MPI_COMM_WORLD, MPI_COMM_TYPE_SHARED, rank, MPI_INFO_NULL, &node);
    MPI_Comm_size(node, &local);
    long cores = sysconf(_SC_NPROCESSORS_ONLN);
    static crew mine;
    mine = (crew){rank,      size,    cores > local ? (int)(cores / local) : 1, agree, share, least,
                  next_tile, stop_all};
    run_crew = &mine;
    message_program("landfall-mpi");
    message_hold();
    busy = calloc((size_t)size, sizeof *busy);
    if (!busy)
        agree(failed("out of memory"));
    if (provided < MPI_THREAD_MULTIPLE)
        agree(failed("MPI: this installation does not support calls from several threads"));
    if (rank == 0)
        pthread_create(&server, NULL, serve, NULL);
    int nothing = open("/dev/null", O_WRONLY | O_CLOEXEC);
    if (rank > 0 && nothing >= 0)
        dup2(nothing, STDOUT_FILENO); // answers are those of rank 0
    int status = !failed_somewhere && is_accepted(count, words) ? landfall_main(count, words) : CLI_ERROR;
    if (!agree(status == CLI_YES))
        status = CLI_ERROR;
    if (rank == 0) {
        int64_t end = 0;
        MPI_Send(&end, 1, MPI_INT64_T, 0, TAG_END, MPI_COMM_WORLD);
        pthread_join(server, NULL);
    }
    free(busy);
    MPI_Finalize();
    return status;
}
