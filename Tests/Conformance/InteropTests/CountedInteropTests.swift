// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// Tests that count requests in a peer's log, one after another, because they share the log.
@Suite(.interop, .serialized) struct CountedInteropTests {}
