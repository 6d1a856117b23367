/// A stranger's program that needs the core and nothing else.
#include <landfall/landfall.h>
#include <stdio.h>

int main(void) {
    return printf("%s %s\n", lf_version(), lf_status_name(LF_OK)) < 0;
}
