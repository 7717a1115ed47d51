// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import EssentialFoundation
import Hummingbird
import Identities
import NIOCore
import Secrets

/// The fields of a form, as a browser encodes them (`application/x-www-form-urlencoded`, WHATWG URL section 5).
struct WebForm: Sendable {
    private var fields: [String: String] = [:]

    init() {}

    init(_ bytes: ByteBuffer) {
        for pair in bytes.readableBytesView.split(separator: UInt8(ascii: "&")) {
            let parts = pair.split(separator: UInt8(ascii: "="), maxSplits: 1, omittingEmptySubsequences: false)
            fields[Self.decode(parts[0])] = parts.count > 1 ? Self.decode(parts[1]) : ""
        }
    }

    subscript(name: String) -> String? { fields[name] }

    /// Returns a field as a secret, or `nil` if it is missing or empty.
    func secret(_ name: String) -> Secret? { fields[name].flatMap { $0.isEmpty ? nil : Secret($0) } }

    /// Returns the bytes of a base64 field, or `nil` if it is missing, empty or malformed.
    func bytes(_ name: String) -> [UInt8]? {
        fields[name].flatMap { Data(base64Encoded: $0) }.flatMap { $0.isEmpty ? nil : Array($0) }
    }

    /// Returns a value encoded for the query of a link.
    static func encode(_ text: String) -> String {
        PercentEncoding.encode(text.utf8, allowing: PercentEncoding.isUnreserved)
    }

    private static func decode(_ text: ByteBufferView) -> String {
        var (bytes, index) = ([UInt8](), text.startIndex)
        bytes.reserveCapacity(text.count)
        while index < text.endIndex {
            let byte = text[index]
            if byte == UInt8(ascii: "%"), let value = hexadecimal(text[(index + 1)...].prefix(2)) {
                bytes.append(value)
                index += 3
            } else {
                bytes.append(byte == UInt8(ascii: "+") ? UInt8(ascii: " ") : byte)
                index += 1
            }
        }
        return String(decoding: bytes, as: UTF8.self)
    }

    private static func hexadecimal(_ digits: ByteBufferView) -> UInt8? {
        digits.count == 2 ? Hexadecimal.decode(digits)?.first : nil
    }
}

/// Reads an identity from a form, in base64, with its passphrase.
enum IdentityForm {
    /// - Throws: ``WebError/malformedIdentity``, `IdentityError`.
    static func identity(_ form: WebForm) throws -> Identity {
        guard let bytes = form.bytes("identity") else { throw WebError.malformedIdentity }
        return try Identity.read(bytes, passphrase: form.secret("passphrase"))
    }
}

extension Request {
    /// The fields of the URL's query.
    var query: WebForm { WebForm(ByteBuffer(string: uri.query ?? "")) }
}
