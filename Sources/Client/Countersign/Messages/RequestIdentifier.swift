// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization

/// The identifier of one request of a session, with all its redirects, retries and answers to challenges.
///
/// It is the same in the events, in the metadata of the log and in the attributes of spans. No two requests of a process
/// have the same identifier, and those of two processes differ with a probability close to 1.
public struct RequestIdentifier: Hashable, Sendable {
    /// The number of the next request, whose first value is random so that the logs of several processes can be merged.
    private static let next = Atomic(UInt64.random(in: 0...UInt64.max))

    private let number = next.wrappingAdd(1, ordering: .relaxed).oldValue

    /// Makes an identifier that no other request has.
    public init() {}

    /// The name of the identifier as metadata of the log and as an attribute of a span.
    static let attributeName = "countersign.request.id"
    /// The name of the attempt as metadata of the log and as an attribute of a span.
    static let attemptAttributeName = "countersign.request.attempt"
}

extension RequestIdentifier: CustomStringConvertible {
    /// The identifier as 16 hexadecimal digits.
    public var description: String {
        let digits = String(number, radix: 16)
        return String(repeating: "0", count: 16 - digits.count) + digits
    }
}
