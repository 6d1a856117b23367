/// The system's header on Windows, without its macros that are ordinary words.
#ifndef LF_BASE_WINDOWS_H
#define LF_BASE_WINDOWS_H

#if defined(_WIN32)
#ifndef WIN32_LEAN_AND_MEAN
#define WIN32_LEAN_AND_MEAN
#endif
#ifndef NOMINMAX
#define NOMINMAX
#endif
#include <windows.h>
#undef near
#undef far
#undef small
#undef interface
#endif

#endif
