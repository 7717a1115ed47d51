// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
import ErrorExplanations
package import SwiftASN1
package import X509

extension DERTag {
    static let utf8String: UInt8 = 0x0c
    static let numericString: UInt8 = 0x12
    static let printableString: UInt8 = 0x13
    static let teletexString: UInt8 = 0x14
    static let ia5String: UInt8 = 0x16
    static let visibleString: UInt8 = 0x1a
    static let universalString: UInt8 = 0x1c
    static let bmpString: UInt8 = 0x1e
}

extension DERReader.Element {
    /// The text of a string type in UTF-8 (X.680 section 41); `nil` for another type, and for octets that cannot be
    /// decoded.
    ///
    /// The types with one octet a character are read as ISO 8859-1, even if the type does not allow the character, as
    /// OpenSSL does: authorities have always written Latin-1 into TeletexString and PrintableString.
    var utf8Text: [UInt8]? {
        switch tag {
        case DERTag.utf8String:
            if content.allSatisfy({ $0 < 0x80 }) { return Array(content) }
            return String(decoding: content, as: UTF8.self).utf8.elementsEqual(content) ? Array(content) : nil
        case DERTag.numericString, DERTag.printableString, DERTag.teletexString, DERTag.ia5String,
            DERTag.visibleString:
            return content.latin1Text
        case DERTag.bmpString:
            guard content.count.isMultiple(of: 2) else { return nil }
            return Self.text(content.units(of: 2).map(UInt16.init(truncatingIfNeeded:)), as: UTF16.self)
        case DERTag.universalString:
            guard content.count.isMultiple(of: 4) else { return nil }
            return Self.text(content.units(of: 4), as: UTF32.self)
        default: return nil
        }
    }

    /// The text of a string type; `nil` for another type, and for octets that cannot be decoded.
    var text: String? { utf8Text.map { String(decoding: $0, as: UTF8.self) } }

    private static func text<Encoding: Unicode.Encoding>(
        _ units: [Encoding.CodeUnit], as encoding: Encoding.Type
    ) -> [UInt8]? {
        var text: [UInt8] = []
        let isFaulty = transcode(units.makeIterator(), from: encoding, to: UTF8.self, stoppingOnError: true) {
            text.append($0)
        }
        return isFaulty ? nil : text
    }
}

extension ArraySlice<UInt8> {
    /// The octets as characters of ISO 8859-1, in UTF-8.
    fileprivate var latin1Text: [UInt8] {
        if allSatisfy({ $0 < 0x80 }) { return Array(self) }
        return flatMap { $0 < 0x80 ? [$0] : [0xc0 | $0 >> 6, 0x80 | $0 & 0x3f] }
    }

    /// Returns the big-endian numbers of `size` octets each.
    fileprivate func units(of size: Int) -> [UInt32] {
        stride(from: startIndex, to: endIndex, by: size).map { self[$0..<$0 + size].reduce(0) { $0 << 8 | UInt32($1) } }
    }

    /// The text of a name that has to be ASCII: octets that are not ASCII are read as UTF-8, or else as ISO 8859-1.
    var lenientText: String {
        let text = String(decoding: self, as: UTF8.self)
        return text.utf8.elementsEqual(self) ? text : String(decoding: latin1Text, as: UTF8.self)
    }
}

