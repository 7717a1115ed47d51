// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error in the encoding of a DNS message.
public enum DNSMessageError: Error, Hashable {
    /// The message is shorter than its counts and lengths declare.
    case unexpectedEnd
    /// Bytes follow the last record.
    case trailingBytes
    /// A name is too long, or a compression pointer does not point to an earlier offset.
    case malformedName
    /// The data of a record does not have the format of its type. Holds the type.
    case malformedData(DNSRecordType)
}

extension DNSMessageError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .unexpectedEnd:
            ErrorExplanation(
                "dns.ends-early", "The DNS message ends before its last record.",
                reason: "It was truncated in transit, or its sender wrote wrong lengths.",
                advice: "Query again over TCP.")
        case .trailingBytes:
            ErrorExplanation(
                "dns.trailing-bytes", "Bytes follow the last record of the DNS message.",
                reason: "Its sender counted its records wrongly.", advice: "Ask another server.")
        case .malformedName:
            ErrorExplanation(
                "dns.malformed-name", "A name in the DNS message cannot be read.",
                reason: "It is longer than 255 bytes, or its compression is invalid.",
                advice: "Ask another server.")
        case .malformedData(let type):
            ErrorExplanation(
                "dns.malformed-data", "The data of a record of type \(type) cannot be read.",
                reason: "Its length or format does not match the type.", advice: "Ask another server.")
        }
    }
}

extension DNSMessageError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
    package static var examples: [Self] { [.unexpectedEnd, .trailingBytes, .malformedName, .malformedData(.srv)] }
}
