// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// Tests that count what stands in a peer's log: one after another, because each log is one.
@Suite(.interop, .serialized) struct CountedInteropTests {}
