#include <landfall/base.h>

#define LF_TEXT_OF(number) #number
#define LF_TEXT(number) LF_TEXT_OF(number)

const char *lf_version(void) {
    return LF_TEXT(LF_VERSION_MAJOR) "." LF_TEXT(LF_VERSION_MINOR) "." LF_TEXT(LF_VERSION_PATCH);
}

const char *lf_status_name(lf_status status) {
    switch (status) {
#define NAME(name, value, text) \
    case name:                  \
        return #name;
        LF_STATUS_LIST(NAME)
#undef NAME
    }
    return "LF_?";
}

const char *lf_status_text(lf_status status) {
    switch (status) {
#define TEXT(name, value, text) \
    case name:                  \
        return text;
        LF_STATUS_LIST(TEXT)
#undef TEXT
    }
    return "not a status";
}

const char *lf_reason_name(lf_reason reason) {
    switch (reason) {
#define WORD(name, value, word) \
    case name:                  \
        return word;
        LF_REASON_LIST(WORD)
#undef WORD
    }
    return "?";
}
