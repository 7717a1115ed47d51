// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import XMLDocuments
internal import XMLSignature

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

/// The times of a message that came (SOAP Message Security 1.1 section 10).
struct ReceivedTimestamp {
    let created: Date
    let expires: Date?

    /// Reads a `Timestamp` from the bytes that were signed.
    init(_ bytes: [UInt8]) throws(WSSecurityError) {
        let tree = try inDocument { () throws(XMLDocumentError) in
            try XMLTree(parsing: bytes, limits: XMLLimits())
        }
        defer { withExtendedLifetime(tree) {} }
        let malformed = WSSecurityError.malformedHeader(element: "Timestamp", line: 1)
        let times = tree.root.children
        guard times.first?.name == .wsu("Created"),
            times.count == 1 || (times.count == 2 && times[1].name == .wsu("Expires")),
            let created = times.first?.text.flatMap(SecurityTime.date)
        else { throw malformed }
        self.created = created
        guard times.count == 2 else {
            expires = nil
            return
        }
        guard let expires = times[1].text.flatMap(SecurityTime.date), expires >= created else { throw malformed }
        self.expires = expires
    }

    /// Until when the message counts.
    func end(_ policy: SecurityPolicy) -> Date {
        min(expires ?? .distantFuture, created + policy.mostAge) + policy.clockSkew
    }

    /// Refuses a message that counts no longer, or not yet.
    func check(_ policy: SecurityPolicy, at time: Date) throws(WSSecurityError) {
        guard created <= time + policy.clockSkew else { throw .fromTheFuture(created: created) }
        if let expires, expires + policy.clockSkew < time { throw .expired(expires) }
        guard created + policy.mostAge + policy.clockSkew >= time else { throw .stale(created: created) }
    }
}
