// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// This target depends on every fuzz target, so that one build compiles all of them (scripts/check/fuzz --compile).
