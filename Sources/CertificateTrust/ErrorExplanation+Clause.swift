// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

extension ErrorExplanation {
    /// The explanation with the clause that is its message, such as "its certificate expired", as a sentence.
    var asSentence: ErrorExplanation {
        ErrorExplanation(code, message.asSentence, reason: reason, advice: advice)
    }
}

extension String {
    /// A clause as a sentence: with a capital and a full stop.
    var asSentence: String { prefix(1).uppercased() + dropFirst() + "." }
}
