// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Secrets

/// The client side of SOCKS 5 (RFC 1928), with a user and a password if the proxy requires them
/// (RFC 1929), without I/O.
package struct SOCKSExchange {
    enum Action: Hashable {
        case send([UInt8])
        /// The proxy requires a user and a password.
        case askForLogin
        /// The connection to the destination is open, and all further bytes belong to it.
        case open
    }

    enum Failure: Error, Hashable {
        case refused(SOCKSRefusal)
        case malformed(MalformedSOCKS)
        /// The proxy rejected the user or the password.
        case loginRejected
    }

    private enum State {
        case greeted
        case asked
        case loggingIn
        case requested
        case open
    }

    private static let version: UInt8 = 5
    private static let loginVersion: UInt8 = 1
    private static let noLogin: UInt8 = 0
    private static let password: UInt8 = 2
    private static let noAcceptableMethod: UInt8 = 0xFF
    /// The maximum length of a field with a one-byte length prefix.
    private static let limit = 255

    private let destination: HostEndpoint
    private var state = State.greeted
    /// The unread bytes from the proxy; after the exchange, the first bytes from the destination.
    private(set) var received: [UInt8] = []

    init(to destination: HostEndpoint) {
        self.destination = destination
    }

    /// The client's first message, which offers no authentication and password authentication (section 3).
    var greeting: [UInt8] { [Self.version, 2, Self.noLogin, Self.password] }

    /// Reads bytes from the proxy.
    ///
    /// - Returns: The next action; `nil` if the message is incomplete.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(Failure) -> Action? {
        received += bytes
        let action = try next()
        // The proxy sends only replies, so bytes after a reply are an error; after the last reply,
        // they are the destination's.
        guard action == nil || action == .open || received.isEmpty else { throw .malformed(.excess) }
        return action
    }

    private mutating func next() throws(Failure) -> Action? {
        switch state {
        case .greeted: return try readMethod()
        case .asked: throw .malformed(.excess)
        case .loggingIn: return try readLoginStatus()
        case .requested: return try readReply()
        case .open: return nil
        }
    }

    /// Returns the message for ``Action/askForLogin`` (RFC 1929 section 2).
    ///
    /// A password may be empty, because some proxies need only a user.
    mutating func logIn(user: String, password: Secret) throws(SOCKSLoginProblem) -> [UInt8] {
        let user = Array(user.utf8)
        guard (1...Self.limit).contains(user.count) else { throw .userLength(limit: Self.limit) }
        var secret = password.withUnsafeBytes { Array($0) }
        defer { secret.erase() }
        guard secret.count <= Self.limit else { throw .passwordLength(limit: Self.limit) }
        state = .loggingIn
        return [Self.loginVersion, UInt8(user.count)] + user + [UInt8(secret.count)] + secret
    }

    // MARK: Replies

    private mutating func readMethod() throws(Failure) -> Action? {
        try check(version: Self.version)
        guard let reply = take(2) else { return nil }
        switch reply[1] {
        case Self.noLogin:
            state = .requested
            return .send(request)
        case Self.password:
            state = .asked
            return .askForLogin
        case Self.noAcceptableMethod: throw .refused(.noAcceptableMethod)
        default: throw .malformed(.method(reply[1]))
        }
    }

    private mutating func readLoginStatus() throws(Failure) -> Action? {
        try check(version: Self.loginVersion)
        guard let reply = take(2) else { return nil }
        guard reply[1] == 0 else { throw .loginRejected }
        state = .requested
        return .send(request)
    }

    /// Reads the reply; its bound address only determines the reply's length, and is not used (section 6).
    private mutating func readReply() throws(Failure) -> Action? {
        try check(version: Self.version)
        guard received.count >= 2 else { return nil }
        // Some proxies end a failure reply after the code.
        guard received[1] == 0 else { throw .refused(.init(code: received[1])) }
        if received.count >= 3, received[2] != 0 { throw .malformed(.reserved(received[2])) }
        guard received.count >= 4, let length = try addressLength() else { return nil }
        guard take(4 + length + 2) != nil else { return nil }
        state = .open
        return .open
    }

    /// Returns the length of the address in a reply, including the length byte of a name.
    private func addressLength() throws(Failure) -> Int? {
        switch received[3] {
        case 1: return 4
        case 3: return received.count > 4 ? 1 + Int(received[4]) : nil
        case 4: return 16
        default: throw .malformed(.addressType(received[3]))
        }
    }

    private func check(version: UInt8) throws(Failure) {
        if let first = received.first, first != version { throw .malformed(.version(first)) }
    }

    private mutating func take(_ count: Int) -> [UInt8]? {
        guard received.count >= count else { return nil }
        defer { received.removeFirst(count) }
        return Array(received.prefix(count))
    }

    // MARK: The request

    /// The CONNECT request; the proxy resolves a host name (sections 4 and 5).
    private var request: [UInt8] {
        let port = UInt16(truncatingIfNeeded: destination.port)
        let address: [UInt8] =
            if let bytes = destination.host.addressBytes {
                [bytes.count == 4 ? 1 : 4] + bytes
            } else {
                // A host name has at most 253 bytes.
                [3, UInt8(truncatingIfNeeded: destination.host.description.utf8.count)]
                    + destination.host.description.utf8
            }
        return [Self.version, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }
}

/// The user and the password for a SOCKS proxy (RFC 1929).
package struct SOCKSLogin: Sendable {
    /// The user name.
    package let user: String
    /// The password, which may be empty.
    package let password: Secret

    package init(user: String, password: Secret) {
        (self.user, self.password) = (user, password)
    }
}
