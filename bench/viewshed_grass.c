/// GRASS's r.viewshed, where it is installed.
#include "viewshed.h"

#include <stdlib.h>

double view_grass_seconds(const view_question *question) {
    (void)question;
    if (system("command -v grass >/dev/null 2>&1") != 0) {
        static bool told;
        if (!told)
            printf("GRASS is not installed: r.viewshed is left out\n");
        told = true;
        return -1;
    }
    return -1;
}
