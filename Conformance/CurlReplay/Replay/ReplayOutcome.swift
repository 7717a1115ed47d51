// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a replay came to.
struct ReplayOutcome: Sendable {
    let test: CurlTest
    let received: [ServerRole: [RequestHead]]
    /// By transfer; many tests are about one.
    let errors: [String]
}
