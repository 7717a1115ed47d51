// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A way to prove that an account controls an identifier (RFC 8555 section 8).
public struct Challenge: Codable, Hashable, Sendable {
    /// How a challenge is answered; authorities may have more ways than these.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The name of the way.
        public let rawValue: String

        /// A way by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file of a web server on port 80 (RFC 8555 section 8.3).
        public static let http01 = Self(rawValue: "http-01")
        /// A TXT record (RFC 8555 section 8.4).
        public static let dns01 = Self(rawValue: "dns-01")
        /// A certificate on port 443 (RFC 8737).
        public static let tlsALPN01 = Self(rawValue: "tls-alpn-01")
    }

    /// How far a challenge came (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// The client has not answered.
        case pending
        /// The authority is looking.
        case processing
        /// The authority saw the proof.
        case valid
        /// The authority did not see it.
        case invalid
    }

    /// How it is answered.
    public var type: Kind
    /// The URL to which the client reports that it has answered.
    public var url: String
    /// How far it came.
    public var status: Status
    /// When the authority saw the proof.
    public var validated: Timestamp?
    /// Why the authority did not see it.
    public var error: Problem?
    /// The token from which the proof is made, which all known kinds of challenges have.
    public var token: String?

    /// A challenge by its parts.
    public init(
        type: Kind, url: String, status: Status, validated: Timestamp? = nil, error: Problem? = nil,
        token: String? = nil
    ) {
        (self.type, self.url, self.status) = (type, url, status)
        (self.validated, self.error, self.token) = (validated, error, token)
    }
}
