// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// What a case came to.
struct LimboOutcome: Sendable {
    /// Why the chain is not trusted; empty where it is.
    let reasons: [String]
    /// How long the evaluation took, without the parsing.
    let time: Duration

    var result: LimboCase.Result { reasons.isEmpty ? .success : .failure }
}