/// The text form of distinguished names (RFC 4514), which swift-certificates has only for some string types.
enum NameText {
    /// The short names of RFC 4514 section 3, RFC 4519 and the EV Guidelines, by the content octets of the type.
    private static let types: [[UInt8]: String] = {
        var types: [[UInt8]: String] = [
            [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01, 0x01]: "UID",
            [0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01, 0x19]: "DC",
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x01]: "E",
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x02]: "unstructuredName",
            [0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x08]: "unstructuredAddress",
        ]
        let attributes: [UInt8: String] = [
            3: "CN", 4: "SN", 5: "serialNumber", 6: "C", 7: "L", 8: "ST", 9: "STREET", 10: "O", 11: "OU", 12: "title",
            13: "description", 15: "businessCategory", 17: "postalCode", 18: "postOfficeBox", 20: "telephoneNumber",
            41: "name", 42: "GN", 43: "initials", 44: "generationQualifier", 46: "dnQualifier", 51: "houseIdentifier",
            65: "pseudonym", 97: "organizationIdentifier",
        ]
        for (number, name) in attributes { types[[0x55, 0x04, number]] = name }
        for (number, name) in ["jurisdictionL", "jurisdictionST", "jurisdictionC"].enumerated() {
            types[[0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x3c, 0x02, 0x01, UInt8(number + 1)]] = name
        }
        return types
    }()

    /// Returns the text of an encoded name, the last relative name first (RFC 4514 section 2.1), with control characters
    /// escaped.
    static func text(of name: ArraySlice<UInt8>) -> String {
        var outer = DERReader(name)
        guard var names = outer.enter(DERTag.sequence) else { return "" }
        var texts: [String] = []
        while let relative = names.next() {
            var (attributes, parts) = (DERReader(relative.content), [String]())
            while let attribute = attributes.next() { parts.append(text(ofAttribute: attribute)) }
            texts.append(parts.joined(separator: "+"))
        }
        return texts.reversed().joined(separator: ",").printable
    }

    private static func text(ofAttribute attribute: DERReader.Element) -> String {
        var parts = DERReader(attribute.content)
        guard let type = parts.next(), let value = parts.next() else {
            return "#" + Hexadecimal.encode(attribute.bytes)
        }
        guard let name = types[Array(type.content)] else {
            // The value of an unknown type is written as its encoding (section 2.4).
            return "\(ASN1Identifiers.text(type.content))=#" + Hexadecimal.encode(value.bytes)
        }
        if let text = value.utf8Text { return "\(name)=" + escaped(text) }
        guard value.tag == DERTag.utf8String else { return "\(name)=#" + Hexadecimal.encode(value.bytes) }
        return "\(name)=" + partlyReadable(value.content)
    }

    /// Returns a text of valid UTF-8 with the escapes of RFC 4514 section 2.4.
    private static func escaped(_ text: some Collection<UInt8>) -> String {
        let text = Array(text)
        let leading = text.prefix { $0 == UInt8(ascii: " ") || $0 == UInt8(ascii: "#") }.count
        let trailing = text[leading...].reversed().prefix { $0 == UInt8(ascii: " ") }.count
        var result: [UInt8] = []
        result.reserveCapacity(text.count)
        for (index, byte) in text.enumerated() {
            if byte == 0 {
                result += "\\00".utf8
                continue
            }
            let isEscaped = index < leading || index >= text.count - trailing || ",+\"\\<>;".utf8.contains(byte)
            if isEscaped { result.append(UInt8(ascii: "\\")) }
            result.append(byte)
        }
        return String(decoding: result, as: UTF8.self)
    }

    /// Returns the text of faulty UTF-8, with the octets that are no characters as pairs of digits (section 2.4).
    private static func partlyReadable(_ content: ArraySlice<UInt8>) -> String {
        var (text, valid, position) = ("", [UInt8](), content.startIndex)
        var (parser, bytes) = (Unicode.UTF8.ForwardParser(), content.makeIterator())
        while true {
            switch parser.parseScalar(from: &bytes) {
            case .valid(let scalar):
                valid += Array(scalar)
                position += scalar.count
            case .error(let length):
                text += escaped(valid)
                valid = []
                for byte in content[position..<position + length] {
                    text += "\\" + Hexadecimal.encode([byte], uppercase: true)
                }
                position += length
            case .emptyInput: return text + escaped(valid)
            }
        }
    }
}

/// The text form of object identifiers.
enum ASN1Identifiers {
    /// Returns an identifier in dotted decimal; if a number exceeds 64 bits, `#` and the encoding in hexadecimal digits.
    ///
    /// - Parameter content: The content octets of the identifier.
    /// - Returns: The text.
    static func text(_ content: ArraySlice<UInt8>) -> String {
        var (numbers, number) = ([UInt64](), UInt64(0))
        for byte in content {
            guard number <= .max >> 7 else { return "#" + Hexadecimal.encode(content) }
            number = number << 7 | UInt64(byte & 0x7f)
            guard byte < 0x80 else { continue }
            numbers += numbers.isEmpty ? [min(number / 40, 2), number - min(number / 40, 2) * 40] : [number]
            number = 0
        }
        return numbers.map(String.init).joined(separator: ".")
    }
}

extension DistinguishedName {
    /// The name as text (RFC 4514), with control characters escaped; the description of swift-certificates shows some
    /// string types as Swift values.
    package var text: String {
        var serializer = DER.Serializer()
        // Serializing a parsed name cannot fail.
        try? serializer.serialize(self)
        return NameText.text(of: serializer.serializedBytes[...])
    }
}

extension GeneralName {
    /// The name as text that is safe to print.
    package var text: String {
        switch self {
        case .dnsName(let name), .rfc822Name(let name), .uniformResourceIdentifier(let name):
            name.isEmpty ? "every name" : name.printable
        case .directoryName(let name): name.text
        case .ipAddress(let octets): Self.addressText(Array(octets.bytes))
        case .otherName(let other): other.text?.printable ?? "a name of the kind \(other.typeID)"
        case .x400Address: "an X.400 address"
        case .ediPartyName: "an EDI party name"
        case .registeredID(let identifier): "\(identifier)"
        }
    }

    /// Returns an address, or an address and a mask, as text.
    private static func addressText(_ bytes: [UInt8]) -> String {
        switch bytes.count {
        case 4, 16: IPAddressText.text(of: bytes)
        case 8, 32:
            IPAddressText.text(of: bytes.prefix(bytes.count / 2)) + "/"
                + String(bytes.suffix(bytes.count / 2).reduce(0) { $0 + $1.nonzeroBitCount })
        default: "an address that cannot be read"
        }
    }
}

extension GeneralName.OtherName {
    /// SmtpUTF8Mailbox (RFC 9598 section 3), 1.3.6.1.5.5.7.8.9.
    static let mailbox: ASN1ObjectIdentifier = [1, 3, 6, 1, 5, 5, 7, 8, 9]

    /// The value, if it is a text; `nil` otherwise.
    var text: String? { value?.text }
}

extension ASN1Any {
    /// The text of a string type; `nil` for another type, and for octets that cannot be decoded.
    package var text: String? {
        var serializer = DER.Serializer()
        guard (try? serializer.serialize(self)) != nil else { return nil }
        var reader = DERReader(serializer.serializedBytes[...])
        return reader.next()?.text
    }
}
