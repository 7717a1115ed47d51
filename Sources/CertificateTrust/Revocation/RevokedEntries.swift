// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// The revoked certificates of a list (RFC 5280 section 5.1.2.6), kept as bytes: there may be a million of them.
struct RevokedEntries: Hashable, Sendable {
    private let content: ArraySlice<UInt8>
    private(set) var hasExtensions = false
    /// Whether an entry names an issuer other than the list's.
    private(set) var isIndirect = false
    /// Whether an entry takes back another one, as only a delta can.
    private(set) var hasRemovals = false
    /// The first critical extension that is not understood.
    private(set) var unknownCriticalExtension: String?

    /// Checks every entry once, and decodes those alone that have more than a reason.
    init(_ content: ArraySlice<UInt8>) throws(RevocationEncodingError) {
        self.content = content
        var position = content.startIndex
        while position < content.endIndex {
            if let entry = CommonEntry(in: content, at: position) {
                if entry.hasReason { hasExtensions = true }
                position = entry.end
                continue
            }
            var reader = DERReader(content[position...])
            var fields = try reader.open(DERTag.sequence, .entry)
            _ = try fields.takeInteger(DERTag.integer, .entry)
            let entry = try RevokedEntry(afterSerialNumber: fields)
            if entry.hasExtensions { hasExtensions = true }
            if entry.certificateIssuer != nil { isIndirect = true }
            if entry.isRemoval { hasRemovals = true }
            if let name = entry.unknownCriticalExtension { unknownCriticalExtension = name }
            position = reader.rest.startIndex
        }
    }

    /// The entry of a certificate.
    ///
    /// - Parameters:
    ///   - serialNumber: The certificate's.
    ///   - issuer: The certificate's.
    ///   - listIssuer: The list's, whose certificates the entries are about until one names another (section 5.3.3).
    /// - Returns: `nil` where the certificate is not listed. An entry that takes back another one counts only where no other is about the
    ///   certificate.
    /// - Throws: ``RevocationEncodingError`` where an entry cannot be read.
    func entry(
        for serialNumber: ArraySlice<UInt8>, of issuer: NameKey, listedBy listIssuer: NameKey
    ) throws(RevocationEncodingError) -> RevokedEntry? {
        guard isIndirect || issuer == listIssuer else { return nil }
        var position = content.startIndex
        var isOfIssuer = issuer == listIssuer
        var removal: RevokedEntry?
        while position < content.endIndex {
            // Of most entries the serial number alone is looked at: their form was checked when the list was read.
            if let end = endOfShortEntry(at: position), !isIndirect, !isEntry(at: position, of: serialNumber) {
                position = end
                continue
            }
            if isIndirect, let entry = CommonEntry(in: content, at: position),
                !isOfIssuer || content[entry.serialNumber] != serialNumber
            {
                position = entry.end
                continue
            }
            var reader = DERReader(content[position...])
            var fields = try reader.open(DERTag.sequence, .entry)
            let number = try fields.take(DERTag.integer, .entry).content
            position = reader.rest.startIndex
            guard isIndirect || number == serialNumber else { continue }
            let entry = try RevokedEntry(afterSerialNumber: fields)
            if let named = entry.certificateIssuer { isOfIssuer = try Self.names(named).contains(issuer) }
            guard isOfIssuer, number == serialNumber else { continue }
            guard entry.isRemoval else { return entry }
            removal = entry
        }
        return removal
    }

    /// Where an entry of less than 128 octets ends; `nil` for a longer one.
    private func endOfShortEntry(at position: Int) -> Int? {
        let length = content[position + 1]
        return length < 0x80 ? position + 2 + Int(length) : nil
    }

    /// Whether a short entry has a serial number.
    private func isEntry(at position: Int, of serialNumber: ArraySlice<UInt8>) -> Bool {
        guard Int(content[position + 3]) == serialNumber.count else { return false }
        let start = position + 4
        // The last octet first: the first ones of many numbers are alike.
        return content[start + serialNumber.count - 1] == serialNumber.last
            && content[start..<start + serialNumber.count] == serialNumber
    }

    /// The directory names in the extension certificateIssuer.
    private static func names(_ value: ArraySlice<UInt8>) throws(RevocationEncodingError) -> [NameKey] {
        var outer = DERReader(value)
        let names = try DistributionPointName.names(outer.only(DERTag.sequence, .extensions).content)
            .compactMap(\.directory)
        // Without one, whose certificates this entry and the next ones are about is not known.
        guard !names.isEmpty else { throw .malformed(.entry) }
        return names
    }
}

/// One of them (RFC 5280 section 5.3).
struct RevokedEntry {
    private enum Number {
        static let reasonCode: UInt8 = 21
        static let invalidityDate: UInt8 = 24
        static let certificateIssuer: UInt8 = 29
    }

    /// The reason code removeFromCRL.
    private static let removal: UInt8 = 8

    let revocationDate: Date
    private(set) var hasExtensions = false
    private(set) var reason = RevocationReason.unspecified
    private(set) var isRemoval = false
    /// The value of the extension that names the issuer of the certificate.
    private(set) var certificateIssuer: ArraySlice<UInt8>?
    private(set) var unknownCriticalExtension: String?

    init(afterSerialNumber rest: DERReader) throws(RevocationEncodingError) {
        var fields = rest
        revocationDate = try fields.takeTime()
        guard var extensions = try fields.openIfPresent(DERTag.sequence, .entry) else {
            try fields.finish(.entry)
            return
        }
        try fields.finish(.entry)
        hasExtensions = true
        // A bit for each number, as a set would cost more than all the rest.
        var seen: UInt64 = 0
        repeat {
            let one = try EncodedExtension(from: &extensions)
            let bit = one.number.map { UInt64(1) << $0 } ?? 0
            guard seen & bit == 0 else { throw .malformed(.extensions) }
            seen |= bit
            try process(one)
        } while !extensions.rest.isEmpty
    }

    private mutating func process(_ one: EncodedExtension) throws(RevocationEncodingError) {
        switch one.number {
        case Number.reasonCode:
            var reader = DERReader(one.value)
            let code = try reader.only(DERTag.enumerated, .extensions).content
            guard let first = code.first, code.count == 1 else { throw .malformed(.extensions) }
            isRemoval = first == Self.removal
            guard let reason = RevocationReason(code: isRemoval ? 0 : first) else { throw .malformed(.extensions) }
            self.reason = reason
        case Number.certificateIssuer: certificateIssuer = one.value
        case Number.invalidityDate: break
        default: if one.isCritical { unknownCriticalExtension = one.name }
        }
    }
}

extension GeneralName {
    fileprivate var directory: NameKey? {
        guard case .directoryName(let name) = self else { return nil }
        return NameKey(name)
    }
}
