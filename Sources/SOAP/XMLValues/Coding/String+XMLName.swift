// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension String {
    /// Whether this is a name without a colon (Namespaces in XML 1.0, NCName).
    package var isXMLName: Bool {
        var isFirst = true
        for byte in utf8 {
            switch byte {
            case 0x61...0x7A, 0x41...0x5A, 0x5F: break
            case 0x30...0x39, 0x2D, 0x2E: if isFirst { return false }
            case 0x80...: return isUnicodeXMLName
            default: return false
            }
            isFirst = false
        }
        return !isFirst
    }

    /// Whether this is a name token (XML 1.0 section 2.3, Nmtoken).
    package var isXMLNameToken: Bool { !isEmpty && unicodeScalars.allSatisfy { $0 == ":" || $0.isInXMLName } }

    /// Whether this is a name that may have colons (XML 1.0 section 2.3, Name).
    package var isXMLNameWithColons: Bool {
        guard let first = unicodeScalars.first else { return false }
        return (first == ":" || first.startsXMLName) && isXMLNameToken
    }

    /// Whether this is a language identifier (XML Schema Part 2 section 3.3.3).
    package var isXMLLanguage: Bool {
        let parts = utf8.split(separator: UInt8(ascii: "-"), omittingEmptySubsequences: false)
        return parts.enumerated().allSatisfy { place, part in
            (1...8).contains(part.count)
                && part.allSatisfy { byte in
                    (0x61...0x7A).contains(byte | 0x20) || place > 0 && (0x30...0x39).contains(byte)
                }
        }
    }

    /// Whether this is an integer's text (XML Schema Part 2 section 3.3.13).
    package var isXMLInteger: Bool {
        let digits =
            utf8.first.map { $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "+") } ?? false
            ? utf8.dropFirst() : utf8[...]
        return !digits.isEmpty && digits.allSatisfy { (0x30...0x39).contains($0) }
    }

    private var isUnicodeXMLName: Bool {
        var isFirst = true
        for scalar in unicodeScalars {
            guard isFirst ? scalar.startsXMLName : scalar.isInXMLName else { return false }
            isFirst = false
        }
        return !isFirst
    }
}

extension Unicode.Scalar {
    /// Whether this is a `NameStartChar` other than the colon (XML 1.0 section 2.3).
    fileprivate var startsXMLName: Bool {
        switch value {
        case 0x61...0x7A, 0x41...0x5A, 0x5F: true
        case 0xC0...0xD6, 0xD8...0xF6, 0xF8...0x2FF, 0x370...0x37D, 0x37F...0x1FFF, 0x200C...0x200D, 0x2070...0x218F,
            0x2C00...0x2FEF, 0x3001...0xD7FF, 0xF900...0xFDCF, 0xFDF0...0xFFFD, 0x10000...0xEFFFF:
            true
        default: false
        }
    }

    /// Whether this is a `NameChar` other than the colon (XML 1.0 section 2.3).
    fileprivate var isInXMLName: Bool {
        switch value {
        case 0x30...0x39, 0x2D, 0x2E, 0xB7, 0x300...0x36F, 0x203F...0x2040: true
        default: startsXMLName
        }
    }
}
