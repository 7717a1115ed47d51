// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

/// The secret that the server's handshake messages are encrypted under (RFC 8446 section 7.1).
package struct HandshakeSecret {
    private static let label = "SERVER_HANDSHAKE_TRAFFIC_SECRET"

    let key: SymmetricKey

    /// Takes the secret out of a line of NSS's key log: label, client's random, secret, the latter two in hexadecimal.
    ///
    /// `nil` for every other line.
    package init?(keyLogLine line: some Collection<UInt8>) {
        let parts = line.split { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "\n") }
        guard parts.count == 3, parts[0].elementsEqual(Self.label.utf8), let secret = Self.bytes(parts[2]) else {
            return nil
        }
        key = SymmetricKey(data: secret)
    }

    private static func bytes(_ digits: some Collection<UInt8>) -> [UInt8]? {
        // Of the longest hash that a suite of TLS 1.3 has.
        guard digits.count.isMultiple(of: 2), digits.count <= 2 * SHA384Digest.byteCount else { return nil }
        var (bytes, high) = ([UInt8](), UInt8?.none)
        for digit in digits {
            guard let value = Character(Unicode.Scalar(digit)).hexDigitValue else { return nil }
            let nibble = UInt8(truncatingIfNeeded: value)
            if let first = high {
                bytes.append(first << 4 | nibble)
                high = nil
            } else {
                high = nibble
            }
        }
        return bytes
    }
}

extension HandshakeSecret: CustomStringConvertible, CustomReflectable {
    /// Nothing of the secret.
    package var description: String { "HandshakeSecret" }

    /// Nothing of the secret.
    package var customMirror: Mirror { Mirror(self, children: [:]) }
}
