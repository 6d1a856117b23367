/// Questions to a globe: the finest tiles there are answer.
#ifndef CLI_GLOBE_ASK_H
#define CLI_GLOBE_ASK_H

#include "cli.h"

int globe_height(cli *run);
int globe_ray(cli *run);
int globe_sight(cli *run);

#endif
