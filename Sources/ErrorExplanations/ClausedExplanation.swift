// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The parts of an explanation whose message also stands within another message, after a colon.
package struct ClausedExplanation {
    package let code: String
    /// What happened, in lower case and without a full stop.
    package let clause: String
    package let reason: String
    package let advice: String

    package init(_ code: String, _ clause: String, reason: String, advice: String) {
        (self.code, self.clause, self.reason, self.advice) = (code, clause, reason, advice)
    }

    /// With the clause as a sentence.
    package var explanation: ErrorExplanation {
        ErrorExplanation(code, clause.prefix(1).uppercased() + clause.dropFirst() + ".", reason: reason, advice: advice)
    }
}
