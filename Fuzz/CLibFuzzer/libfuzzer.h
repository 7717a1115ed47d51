// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// libFuzzer has no header; this is its entry point for programs with their own main
// (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

// Changes the bytes in place with libFuzzer's default mutations, and returns the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);
