// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1

/// What came of reading one extension.
struct ExtensionReading<Value: Sendable>: Sendable {
    let identifier: ASN1ObjectIdentifier
    /// `nil` where there is no such extension.
    let isCritical: Bool?
    /// `nil` also where it cannot be read.
    let value: Value?

    var isPresent: Bool { isCritical != nil }

    var isMalformed: Bool { isPresent && value == nil }
}

extension EncodedCertificate {
    /// An extension by the last number of its identifier below id-ce, 2.5.29.
    func found(_ number: UInt8) -> EncodedExtension? { extensions.first { $0.number == number } }

    /// An extension that is not below id-ce, by the content of its object identifier.
    func found(_ identifier: [UInt8]) -> EncodedExtension? {
        extensions.first { $0.number == nil && $0.identifier.dropFirst(2).elementsEqual(identifier) }
    }

    func reading<Value: Sendable>(
        _ identifier: ASN1ObjectIdentifier, _ number: UInt8, _ read: (EncodedExtension) throws -> Value
    ) -> ExtensionReading<Value> {
        Self.reading(identifier, found(number), read)
    }

    static func reading<Value: Sendable>(
        _ identifier: ASN1ObjectIdentifier, _ found: EncodedExtension?, _ read: (EncodedExtension) throws -> Value
    ) -> ExtensionReading<Value> {
        guard let found else { return ExtensionReading(identifier: identifier, isCritical: nil, value: nil) }
        return ExtensionReading(identifier: identifier, isCritical: found.isCritical, value: try? read(found))
    }
}
