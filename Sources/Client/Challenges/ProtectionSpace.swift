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

/// The targets of an origin that are in the protection space of a challenge, as far as the client can know before another challenge.
public struct SpaceScope: Hashable, Sendable {
    private let prefixes: [String]

    /// Derives the scope of a challenge.
    ///
    /// Digest: the targets that `domain` lists of this origin, and the whole origin where there is no `domain` (RFC 7616 section 3.3).
    /// Methods that authenticate connections: the whole origin. Basic and all other methods: everything below the directory of the
    /// challenged target (RFC 7617 section 2.2).
    ///
    /// - Parameters:
    ///   - challenge: The server's challenge.
    ///   - target: The request-target that was challenged, path and query.
    ///   - origin: Scheme and authority, such as `https://a.test:8443`.
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
        // What was challenged may lie outside of the list; its neighbours are not known to lie inside.
        prefixes = domain.isEmpty ? ["/"] : listed + [String(Self.path(of: target))]
    }

    /// Returns whether a target is in the scope.
    ///
    /// A path with dot segments or encoded slashes counts as outside, because the server may read it as another path. A request for it
    /// waits for a challenge.
    public func contains(_ target: String) -> Bool {
        let path = Self.path(of: target)
        return !Self.isAmbiguous(path) && prefixes.contains { Self.path(path, liesBelow: $0) }
    }

    /// Whether there is a segment that begins with a dot, or an encoded dot, slash or backslash.
    private static func isAmbiguous(_ path: Substring) -> Bool {
        var before: (UInt8, UInt8) = (0, 0)
        for byte in path.utf8 {
            if before.1 == UInt8(ascii: "/"), byte == UInt8(ascii: ".") { return true }
            if before.0 == UInt8(ascii: "%") {
                // A digit stays as it is, and a letter becomes small.
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
