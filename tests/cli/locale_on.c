/// Preloaded by the locale test: the process takes on the numbers and letters of the locale in its environment, as if
/// a library had done it. (Messages of the system may well be in the language of the user.)
#include <locale.h>

__attribute__((constructor)) static void take_on_locale(void) {
    setlocale(LC_NUMERIC, "");
    setlocale(LC_CTYPE, "");
}
