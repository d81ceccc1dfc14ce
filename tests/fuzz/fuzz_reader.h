/* SPDX-License-Identifier: MIT
 *
 * fuzz_reader.h - the entry point that libFuzzer and fuzz_replay.c call.
 */
#ifndef GMTEST_FUZZ_READER_H
#define GMTEST_FUZZ_READER_H

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

#endif
