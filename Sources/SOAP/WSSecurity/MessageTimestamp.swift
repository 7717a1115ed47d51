// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import EssentialFoundation
internal import XMLDocuments
internal import XMLSignature

/// The creation and expiration times of a message (SOAP Message Security 1.1 section 10).
public struct MessageTimestamp: Sendable, Hashable {
    /// The time from the creation of the message to its expiration, in seconds; 300 by default.
    public var lifetime: TimeInterval

    /// Creates a timestamp with the lifetime of the message in seconds.
    public init(lifetime: TimeInterval = 300) { self.lifetime = lifetime }

    /// Returns the `Timestamp` element.
    func element(identifier: String, at time: Date) -> String {
        """
        <wsu:Timestamp wsu:Id="\(identifier)"><wsu:Created>\(SecurityTime.text(time))</wsu:Created>\
        <wsu:Expires>\(SecurityTime.text(time + lifetime))</wsu:Expires></wsu:Timestamp>
        """
    }
}

/// The timestamp of a received message (SOAP Message Security 1.1 section 10).
struct ReceivedTimestamp {
    let created: Date
    let expires: Date?

    /// Reads a `Timestamp` from the signed bytes.
    init(_ bytes: [UInt8]) throws(WSSecurityError) {
        let tree = try withDocumentErrors { () throws(XMLDocumentError) in
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

    /// Returns the time after which the message is refused.
    func end(_ policy: SecurityPolicy) -> Date {
        min(expires ?? .distantFuture, created + policy.maximumAge) + policy.clockSkew
    }

    /// Refuses a message that has expired, is too old, or was created in the future.
    func check(_ policy: SecurityPolicy, at time: Date) throws(WSSecurityError) {
        guard created <= time + policy.clockSkew else { throw .fromTheFuture(created: created) }
        if let expires, expires + policy.clockSkew < time { throw .expired(expires) }
        guard created + policy.maximumAge + policy.clockSkew >= time else { throw .stale(created: created) }
    }
}

/// The text form of times: UTC, with milliseconds.
enum SecurityTime {
    static func text(_ time: Date) -> String {
        time.formatted(Date.ISO8601FormatStyle(includingFractionalSeconds: true))
    }

    /// Reads a time with a zone, and with or without a fraction; returns `nil` for any other text.
    static func date(_ text: String) -> Date? {
        let text = text.drop(while: \.isXMLSpace)
        let end = text.lastIndex { !$0.isXMLSpace }.map { text.index(after: $0) } ?? text.startIndex
        let value = String(text[..<end])
        guard value.utf8.count <= 40, value.utf8.count >= 20 else { return nil }
        if let point = value.firstIndex(of: ".") {
            // Fractions may have any length, but the format reads only three digits.
            let digits = value[value.index(after: point)...].prefix { ("0"..."9").contains($0) }
            guard let fraction = Double("0.\(digits)"), !digits.isEmpty else { return nil }
            return wholeSecondDate(String(value[..<point] + value[digits.endIndex...])).map { $0 + fraction }
        }
        return wholeSecondDate(value)
    }

    private static func wholeSecondDate(_ value: String) -> Date? {
        try? Date(value, strategy: Date.ISO8601FormatStyle())
    }
}
