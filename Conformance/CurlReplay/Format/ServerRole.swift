// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Whether it is the server of a test, or the proxy before it; the first is a proxy too where it is asked to be.
enum ServerRole: CaseIterable, Sendable {
    case origin
    case proxy
}
