// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A way to prove that an account controls an identifier (RFC 8555 section 8).
public struct Challenge: Codable, Hashable, Sendable {
    /// How a challenge is answered; authorities may have more kinds than these.
    public struct Kind: RawRepresentable, Codable, Hashable, Sendable {
        /// The name of the kind, such as `http-01`.
        public let rawValue: String

        /// A kind by its name.
        public init(rawValue: String) { self.rawValue = rawValue }

        /// A file of a web server on port 80 (RFC 8555 section 8.3).
        public static let http01 = Self(rawValue: "http-01")
        /// A TXT record (RFC 8555 section 8.4).
        public static let dns01 = Self(rawValue: "dns-01")
        /// A certificate on port 443 (RFC 8737).
        public static let tlsALPN01 = Self(rawValue: "tls-alpn-01")
    }

    /// The state of a challenge (RFC 8555 section 7.1.6).
    public enum Status: String, Codable, Hashable, Sendable {
        /// The client has not answered.
        case pending
        /// The authority is validating the answer.
        case processing
        /// The authority found the proof.
        case valid
        /// The authority did not find the proof.
        case invalid
    }

    /// How the challenge is answered.
    public var type: Kind
    /// The URL to which the client reports that it has answered.
    public var url: String
    /// The state of the challenge.
    public var status: Status
    /// When the authority found the proof; `nil` before.
    public var validated: Timestamp?
    /// Why the authority did not find the proof; `nil` if it has not failed.
    public var error: Problem?
    /// The token from which the proof is made; all kinds above have one, others may have `nil`.
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
