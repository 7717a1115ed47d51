// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations

/// A command that is a program beside this one could not be run.
package struct ExternalCommandError: Error, Hashable {
    package let path: String
    /// An `errno`.
    package let code: Int32
}

extension ExternalCommandError: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.cannot-run", "\(path) cannot be run: \(systemErrorText(code)).", systemCode: code,
            reason: "The operating system did not start the program.",
            advice: "Check who may run it, and the interpreter that its first line names.")
    }

    package static var examples: [ExternalCommandError] { [Self(path: "/usr/local/bin/countersign-example", code: 13)] }
}
