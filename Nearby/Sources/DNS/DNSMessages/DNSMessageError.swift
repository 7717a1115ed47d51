// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// Why bytes are no DNS message.
public enum DNSMessageError: Error, Hashable {
    /// The message ends before what its counts and lengths announce.
    case endsEarly
    /// Bytes follow the last record.
    case trailingBytes
    /// A name is too long, or a pointer in it does not lead to an earlier place.
    case malformedName
    /// The data of a record does not have the form of its type. Holds the type.
    case malformedData(DNSRecordType)
}

extension DNSMessageError: ExplainedError {
    /// What happened, what that means and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .endsEarly:
            ErrorExplanation(
                "dns.ends-early", "The DNS message ends before its last record.",
                reason: "It was cut on its way, or its sender wrote wrong lengths.", advice: "Ask again, over TCP.")
        case .trailingBytes:
            ErrorExplanation(
                "dns.trailing-bytes", "Bytes follow the last record of the DNS message.",
                reason: "Its sender counted its records wrongly.", advice: "Ask another server.")
        case .malformedName:
            ErrorExplanation(
                "dns.malformed-name", "A name in the DNS message cannot be read.",
                reason: "It is longer than 255 bytes, or it is compressed in a way that leads nowhere.",
                advice: "Ask another server.")
        case .malformedData(let type):
            ErrorExplanation(
                "dns.malformed-data", "The data of a record of type \(type) cannot be read.",
                reason: "Its length or its form is not that of the type.", advice: "Ask another server.")
        }
    }
}

extension DNSMessageError {
    /// A value for each code, from which `docs/reference/errors-nearby.md` and `countersign explain` are made.
    package static var examples: [Self] { [.endsEarly, .trailingBytes, .malformedName, .malformedData(.srv)] }
}
