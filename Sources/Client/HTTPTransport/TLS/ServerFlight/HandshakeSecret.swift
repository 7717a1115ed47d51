// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

/// The secret with which the server's handshake messages are encrypted (RFC 8446 section 7.1).
package struct HandshakeSecret {
    private static let label = "SERVER_HANDSHAKE_TRAFFIC_SECRET"

    let key: SymmetricKey

    /// Reads the secret in a line of an NSS key log: label, client random and secret, the last two in hexadecimal.
    ///
    /// The result is `nil` for every other line.
    package init?(keyLogLine line: some Collection<UInt8>) {
        let parts = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard parts.count == 3, parts[0].elementsEqual(Self.label.utf8), let secret = Self.bytes(parts[2]) else {
            return nil
        }
        key = SymmetricKey(data: secret)
    }

    /// Returns whether a line of the key log contains this secret; only its label is checked.
    static func isLogged(by line: some Collection<UInt8>) -> Bool { line.starts(with: label.utf8) }

    private static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        // The secret is at most as long as the longest hash of a TLS 1.3 cipher suite.
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * SHA384Digest.byteCount else { return nil }
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == digits.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

extension HandshakeSecret: CustomStringConvertible, CustomReflectable {
    /// The name of the type, without the secret.
    package var description: String { "HandshakeSecret" }

    /// A mirror without children, which does not reveal the secret.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
