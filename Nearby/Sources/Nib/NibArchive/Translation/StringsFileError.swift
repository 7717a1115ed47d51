// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// Why a file of translations cannot be read.
public enum StringsFileError: Error, Hashable {
    /// A line is not of the form `"key" = "text";`. Holds the number of the line, from 1.
    case malformed(line: Int)
}

extension StringsFileError: ExplainedError {
    /// What happened, what that means and what to try.
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
    /// A value for each code, from which `docs/reference/errors-nearby.md` and `countersign explain` are made.
    package static var examples: [Self] { [.malformed(line: 3)] }
}
