// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

// Allocations of the whole process so far, every call of malloc and its kin; -1 where they cannot be counted.
long allocation_count(void);

#endif
