// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
internal import Encodings
internal import SwiftASN1
package import X509

extension DistinguishedName {
    /// The attribute types of RFC 4514 section 3, and further ones that occur in certificates.
    private static let attributeTypes: [String: ASN1ObjectIdentifier] = [
        "CN": [2, 5, 4, 3], "SN": [2, 5, 4, 4], "SERIALNUMBER": [2, 5, 4, 5], "C": [2, 5, 4, 6], "L": [2, 5, 4, 7],
        "ST": [2, 5, 4, 8], "STREET": [2, 5, 4, 9], "O": [2, 5, 4, 10], "OU": [2, 5, 4, 11], "T": [2, 5, 4, 12],
        "GN": [2, 5, 4, 42], "UID": [0, 9, 2342, 19_200_300, 100, 1, 1], "DC": [0, 9, 2342, 19_200_300, 100, 1, 25],
    ]

    /// Parses a name such as `CN=Mary Smith,O=Example,C=GB` (RFC 4514), whose last attribute is the first in the
    /// certificate.
    ///
    /// - Parameter text: A name with one attribute per relative name. A backslash escapes the next character or
    ///   precedes two hexadecimal digits.
    /// - Throws: ``CertificateAuthorityError/malformedSubject(_:)``.
    package init(rfc4514 text: String) throws(CertificateAuthorityError) {
        guard text.utf8.count <= 1_024, let parts = Self.split(text), !parts.isEmpty else {
            throw .malformedSubject(text)
        }
        var attributes: [RelativeDistinguishedName.Attribute] = []
        for (type, value) in parts.reversed() {
            guard let identifier = Self.attributeTypes[type.uppercased()],
                let attribute = Self.attribute(identifier, type.uppercased(), value)
            else { throw .malformedSubject(text) }
            attributes.append(attribute)
        }
        self.init(attributes.map { RelativeDistinguishedName([$0]) })
    }

    /// The common names as text, in order.
    ///
    /// A name in an unknown encoding is replaced by its form in RFC 4514.
    var commonNames: [String] {
        flatMap(\.self).filter { $0.type == .RDNAttributeType.commonName }.map { attribute in
            ASN1Any(attribute.value).text ?? DistinguishedName([RelativeDistinguishedName([attribute])]).text
        }
    }

    /// Encodes an attribute: countries and serial numbers as PrintableString, domain components as IA5String, all
    /// others in UTF-8 (RFC 5280 appendix A).
    private static func attribute(
        _ identifier: ASN1ObjectIdentifier, _ type: String, _ value: String
    ) -> RelativeDistinguishedName.Attribute? {
        guard (1...64).contains(value.unicodeScalars.count), type != "C" || value.utf8.count == 2 else { return nil }
        let encoded: RelativeDistinguishedName.Attribute.Value? =
            switch type {
            case "C", "SERIALNUMBER": try? .init(printableString: value)
            case "DC": try? .init(ia5String: value)
            default: .init(utf8String: value)
            }
        return encoded.map { .init(type: identifier, value: $0) }
    }

    /// Splits a name into pairs of type and value; returns `nil` if the text is malformed.
    private static func split(_ text: String) -> [(type: String, value: String)]? {
        var parts: [(String, String)] = []
        var type: String?
        var value: [UInt8] = []
        // Unescaped spaces around a type or value are not part of it.
        var length = 0
        var bytes = text.utf8.makeIterator()
        func finish() -> Bool {
            guard let name = type else { return false }
            parts.append((name, String(decoding: value.prefix(length), as: UTF8.self)))
            (type, value, length) = (nil, [], 0)
            return true
        }
        while let byte = bytes.next() {
            switch byte {
            case UInt8(ascii: "=") where type == nil:
                type = String(decoding: value.prefix(length), as: UTF8.self)
                (value, length) = ([], 0)
            case UInt8(ascii: ","): if !finish() { return nil }
            case UInt8(ascii: "\\"):
                guard let next = bytes.next() else { return nil }
                if let high = Hexadecimal.value(of: next) {
                    guard let low = bytes.next().flatMap(Hexadecimal.value) else { return nil }
                    value.append(high << 4 | low)
                } else {
                    value.append(next)
                }
                length = value.count
            case UInt8(ascii: " ") where value.isEmpty: continue
            case UInt8(ascii: "\""), UInt8(ascii: "+"), UInt8(ascii: ";"), UInt8(ascii: "<"), UInt8(ascii: ">"), 0:
                return nil
            default:
                value.append(byte)
                if byte != UInt8(ascii: " ") { length = value.count }
            }
        }
        return finish() ? parts : nil
    }
}
