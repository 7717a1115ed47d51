// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Depends on every fuzz target, so that one build compiles them all (scripts/check/fuzz --compile).
