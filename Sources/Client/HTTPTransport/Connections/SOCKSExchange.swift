// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
package import Secrets

/// The client's side of SOCKS 5 (RFC 1928), with a user and a password where the proxy asks for them (RFC 1929): bytes in, actions out.
package struct SOCKSExchange {
    enum Action: Hashable {
        case send([UInt8])
        /// The proxy wants a user and a password.
        case askForLogin
        /// From now on the connection is the destination's.
        case open
    }

    enum Failure: Error, Hashable {
        case refused(SOCKSRefusal)
        case malformed(MalformedSOCKS)
        /// The user or the password is wrong.
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
    /// What counts its bytes in one byte.
    private static let limit = 255

    private let destination: Endpoint
    private var state = State.greeted
    /// What came and was not used: after the exchange, what the destination said.
    private(set) var received: [UInt8] = []

    init(to destination: Endpoint) {
        self.destination = destination
    }

    /// What the client begins with: it offers to go without a login, and with a password (section 3).
    var greeting: [UInt8] { [Self.version, 2, Self.noLogin, Self.password] }

    /// Takes what the proxy sent.
    ///
    /// - Returns: What is to be done; `nil` where more has to come first.
    mutating func receive(_ bytes: some Sequence<UInt8>) throws(Failure) -> Action? {
        received += bytes
        let action = try next()
        // The proxy speaks only when it was spoken to; after the last word it is the destination that speaks.
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

    /// The answer to ``Action/askForLogin`` (RFC 1929 section 2).
    ///
    /// A password may be empty, because some proxies want a user alone.
    mutating func logIn(user: String, password: Secret) throws(SOCKSLoginFlaw) -> [UInt8] {
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

    /// The address that the proxy uses is read to find its end, and is nothing that a client needs (section 6).
    private mutating func readReply() throws(Failure) -> Action? {
        try check(version: Self.version)
        guard received.count >= 2 else { return nil }
        // Some who refuse say no more.
        guard received[1] == 0 else { throw .refused(.init(code: received[1])) }
        if received.count >= 3, received[2] != 0 { throw .malformed(.reserved(received[2])) }
        guard received.count >= 4, let length = try addressLength() else { return nil }
        guard take(4 + length + 2) != nil else { return nil }
        state = .open
        return .open
    }

    /// Of the address in a reply, with the byte that counts a name's.
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

    /// CONNECT to the destination; a name is for the proxy to resolve (sections 4 and 5).
    private var request: [UInt8] {
        let port = UInt16(truncatingIfNeeded: destination.port)
        let address: [UInt8] =
            if let bytes = destination.host.addressBytes {
                [bytes.count == 4 ? 1 : 4] + bytes
            } else {
                // No name has more than 253 bytes.
                [3, UInt8(truncatingIfNeeded: destination.host.description.utf8.count)]
                    + destination.host.description.utf8
            }
        return [Self.version, 1, 0] + address + [UInt8(port >> 8), UInt8(port & 0xFF)]
    }
}

/// The user and the password for a proxy of SOCKS (RFC 1929).
package struct SOCKSLogin: Sendable {
    /// The user.
    package let user: String
    /// The password, which may be empty.
    package let password: Secret

    package init(user: String, password: Secret) {
        (self.user, self.password) = (user, password)
    }
}
