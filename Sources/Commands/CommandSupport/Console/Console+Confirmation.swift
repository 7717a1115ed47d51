// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension Console {
    /// Asks a person for a word without which nothing is done.
    ///
    /// - Parameters:
    ///   - question: What is answered with yes or no.
    ///   - outcome: What is printed off a terminal, or after a no.
    /// - Throws: ``CommandError`` there.
    package func confirm(_ question: String, otherwise outcome: String) async throws {
        guard let prompter else {
            throw CommandError.confirmationNeeded(outcome, option: "--yes")
        }
        guard await prompter.confirm(question) else {
            throw CommandError.declined(outcome)
        }
    }

    /// Says which contents of a file are not imported, before anything is.
    package func complain(omitted omissions: [String]) {
        for omission in omissions { complain("Not imported: \(omission).") }
    }
}
