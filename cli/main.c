#include <landfall/landfall.h>
#include <stdio.h>

int main(void) {
    printf("landfall %s\n", lf_version());
    return 0;
}
