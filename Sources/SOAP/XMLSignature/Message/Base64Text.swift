// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    internal import FoundationEssentials
#else
    internal import Foundation
#endif

extension Character {
    /// White space as XML has it (XML 1.0 section 2.3).
    var isXMLSpace: Bool { self == " " || self == "\t" || self == "\n" || self == "\r" || self == "\r\n" }
}

extension [UInt8] {
    /// Decodes base64 that white space may divide; `nil` where it holds anything else.
    package init?(xmlBase64 text: String) {
        let spaces: Set<UInt8> = [0x20, 0x09, 0x0a, 0x0d]
        guard let data = Data(base64Encoded: Data(text.utf8.filter { !spaces.contains($0) })) else { return nil }
        self.init(data)
    }
}
