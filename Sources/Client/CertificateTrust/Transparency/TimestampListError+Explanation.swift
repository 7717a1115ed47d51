// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

extension TimestampListError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed:
            ErrorExplanation(
                "timestamps.malformed", "The list of signed certificate timestamps cannot be read.",
                reason: "It is damaged, empty, or something else than a list of RFC 6962 section 3.3.",
                advice: "Give the data of the TLS extension signed_certificate_timestamp, as the server sent it.")
        case .tooMany(let limit):
            ErrorExplanation(
                "timestamps.too-many", "The list has more than \(limit) signed certificate timestamps.",
                reason: "The number is limited, because each of them costs time.",
                advice: "Give at most \(limit) timestamps; policies ask for two or three.")
        }
    }

    package static var examples: [Self] { [.malformed, .tooMany(limit: TimestampList.limit)] }
}
