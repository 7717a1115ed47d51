// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// The protection space for which a credential is valid (RFC 9110 section 11.5).
public struct ProtectionSpace: Hashable, Sendable {
    /// The role of the peer that sends the challenge: an origin or a proxy.
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
    /// The scheme of the peer: `http`, `https` or, for a proxy, `socks5`.
    public let scheme: String
    /// The realm of the server; `nil` if it named none, and for the TLS and SOCKS methods.
    public let realm: String?
    /// The authentication method of the answer.
    public let method: AuthenticationMethod
    /// Whether the peer is an origin or a proxy.
    public let role: Role

    /// Makes a space.
    ///
    /// Two spaces are equal if all their properties are equal.
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

    /// Whether TLS encrypts the data that the client sends to the peer.
    public var isEncrypted: Bool { scheme == "https" }

    /// Returns whether an origin may receive the credentials of another one of the same host: it is the same one, or the
    /// server's with TLS instead of without it, at the standard ports or at one port that answers in both ways.
    ///
    /// A credential for a host without TLS is no less safe with the same host over TLS.
    ///
    /// - Parameters:
    ///   - other: The port of the credentials' origin, and whether it uses TLS.
    ///   - port: The port of the recipient.
    ///   - isEncrypted: Whether the recipient uses TLS.
    /// - Returns: Whether the credentials may be sent.
    package static func mayHaveCredentials(
        of other: (port: Int, isEncrypted: Bool), port: Int, isEncrypted: Bool
    ) -> Bool {
        guard other.isEncrypted != isEncrypted else { return other.port == port }
        return isEncrypted && (other.port == port || other.port == 80 && port == 443)
    }

    /// Returns whether the space may receive the credentials of an origin.
    package func mayHaveCredentials(ofHost host: HostName?, port: Int, isEncrypted: Bool) -> Bool {
        role == .origin && self.host == host
            && Self.mayHaveCredentials(of: (port, isEncrypted), port: self.port, isEncrypted: self.isEncrypted)
    }
}

extension ProtectionSpace {
    /// Compares spaces, with realms compared by their bytes.
    ///
    /// A comparison as `String` would treat canonically equivalent realms as equal.
    public static func == (left: Self, right: Self) -> Bool {
        left.port == right.port && left.role == right.role && left.method == right.method
            && left.scheme == right.scheme && left.host == right.host && left.hasRealm(of: right)
    }

    private func hasRealm(of other: Self) -> Bool {
        guard let realm, let otherRealm = other.realm else { return realm == nil && other.realm == nil }
        return realm.utf8.elementsEqual(otherRealm.utf8)
    }
}

/// The targets of an origin that the client can expect in the protection space of a challenge.
public struct SpaceScope: Hashable, Sendable {
    private let prefixes: [String]

    /// Derives the scope of a challenge.
    ///
    /// For Digest, the scope contains the targets of this origin in `domain`, or the complete origin without `domain`
    /// (RFC 7616 section 3.3). For methods that authenticate connections, it is the complete origin. For Basic and all
    /// other methods, it contains all targets below the directory of the challenged target (RFC 7617 section 2.2).
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - target: The challenged request-target, with path and query.
    ///   - origin: The scheme and authority, such as `https://a.test:8443`.
    public init(of challenge: HTTPChallenge, challengedTarget target: String, origin: String) {
        guard !challenge.method.isConnectionBound else {
            prefixes = ["/"]
            return
        }
        guard challenge.method.traits.listsTargets else {
            prefixes = [Self.directory(of: target)]
            return
        }
        let domain = (challenge["domain"] ?? "").split { $0 == " " || $0 == "\t" }
        let listed = domain.compactMap { entry -> String? in
            if entry.hasPrefix("/"), !entry.hasPrefix("//") { return String(entry) }
            guard entry.lowercased().hasPrefix(origin.lowercased()) else { return nil }
            let path = entry.dropFirst(origin.count)
            return path.isEmpty ? "/" : path.hasPrefix("/") ? String(path) : nil
        }
        // The challenged target may be missing from the list; its siblings are not assumed to be in the space.
        prefixes = domain.isEmpty ? ["/"] : listed + [String(Self.path(of: target))]
    }

    /// Makes the scope of all targets below a path.
    ///
    /// - Parameter prefix: The path, percent-encoded, with or without a final slash.
    package init(prefix: String) { prefixes = [prefix] }

    /// Returns whether a target is in the scope.
    ///
    /// A path with dot segments or encoded slashes is outside the scope, because the server may interpret it as another
    /// path. A request for it is sent without a credential until it is challenged.
    public func contains(_ target: String) -> Bool {
        let path = Self.path(of: target)
        return !Self.isAmbiguous(path) && prefixes.contains { Self.path(path, liesBelow: $0) }
    }

    /// Returns whether a segment begins with a dot, or contains an encoded dot, slash or backslash.
    private static func isAmbiguous(_ path: Substring) -> Bool {
        var before: (UInt8, UInt8) = (0, 0)
        for byte in path.utf8 {
            if before.1 == UInt8(ascii: "/"), byte == UInt8(ascii: ".") { return true }
            if before.0 == UInt8(ascii: "%") {
                // The mask converts letters to lower case and leaves digits unchanged.
                switch (before.1, byte | 0x20) {
                case (UInt8(ascii: "2"), UInt8(ascii: "e")), (UInt8(ascii: "2"), UInt8(ascii: "f")),
                    (UInt8(ascii: "5"), UInt8(ascii: "c")):
                    return true
                default: break
                }
            }
            before = (before.1, byte)
        }
        return false
    }

    /// The length of the longest path prefix of the scope, in bytes.
    ///
    /// If two scopes contain a target, the deeper one applies.
    public var depth: Int { prefixes.map(\.utf8.count).max() ?? 0 }

    private static func path(_ path: Substring, liesBelow prefix: String) -> Bool {
        prefix.hasSuffix("/") ? path.hasPrefix(prefix) : path == prefix || path.hasPrefix(prefix + "/")
    }

    private static func path(of target: String) -> Substring {
        target.prefix { $0 != "?" && $0 != "#" }
    }

    private static func directory(of target: String) -> String {
        let path = path(of: target)
        return path.lastIndex(of: "/").map { String(path[...$0]) } ?? "/"
    }
}
