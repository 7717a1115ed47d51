// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// The parts of an explanation whose message also stands within a message of the session, after a colon.
struct ClausedExplanation {
    let code: String
    /// What happened, in lower case and without a full stop.
    let clause: String
    let reason: String
    let advice: String

    init(_ code: String, _ clause: String, reason: String, advice: String) {
        (self.code, self.clause, self.reason, self.advice) = (code, clause, reason, advice)
    }

    /// With the clause as a sentence.
    var explanation: ErrorExplanation {
        ErrorExplanation(code, clause.prefix(1).uppercased() + clause.dropFirst() + ".", reason: reason, advice: advice)
    }
}
