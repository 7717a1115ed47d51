// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The C library functions that Embedded Swift needs, for WebAssembly without a C library. The page creates an instance for each request,
// so released memory is not reused.

typedef __SIZE_TYPE__ size_t;

extern unsigned char __heap_base;
static size_t next = 0;

int posix_memalign(void **address, size_t alignment, size_t size) {
    if (next == 0) next = (size_t)&__heap_base;
    size_t start = (next + alignment - 1) & ~(alignment - 1);
    size_t end = start + size;
    size_t have = __builtin_wasm_memory_size(0) << 16;
    // 12 is ENOMEM.
    if (end < start) return 12;
    if (end > have && __builtin_wasm_memory_grow(0, (end - have + 0xFFFF) >> 16) == (size_t)-1) return 12;
    next = end;
    *address = (void *)start;
    return 0;
}

void *malloc(size_t size) {
    void *address;
    return posix_memalign(&address, 16, size) == 0 ? address : 0;
}

void free(void *address) { (void)address; }

// With bulk memory, the compiler translates the built-in functions to instructions.
void *memcpy(void *to, const void *from, size_t count) { return __builtin_memcpy(to, from, count); }
void *memmove(void *to, const void *from, size_t count) { return __builtin_memmove(to, from, count); }
void *memset(void *to, int byte, size_t count) { return __builtin_memset(to, byte, count); }
