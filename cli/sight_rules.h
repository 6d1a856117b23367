/// How lines of sight bend and what holes mean: --cc, --k, --radius, --holes, --freq.
#ifndef CLI_SIGHT_RULES_H
#define CLI_SIGHT_RULES_H

#include "ground.h"
#include "json.h"
#include <landfall/sight.h>

/// Read the options; what they leave open is NaN until the ground is known. Says what is wrong and returns false.
bool sight_rules_read(const cli *run, lf_sight_rules *rules);

/// Settle what was left open by the ground: the coefficient by its CRS, radius, degrees and ellipsoid. NULL: no ground, a flat earth.
void sight_rules_settle(const loaded *ground, lf_sight_rules *rules);

/// " cc 0.85714" behind an answer, without the newline.
void sight_rules_put(output *out, const lf_sight_rules *rules);

/// The members "cc" and "radius".
void sight_rules_put_json(json *document, const lf_sight_rules *rules);

/// Numbers that may be infinite or NaN: "-" then, or null.
void put_maybe(output *out, double value);
void json_put_maybe(json *document, const char *key, double value);

#endif
