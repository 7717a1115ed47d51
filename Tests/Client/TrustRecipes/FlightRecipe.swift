// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import EssentialFoundation

/// A server's handshake flight, made byte by byte (RFC 8446 section 4, RFC 5246 section 7.4).
package struct FlightRecipe: Sendable {
    package static let secret: [UInt8] = Array(0..<32)
    package static let longSecret: [UInt8] = Array(0..<48)

    /// The unencrypted records; in TLS 1.3 they end with the ServerHello.
    package var start: [UInt8] = []
    /// The records that can be read once the secret is known.
    package var rest: [UInt8] = []
    package var keyLogLine = ""

    package init(start: [UInt8] = [], rest: [UInt8] = [], keyLogLine: String = "") {
        (self.start, self.rest, self.keyLogLine) = (start, rest, keyLogLine)
    }

    package var bytes: [UInt8] { start + rest }

    /// Makes a TLS 1.2 flight, whose messages are cut into fragments.
    package static func tls12(naming names: [[UInt8]], fragment: Int) -> FlightRecipe {
        let messages =
            message(2, hello(suite: 0xC02B, isTLS13: false)) + message(11, [UInt8](repeating: 1, count: 900))
            + message(12, [UInt8](repeating: 2, count: 80)) + message(13, requestOfTLS12(names)) + message(14, [])
        return FlightRecipe(start: records(22, messages, fragment: fragment))
    }

    /// Makes a TLS 1.3 flight, whose encrypted messages are cut into fragments.
    package static func tls13(
        _ suite: UInt16, naming names: [[UInt8]], fragment: Int, padding: Int = 0, afterRetry: Bool = false
    ) -> FlightRecipe {
        var sealer = RecordSealer(suite)
        let messages =
            message(8, [0, 0]) + message(13, requestOfTLS13(names)) + message(11, [UInt8](repeating: 1, count: 900))
        let retry = afterRetry ? record(22, message(2, hello(suite: suite, isTLS13: true, isRetry: true))) : []
        let changeCipherSpec = record(20, [1])
        return FlightRecipe(
            start: retry + (afterRetry ? changeCipherSpec : [])
                + record(22, message(2, hello(suite: suite, isTLS13: true))),
            rest: changeCipherSpec
                + stride(from: 0, to: messages.count, by: fragment).flatMap { start in
                    sealer.seal(22, Array(messages[start...].prefix(fragment)), padding: padding)
                },
            keyLogLine: line(sealer.secret))
    }

    package static func line(_ secret: [UInt8]) -> String {
        "SERVER_HANDSHAKE_TRAFFIC_SECRET \(String(repeating: "ab", count: 32)) \(hexadecimal(secret))\n"
    }

    // MARK: Messages

    package static func hello(suite: UInt16, isTLS13: Bool, isRetry: Bool = false, sessionID: Int = 32) -> [UInt8] {
        let random =
            isRetry ? Array(SHA256.hash(data: Array("HelloRetryRequest".utf8))) : [UInt8](repeating: 7, count: 32)
        return [3, 3] + random + vector([UInt8](repeating: 9, count: sessionID), octets: 1)
            + integer(Int(suite), octets: 2) + [0] + (isTLS13 ? vector([0, 43, 0, 2, 3, 4], octets: 2) : [])
    }

    package static func requestOfTLS12(_ names: [[UInt8]]) -> [UInt8] {
        vector([1, 64], octets: 1) + vector([4, 3, 8, 4], octets: 2)
            + vector(names.flatMap { vector($0, octets: 2) }, octets: 2)
    }

    package static func requestOfTLS13(_ names: [[UInt8]]) -> [UInt8] {
        let list = vector(names.flatMap { vector($0, octets: 2) }, octets: 2)
        let algorithms = [0, 13] + vector(vector([4, 3, 8, 4], octets: 2), octets: 2)
        return [0] + vector(algorithms + (names.isEmpty ? [] : [0, 47] + vector(list, octets: 2)), octets: 2)
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

    package static func records(_ type: UInt8, _ content: [UInt8], fragment: Int) -> [UInt8] {
        stride(from: 0, to: content.count, by: fragment).flatMap {
            record(type, Array(content[$0...].prefix(fragment)))
        }
    }

    package static func hexadecimal(_ bytes: [UInt8]) -> String {
        bytes.map { ($0 < 16 ? "0" : "") + String($0, radix: 16) }.joined()
    }
}

/// Encrypts a server's handshake records, independently of the client's decryption.
package struct RecordSealer {
    package let suite: UInt16
    package let secret: [UInt8]
    private var sequence = 0

    package init(_ suite: UInt16) {
        self.suite = suite
        secret = suite == 0x1302 ? FlightRecipe.longSecret : FlightRecipe.secret
    }

    package mutating func seal(_ type: UInt8, _ content: [UInt8], padding: Int = 0) -> [UInt8] {
        let inner = content + [type] + [UInt8](repeating: 0, count: padding)
        let header = [23, 3, 3] + FlightRecipe.integer(inner.count + 16, octets: 2)
        var nonce = expand("iv", 12)
        for (index, byte) in FlightRecipe.integer(sequence, octets: 8).enumerated() { nonce[4 + index] ^= byte }
        sequence += 1
        return header + encrypt(inner, header, nonce)
    }

    private func encrypt(_ inner: [UInt8], _ header: [UInt8], _ nonce: [UInt8]) -> [UInt8] {
        do {
            let key = SymmetricKey(data: expand("key", suite == 0x1301 ? 16 : 32))
            if suite == 0x1303 {
                let box = try ChaChaPoly.seal(
                    inner, using: key, nonce: ChaChaPoly.Nonce(data: nonce), authenticating: header)
                return Array(box.ciphertext + box.tag)
            }
            let box = try AES.GCM.seal(inner, using: key, nonce: AES.GCM.Nonce(data: nonce), authenticating: header)
            return Array(box.ciphertext + box.tag)
        } catch {
            preconditionFailure("\(error)")
        }
    }

    /// Computes one block of HKDF-Expand (RFC 5869 section 2.3), which is sufficient here.
    private func expand(_ label: String, _ count: UInt8) -> [UInt8] {
        let name = Array("tls13 \(label)".utf8)
        let info = [0, count, UInt8(name.count)] + name + [0, 1]
        let key = SymmetricKey(data: secret)
        return suite == 0x1302
            ? Array(HMAC<SHA384>.authenticationCode(for: info, using: key).prefix(Int(count)))
            : Array(HMAC<SHA256>.authenticationCode(for: info, using: key).prefix(Int(count)))
    }
}
