/// Sight over a grid, exactly and slowly: every piece of the surface under a line, in rational arithmetic.
///
/// Written from the definitions of sight and of the surfaces alone and sharing no line with the library. Columns and rows are the
/// horizontal coordinates here: the caller converts. One thread only: the numbers live in static storage.
#ifndef LF_TESTS_EXACT_SIGHT_H
#define LF_TESTS_EXACT_SIGHT_H

#include "exact_grid.h"
#include "exact_number.h"

/// A line over the map: at t it is over (x + t dx, y + t dy), at the height z + rise t + bend t (t - turn). The interval of t is
/// open: (0, end). A line of sight has an end and a turn of 1; a line to the sun, or along which a horizon is looked for, no
/// end and a turn of 0.
typedef struct exact_line {
    double x, y, dx, dy;
    double z, rise, bend, turn;
    double end;  ///< INFINITY: none
    bool closed; ///< the end itself belongs to it
    bool back;   ///< t in answers counts from the other end; only where the end is 1
} exact_line;

/// A part of a line over one piece of the surface: from low to high, the line is a t^2 + b t + c above the ground. One where low
/// is high touches a corner or edge only, strictly between the ends.
typedef struct exact_part {
    mpq_t low, high;
    mpq_t a, b, c;
    double slack; ///< metres: what doubles may make of the height of the line above this piece
} exact_part;

/// Find the parts of a line, in the order of low; in static storage, good until the next call. Returns how many.
int64_t exact_sight_parts(const exact_grid *grid, const exact_line *line, const exact_part **parts);

/// The same by all pieces, without the filter in doubles that leaves out what is certainly beside the line.
int64_t exact_sight_parts_all(const exact_grid *grid, const exact_line *line, const exact_part **parts);

typedef struct exact_sight {
    bool blocked;            ///< ground strictly above the line, strictly between its ends
    double blocked_t;        ///< the greatest lower bound of where
    bool hole;               ///< below the highest height over a hole, strictly between its ends
    double hole_t;           ///< the greatest lower bound of where
    bool over_hole;          ///< over a hole at any height
    bool over_ground;        ///< strictly between its ends
    const exact_part *parts; ///< as exact_sight_parts finds them
    int64_t part_count;
} exact_sight;

exact_sight exact_sight_of(const exact_grid *grid, const exact_line *line);

/// What doubles may say of a number: the exact one, and the least and the greatest that the rounding of heights explains.
typedef struct exact_range {
    double exact, low, high;
    double t; ///< of the exact one; the first where there are several
} exact_range;

/// Of parts that exact_sight_parts found. Over none: INFINITY, -INFINITY and INFINITY.
exact_range exact_clearance(const exact_part *parts, int64_t count);
/// The least upper bound of how far the ground is above the line, divided by t.
exact_range exact_raise(const exact_part *parts, int64_t count);
/// The greatest lower bound of the clearance as a share of sqrt(t (1 - t)). In long doubles: good to about 1e-12.
exact_range exact_zone(const exact_part *parts, int64_t count);

/// The sign of z - above - ground at a place; *off, the distance. 0 and NAN where there is no ground.
int exact_stand(const exact_grid *grid, double column, double row, double z, double above, double *off);

#endif
