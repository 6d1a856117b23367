/// Text, time, locks and memory on Windows.
#include "base/base.h"
#if defined(_WIN32)
#include "base/system.h"
#include "base/windows.h"
#include <locale.h>
#include <malloc.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// The locale of a thread can be changed for a moment, but not the decimal point of vsnprintf alone.
void lf__format(char *text, size_t size, const char *format, va_list arguments) {
    int before = _configthreadlocale(_ENABLE_PER_THREAD_LOCALE);
    char was[64] = "";
    const char *now = setlocale(LC_NUMERIC, NULL);
    if (now && strlen(now) < sizeof was)
        memcpy(was, now, strlen(now) + 1);
    setlocale(LC_NUMERIC, "C");
    vsnprintf(text, size, format, arguments);
    if (was[0])
        setlocale(LC_NUMERIC, was);
    if (before == _DISABLE_PER_THREAD_LOCALE)
        _configthreadlocale(before);
}

double lf__clock(void) {
    LARGE_INTEGER now, each;
    QueryPerformanceCounter(&now);
    QueryPerformanceFrequency(&each);
    return (double)now.QuadPart / (double)each.QuadPart;
}

_Static_assert(sizeof(lf__mutex) == sizeof(SRWLOCK), "a lock is a pointer");

bool lf__mutex_create(lf__mutex *mutex) {
    InitializeSRWLock((SRWLOCK *)mutex);
    return true;
}

void lf__mutex_destroy(lf__mutex *mutex) {
    (void)mutex;
}

void lf__mutex_lock(lf__mutex *mutex) {
    AcquireSRWLockExclusive((SRWLOCK *)mutex);
}

void lf__mutex_unlock(lf__mutex *mutex) {
    ReleaseSRWLockExclusive((SRWLOCK *)mutex);
}

void *lf__aligned_allocate(size_t size, size_t alignment) {
    return _aligned_malloc(size, alignment);
}

void lf__aligned_free(void *block) {
    _aligned_free(block);
}

/// Counts against the memory that the system has promised, unlike on Linux, but takes pages only when they are written.
void *lf__sparse_take(size_t bytes) {
    return VirtualAlloc(NULL, bytes, MEM_RESERVE | MEM_COMMIT, PAGE_READWRITE);
}

void lf__sparse_give(void *block, size_t bytes) {
    (void)bytes;
    if (block)
        VirtualFree(block, 0, MEM_RELEASE);
}

#endif
