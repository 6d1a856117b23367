/// Files of ground whose content may be anything: open and ask whatever there is to ask. Answers do not matter; that it ends well does.
#ifndef LF_TESTS_STORE_ASK_H
#define LF_TESTS_STORE_ASK_H

#include <landfall/store.h>

/// Let header and table be right again: size and checksum. The memory lies at a multiple of 8. false: too short for that.
bool store_mend(uint8_t *data, size_t size);

/// Let the checksums of all sections that lie within the file be right, too, as in a file of version 1.0: without sums of blocks.
bool store_mend_all(uint8_t *data, size_t size);

/// Open `size` bytes, which lie at a multiple of 64, and ask. true: it could be opened.
bool store_ask(const uint8_t *data, size_t size);

/// Some questions to an open file.
void store_ask_open(const lf_store *store);

#endif
