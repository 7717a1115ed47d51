// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation

/// The steps of a server of TLS, which a test can change as it likes.
package struct ServerScript: Sendable {
    package enum Step: Hashable, Sendable {
        /// Waits for a handshake message of the client.
        case wait(UInt8)
        /// Sends a handshake message, which the signature and Finished cover.
        case message(UInt8, [UInt8])
        /// Sends a handshake message that they do not cover, as an attacker does.
        case forgery(UInt8, [UInt8])
        /// Does not send a handshake message that they cover.
        case omission(UInt8, [UInt8])
        /// Sends CertificateVerify or, in TLS 1.2, ServerKeyExchange; the byte is added to the first one of the signature.
        case signature(UInt8)
        /// Sends Finished; the byte is added to its first one.
        case finished(UInt8)
        /// Sends a record, which uses the new keys of TLS 1.2 from then on.
        case changeCipherSpec
        /// Uses the next keys of TLS 1.3.
        case keys(Keys)
        /// Sends a record of any type.
        case record(UInt8, [UInt8])
        /// Sends bytes without protection.
        case bytes([UInt8])
    }

    package enum Keys: UInt8, Sendable {
        case handshake, application, update
    }

    /// The optional parts of a script.
    package struct Options: Hashable, Sendable {
        package var applicationProtocol: String?
        package var staple: [UInt8]?
        package var timestamps: [UInt8]?
        package var requestsCertificate = false
        package var ticketCount = 0
        /// The group of the key exchange: 29 for X25519, or 23 for P-256, which needs a HelloRetryRequest.
        package var group: UInt16 = 29

        package init() {}
    }

    /// The bytes in a ServerHello that stand for the session ID of the client.
    package static let sessionID = [UInt8](repeating: 0xEE, count: 32)
    /// The bytes in a ServerHello that stand for the Finished messages of the previous handshake (RFC 5746).
    package static let verifyData = [UInt8](repeating: 0xDD, count: 24)
    /// The random value of a HelloRetryRequest (RFC 8446 section 4.1.3).
    package static let retryRandom: [UInt8] = [
        0xCF, 0x21, 0xAD, 0x74, 0xE5, 0x9A, 0x61, 0x11, 0xBE, 0x1D, 0x8C, 0x02, 0x1E, 0x65, 0xB8, 0x91, 0xC2, 0xA2,
        0x11, 0x16, 0x7A, 0xBB, 0x8C, 0x5E, 0x07, 0x9E, 0x09, 0xE2, 0xC8, 0xA8, 0x33, 0x9C,
    ]
    package static let random = [UInt8](repeating: 7, count: 32)

    package let isTLS13: Bool
    package var steps: [Step]
    /// The parameters of the key exchange of TLS 1.2.
    package var parameters = [3, 0, 29] + vector(ScriptedTLSServer.publicKey(29), octets: 1)

    package init(isTLS13: Bool, steps: [Step]) {
        (self.isTLS13, self.steps) = (isTLS13, steps)
    }

    // MARK: Scripts

    package static func tls13(_ options: Options = Options()) -> ServerScript {
        var steps: [Step] = [.wait(1)]
        if options.group != 29 { steps += [.message(2, retry(options.group)), .changeCipherSpec, .wait(1)] }
        steps += [
            .message(2, hello13(options.group)), .changeCipherSpec, .keys(.handshake),
            .message(8, vector(alpn(options), octets: 2)),
        ]
        if options.requestsCertificate { steps.append(.message(13, [0] + vector(algorithms13, octets: 2))) }
        steps += [.message(11, certificate13(options)), .signature(0), .finished(0), .keys(.application)]
        steps += (0..<options.ticketCount).map { .message(4, ticket13($0)) }
        return ServerScript(isTLS13: true, steps: steps + [.record(23, [1])])
    }

    package static func tls12(_ options: Options = Options(), renegotiates: Bool = false) -> ServerScript {
        var steps: [Step] = [.wait(1)] + handshake12(options, isRenegotiation: false) + [.record(23, [1])]
        if renegotiates {
            steps += [.forgery(0, []), .wait(1)] + handshake12(options, isRenegotiation: true) + [.record(23, [2])]
        }
        return ServerScript(isTLS13: false, steps: steps)
    }

    private static func handshake12(_ options: Options, isRenegotiation: Bool) -> [Step] {
        var steps: [Step] = [
            .message(2, hello12(options, isRenegotiation)),
            .message(11, vector(vector(ScriptedTLSServer.certificate, octets: 3), octets: 3)),
        ]
        if let staple = options.staple { steps.append(.message(22, [1] + vector(staple, octets: 3))) }
        steps.append(.signature(0))
        if options.requestsCertificate { steps.append(.message(13, [1, 64, 0, 4, 4, 3, 8, 4, 0, 0])) }
        steps += [.message(14, []), .wait(20)]
        if options.ticketCount > 0 { steps.append(.message(4, [0, 0, 14, 16] + vector([1, 2, 3], octets: 2))) }
        return steps + [.changeCipherSpec, .finished(0)]
    }

    // MARK: Messages

    package static func hello13(_ group: UInt16 = 29, extensions more: [UInt8] = []) -> [UInt8] {
        let share = integer(Int(group), octets: 2) + vector(ScriptedTLSServer.publicKey(group), octets: 2)
        return hello(
            random, suite: 0x1301, vector([0, 43, 0, 2, 3, 4, 0, 51] + vector(share, octets: 2) + more, octets: 2))
    }

    /// Makes a HelloRetryRequest.
    package static func retry(_ group: UInt16, extensions more: [UInt8] = []) -> [UInt8] {
        let share = [0, 51, 0, 2] + integer(Int(group), octets: 2)
        return hello(retryRandom, suite: 0x1301, vector([0, 43, 0, 2, 3, 4] + share + more, octets: 2))
    }

    package static func hello(
        version: UInt16 = 0x0303, _ random: [UInt8], sessionID: [UInt8] = sessionID, suite: Int,
        compression: UInt8 = 0, _ extensions: [UInt8]
    ) -> [UInt8] {
        integer(Int(version), octets: 2) + random + vector(sessionID, octets: 1) + integer(suite, octets: 2)
            + [compression] + extensions
    }

    package static func hello12(_ options: Options = Options(), _ isRenegotiation: Bool = false) -> [UInt8] {
        let verifyData = vector(vector(isRenegotiation ? verifyData : [], octets: 1), octets: 2)
        var extensions: [UInt8] = [0xFF, 1] + verifyData + [0, 23, 0, 0] + alpn(options)
        if options.staple != nil { extensions += [0, 5, 0, 0] }
        if let timestamps = options.timestamps { extensions += [0, 18] + vector(timestamps, octets: 2) }
        if options.ticketCount > 0 { extensions += [0, 35, 0, 0] }
        return hello(random, sessionID: [], suite: 0xC02B, vector(extensions, octets: 2))
    }

    private static func alpn(_ options: Options) -> [UInt8] {
        guard let name = options.applicationProtocol else { return [] }
        return [0, 16] + vector(vector(vector(Array(name.utf8), octets: 1), octets: 2), octets: 2)
    }

    /// The extension of a CertificateRequest that is required.
    private static let algorithms13: [UInt8] = [0, 13, 0, 6, 0, 4, 4, 3, 8, 4]

    package static func certificate13(_ options: Options = Options(), extensions more: [UInt8] = []) -> [UInt8] {
        var extensions = more
        if let staple = options.staple { extensions += [0, 5] + vector([1] + vector(staple, octets: 3), octets: 2) }
        if let timestamps = options.timestamps { extensions += [0, 18] + vector(timestamps, octets: 2) }
        let entry = vector(ScriptedTLSServer.certificate, octets: 3) + vector(extensions, octets: 2)
        return [0] + vector(entry, octets: 3)
    }

    package static func ticket13(_ number: Int) -> [UInt8] {
        [0, 0, 14, 16, 1, 2, 3, 4, 1, UInt8(truncatingIfNeeded: number)] + vector([5, 6, 7, 8], octets: 2) + [0, 0]
    }

    /// Returns bytes of which the first one is increased.
    static func added(_ change: UInt8, to bytes: [UInt8]) -> [UInt8] {
        bytes.prefix(1).map { $0 &+ change } + bytes.dropFirst()
    }

    // MARK: Framing

    package static func integer(_ value: Int, octets: Int) -> [UInt8] {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    package static func vector(_ content: [UInt8], octets: Int) -> [UInt8] {
        integer(content.count, octets: octets) + content
    }

    package static func message(_ type: UInt8, _ body: [UInt8]) -> [UInt8] { [type] + vector(body, octets: 3) }

    package static func record(_ type: UInt8, _ fragment: [UInt8]) -> [UInt8] {
        [type, 3, 3] + vector(fragment, octets: 2)
    }
}
