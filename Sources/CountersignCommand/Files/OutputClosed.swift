// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The reader of standard output has gone, which is no failure of the command.
struct OutputClosed: Error {}
