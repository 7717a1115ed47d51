// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error in a domain name.
public enum DomainNameError: Error, Hashable, CaseIterable {
    /// A label is empty: the text is empty or has two adjacent dots.
    case emptyLabel
    /// A label has more than 63 bytes (RFC 1035 section 2.3.4).
    case longLabel
    /// The encoded name, with a length byte for each label, has more than 255 bytes (RFC 1035 section 2.3.4).
    case longName
    /// A backslash is at the end, or is followed by digits other than three from 000 to 255.
    case malformedEscape
}

extension DomainNameError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .emptyLabel:
            ErrorExplanation(
                "name.empty-label", "The domain name has an empty label.",
                reason: "The text is empty, or two dots are adjacent.", advice: "Remove the extra dot, or enter a name."
            )
        case .longLabel:
            ErrorExplanation(
                "name.long-label", "A label of the domain name is longer than 63 bytes.",
                reason: "That is the limit of RFC 1035.", advice: "Shorten the label.")
        case .longName:
            ErrorExplanation(
                "name.too-long", "The domain name is longer than 255 bytes.",
                reason: "That is the limit of RFC 1035, with a byte for the length of each label.",
                advice: "Shorten the name.")
        case .malformedEscape:
            ErrorExplanation(
                "name.malformed-escape", "A backslash in the domain name is not a valid escape.",
                reason: "It must precede one character, or three digits from 000 to 255.",
                advice: "Write \\\\ for a backslash itself.")
        }
    }
}
