// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// libFuzzer has no header; this is its entry for programs that bring their own main
// (https://llvm.org/docs/LibFuzzer.html#using-libfuzzer-as-a-library).

#include <stddef.h>
#include <stdint.h>

int LLVMFuzzerRunDriver(int *argc, char ***argv, int (*callback)(const uint8_t *data, size_t size));

// Changes the bytes in place as libFuzzer would by itself; gives the new size.
size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t limit);
