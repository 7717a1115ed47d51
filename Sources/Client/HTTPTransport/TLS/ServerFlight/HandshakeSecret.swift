// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

/// The secret that the server's handshake messages are encrypted under (RFC 8446 section 7.1).
package struct HandshakeSecret {
    private static let label = "SERVER_HANDSHAKE_TRAFFIC_SECRET"

    let key: SymmetricKey

    /// Reads the secret in a line of NSS's key log: label, client's random, secret, the latter two in hexadecimal.
    ///
    /// The result is `nil` for every other line.
    package init?(keyLogLine line: some Collection<UInt8>) {
        let parts = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard parts.count == 3, parts[0].elementsEqual(Self.label.utf8), let secret = Self.bytes(parts[2]) else {
            return nil
        }
        key = SymmetricKey(data: secret)
    }

    /// Whether a line of the key log is the secret's, before anything of it is read.
    static func isLogged(by line: some Collection<UInt8>) -> Bool { line.starts(with: label.utf8) }

    private static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        // Of the longest hash that a suite of TLS 1.3 has.
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * SHA384Digest.byteCount else { return nil }
        let values = digits.compactMap { Character(Unicode.Scalar($0)).hexDigitValue }
        guard values.count == digits.count else { return nil }
        return stride(from: 0, to: values.count, by: 2).map { UInt8(values[$0] << 4 | values[$0 + 1]) }
    }
}

extension HandshakeSecret: CustomStringConvertible, CustomReflectable {
    /// The name of the type, and nothing of the secret.
    package var description: String { "HandshakeSecret" }

    /// The name of the type, and nothing of the secret.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
