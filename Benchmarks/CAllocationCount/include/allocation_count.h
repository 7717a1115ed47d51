// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#ifndef ALLOCATION_COUNT_H
#define ALLOCATION_COUNT_H

// The number of calls of malloc and related functions in this process; -1 if they cannot be counted.
long allocation_count(void);

#endif
