// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error in reading a translation file.
public enum StringsFileError: Error, Hashable {
    /// A line does not have the format `"key" = "text";`. Holds the line number, starting at 1.
    case malformed(line: Int)
}

extension StringsFileError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed(let line):
            ErrorExplanation(
                "strings.malformed", "Line \(line) of the translations cannot be read.",
                reason: "An entry is \"key\" = \"text\"; with a backslash before quotes and backslashes.",
                advice: "Correct the line.")
        }
    }
}

extension StringsFileError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] { [.malformed(line: 3)] }
}
