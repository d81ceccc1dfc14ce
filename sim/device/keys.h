/* SPDX-License-Identifier: MIT
 *
 * keys.h - the schema of a GPU's .ini file: one row a key, in the order in which they are shown.
 * Reader, --set, `gmsim gpus` and the manual all follow this table.
 */
#ifndef GMSIM_KEYS_H
#define GMSIM_KEYS_H

#include "sim/device/gpu.h"

typedef enum gmsim_key_kind {
    GMSIM_KEY_TEXT,
    GMSIM_KEY_COUNT,  /* uint32_t */
    GMSIM_KEY_POWER,  /* uint32_t, a power of two */
    GMSIM_KEY_SIZE,   /* uint32_t bytes; K, M, G with or without iB */
    GMSIM_KEY_SIZE64, /* uint64_t bytes */
    GMSIM_KEY_NAME,   /* uint32_t: place in a list of names, from min to max */
    GMSIM_KEY_SIZES,  /* gmsim_list of bytes, ascending */
    GMSIM_KEY_COUNTS, /* gmsim_list of counts, in any order */
    GMSIM_KEY_COST,   /* gmsim_cost: see cost.h */
} gmsim_key_kind;

typedef struct gmsim_key {
    const char *group, *key;
    gmsim_key_kind kind;
    size_t offset; /* of the field in gmsim_gpu */
    uint64_t min, max;
    bool may_be_unknown;  /* the word "unknown" stands for 0, and the model does without */
    const char *fallback; /* value where neither file nor base gives one; NULL: one has to */
    const char *meaning;
    const char *const *names; /* of GMSIM_KEY_NAME */
    size_t plugged; /* where gmsim_plugin has a policy of that kind, whose number is max + 1 and its
                     * place among the GPU's; 0: nowhere */
} gmsim_key;

extern const gmsim_key gmsim_keys[];
extern const unsigned gmsim_key_count;

/* The key named "group.key", or NULL. */
const gmsim_key *gmsim_key_find(const char *group, const char *key);
/* The key that "group.key" is called now, and what `*value` is called there, or NULL. */
const gmsim_key *gmsim_key_renamed(const char *group, const char *key, const char **value);
/* Edits (insert, delete, replace) that turn one word into the other: Levenshtein's distance.
 * UINT_MAX where `b` is no short word (64 characters and more). */
unsigned gmsim_word_distance(const char *a, const char *b);
/* The key nearest in spelling to "group.key", or NULL where none is near. */
const gmsim_key *gmsim_key_suggest(const char *name);
/* Whether the plug-in has a policy that the key can name. */
bool gmsim_key_plugged(const gmsim_key *key, const gmsim_plugin *plugin);
/* Parses text into the key's field. Returns NULL, or what is wrong (owned by the caller). */
char *gmsim_key_parse(const gmsim_key *key, const char *text, gmsim_gpu *gpu);
/* The field's value as an .ini file writes it; free with g_free(). */
char *gmsim_key_format(const gmsim_key *key, const gmsim_gpu *gpu);

#endif
