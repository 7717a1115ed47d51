// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// The protection space that a credential is valid for (RFC 9110 section 11.5).
public struct ProtectionSpace: Hashable, Sendable {
    /// The kind of peer that asks: an origin or a proxy.
    public enum Role: Hashable, Sendable {
        /// An origin server.
        case origin
        /// A proxy between the client and the origin.
        case proxy
    }

    /// The host that sends the challenge.
    public let host: HostName
    /// The port, from 1 to 65,535.
    public let port: Int
    /// The scheme by which the peer is reached: `http`, `https` or, for a proxy, `socks5`.
    public let scheme: String
    /// The realm that the server named; `nil` where it named none, and for the methods of TLS and SOCKS.
    public let realm: String?
    /// The authentication method of the answer.
    public let method: AuthenticationMethod
    /// Whether an origin or a proxy asks.
    public let role: Role

    /// Makes a space.
    ///
    /// Two spaces are equal if all their properties are.
    public init(
        host: HostName, port: Int, scheme: String, realm: String?, method: AuthenticationMethod, role: Role = .origin
    ) {
        self.host = host
        self.port = port
        self.scheme = scheme
        self.realm = realm
        self.method = method
        self.role = role
    }

    /// Whether TLS encrypts what the client sends to the peer that asks.
    public var isEncrypted: Bool { scheme == "https" }
}

extension ProtectionSpace {
    /// Compares realms by their bytes.
    ///
    /// A `String` would treat canonically equivalent realms as equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.port == right.port && left.role == right.role && left.method == right.method
            && left.scheme == right.scheme && left.host == right.host && left.hasRealm(of: right)
    }

    private func hasRealm(of other: Self) -> Bool {
        guard let realm, let otherRealm = other.realm else { return realm == nil && other.realm == nil }
        return realm.utf8.elementsEqual(otherRealm.utf8)
    }
}
