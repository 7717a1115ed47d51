// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// A command that is a program beside this one could not be run.
struct ExternalCommandError: Error, Hashable {
    let path: String
    /// An `errno`.
    let code: Int32
}

extension ExternalCommandError: CataloguedError {
    var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.cannot-run", "\(path) cannot be run: \(systemErrorText(code)).",
            reason: "The operating system did not start the program.",
            advice: "Check who may run it, and the interpreter that its first line names.")
    }

    static var examples: [ExternalCommandError] { [Self(path: "/usr/local/bin/countersign-example", code: 13)] }
}
