/// The same program as C++: the headers are for both languages.
#include "use.c"
