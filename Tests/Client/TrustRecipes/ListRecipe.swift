// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto
import Foundation
import SwiftASN1
package import X509

/// The contents of a test revocation list; the defaults make a valid one.
package struct ListRecipe {
    package static let ecdsaWithSHA256 = Encoding.sequence(
        Encoding.identifier([0x2a, 0x86, 0x48, 0xce, 0x3d, 0x04, 0x03, 0x02]))

    /// An entry of the list.
    package struct Entry {
        package var serialNumber: [UInt8]
        package var time = Encoding.utcTime(Instant.now - 3600)
        package var extensions: [[UInt8]] = []

        package init(_ serialNumber: [UInt8], extensions: [[UInt8]] = []) {
            self.serialNumber = serialNumber
            self.extensions = extensions
        }

        /// Creates an entry with a reason code.
        package init(_ serialNumber: [UInt8], reason: UInt8) {
            self.init(serialNumber, extensions: [Encoding.extensionNumber(21, [0x0a, 1, reason])])
        }

        fileprivate var encoded: [UInt8] {
            let extensions = extensions.flatMap(\.self)
            return Encoding.sequence(
                Encoding.integer(serialNumber), time, extensions.isEmpty ? [] : Encoding.sequence(extensions))
        }
    }

    package var version: [UInt8]? = [1]
    package var innerAlgorithm = Self.ecdsaWithSHA256
    package var outerAlgorithm = Self.ecdsaWithSHA256
    package var issuer: DistinguishedName?
    package var thisUpdate = Encoding.utcTime(Instant.now - 7200)
    package var nextUpdate: [UInt8]? = Encoding.utcTime(Instant.now + 86400)
    package var entries: [Entry] = []
    package var number: [UInt8]? = Encoding.extensionNumber(20, [2, 1, 7])
    package var extensions: [[UInt8]] = []
    /// Additional bytes at the end of the signed content.
    package var trailer: [UInt8] = []
    package var key: P256.Signing.PrivateKey?

    package init() {}

    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// Encodes and signs the list.
    package func encoded(by authority: TestAuthority) throws -> [UInt8] {
        let entries = entries.flatMap(\.encoded)
        let extensions = (number ?? []) + extensions.flatMap(\.self)
        let signed = Encoding.sequence(
            version.map(Encoding.integer) ?? [], innerAlgorithm,
            try (issuer ?? authority.certificate.subject).bytes(), thisUpdate, nextUpdate ?? [],
            entries.isEmpty ? [] : Encoding.sequence(entries),
            extensions.isEmpty ? [] : Encoding.tagged(0, Encoding.sequence(extensions)), trailer)
        let signature = try (key ?? authority.key).signature(for: signed).derRepresentation
        return Encoding.sequence(signed, outerAlgorithm, Encoding.bits(Array(signature)))
    }
}

extension DistinguishedName {
    package func bytes() throws -> [UInt8] {
        var serializer = DER.Serializer()
        try serializer.serialize(self)
        return serializer.serializedBytes
    }
}
