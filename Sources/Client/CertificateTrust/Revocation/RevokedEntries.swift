// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import X509

/// The entries of a revocation list (RFC 5280 section 5.1.2.6), stored as bytes because there may be a million of them.
struct RevokedEntries: Hashable, Sendable {
    private let content: ArraySlice<UInt8>
    private(set) var hasExtensions = false
    /// Whether an entry names an issuer other than the list's.
    private(set) var isIndirect = false
    /// Whether an entry removes another one, which only a delta may do.
    private(set) var hasRemovals = false
    /// The object identifier of the last critical extension that is not supported.
    private(set) var unknownCriticalExtension: String?
    /// Whether every entry conforms to DER and the standard.
    private(set) var isConforming = true

    /// Checks every entry once, and decodes only those with extensions other than a reason.
    ///
    /// A malformed entry counts as far as it can be read, and does not affect the others.
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
            guard let element = reader.next() else { throw .malformed(.entry) }
            position = reader.rest.startIndex
            guard let entry = RevokedEntry(element) else {
                isConforming = false
                continue
            }
            if !entry.isConforming { isConforming = false }
            if entry.hasExtensions { hasExtensions = true }
            if entry.certificateIssuer != nil { isIndirect = true }
            if entry.isRemoval { hasRemovals = true }
            if let name = entry.unknownCriticalExtension { unknownCriticalExtension = name }
        }
    }

    /// Returns the entry of a certificate.
    ///
    /// - Parameters:
    ///   - serialNumber: The certificate's serial number.
    ///   - issuer: The certificate's issuer.
    ///   - listIssuer: The list's issuer, to whose certificates the entries apply until an entry names another issuer
    ///     (section 5.3.3).
    /// - Returns: The entry; `nil` if the certificate is not listed. An entry that removes another one counts only if
    ///   there is no other entry for the certificate.
    func entry(
        for serialNumber: ArraySlice<UInt8>, of issuer: NameKey, listedBy listIssuer: NameKey
    ) -> RevokedEntry? {
        guard isIndirect || issuer == listIssuer else { return nil }
        var position = content.startIndex
        var isOfIssuer = issuer == listIssuer
        var removal: RevokedEntry?
        while position < content.endIndex {
            // For most entries only the serial number is compared; their form was checked when the list was read.
            if isConforming, !isIndirect, let end = endOfShortEntry(at: position),
                !isEntry(at: position, of: serialNumber)
            {
                position = end
                continue
            }
            if isIndirect || !isConforming, let entry = CommonEntry(in: content, at: position),
                !isOfIssuer || content[entry.serialNumber] != serialNumber
            {
                position = entry.end
                continue
            }
            var reader = DERReader(content[position...])
            guard let element = reader.next() else { return removal }
            position = reader.rest.startIndex
            guard let entry = RevokedEntry(element) else { continue }
            // If the issuer cannot be read, this entry and the following ones apply to unknown certificates.
            if let named = entry.certificateIssuer { isOfIssuer = RevokedEntry.names(named).contains(issuer) }
            guard isOfIssuer, entry.serialNumber == serialNumber else { continue }
            guard entry.isRemoval else { return entry }
            removal = entry
        }
        return removal
    }

    /// Returns the end of an entry shorter than 128 octets; `nil` for a longer one.
    private func endOfShortEntry(at position: Int) -> Int? {
        let length = content[position + 1]
        return length < 0x80 ? position + 2 + Int(length) : nil
    }

    /// Returns whether a short entry has a serial number.
    private func isEntry(at position: Int, of serialNumber: ArraySlice<UInt8>) -> Bool {
        guard Int(content[position + 3]) == serialNumber.count else { return false }
        let start = position + 4
        // The last octet is compared first, because many serial numbers share their first octets.
        return content[start + serialNumber.count - 1] == serialNumber.last
            && content[start..<start + serialNumber.count] == serialNumber
    }
}

/// One entry of a revocation list (RFC 5280 section 5.3).
struct RevokedEntry {
    private enum Number {
        static let reasonCode: UInt8 = 21
        static let invalidityDate: UInt8 = 24
        static let certificateIssuer: UInt8 = 29
    }

    /// The reason code removeFromCRL.
    private static let removal: UInt8 = 8

    /// The content octets of the serial number, without padding.
    let serialNumber: ArraySlice<UInt8>
    /// The revocation date; `nil` if it cannot be read.
    let revocationDate: Date?
    /// Whether the entry conforms to DER and the standard.
    private(set) var isConforming = true
    private(set) var hasExtensions = false
    private(set) var reason = RevocationReason.unspecified
    private(set) var isRemoval = false
    private var hasReason = false
    /// The value of the extension certificateIssuer.
    private(set) var certificateIssuer: ArraySlice<UInt8>?
    private(set) var unknownCriticalExtension: String?

    /// Reads an entry as far as possible.
    ///
    /// - Returns: `nil` if it has no serial number.
    init?(_ element: DERReader.Element) {
        var fields = DERReader(element.content)
        guard element.tag == DERTag.sequence, let number = fields.next(), number.tag == DERTag.integer,
            !number.content.isEmpty
        else { return nil }
        serialNumber = Self.withoutPadding(number.content)
        var isConforming = serialNumber.count == number.content.count
        revocationDate = try? fields.takeTime(&isConforming)
        if revocationDate == nil { isConforming = false }
        self.isConforming = isConforming
        guard !fields.isAtEnd else { return }
        guard var extensions = fields.enter(DERTag.sequence) else {
            self.isConforming = false
            return
        }
        hasExtensions = true
        if extensions.isAtEnd || !fields.isAtEnd { self.isConforming = false }
        // A bit mask of extension numbers is much cheaper than a set.
        var seen: UInt64 = 0
        while !extensions.isAtEnd {
            guard let one = EncodedExtension(from: &extensions, &isConforming) else { continue }
            let bit = one.number.map { UInt64(1) << $0 } ?? 0
            if seen & bit != 0 { self.isConforming = false }
            seen |= bit
            process(one)
        }
        if !isConforming { self.isConforming = false }
    }

    /// Removes the padding of an integer, which DER does not allow (X.690 section 8.3.2).
    private static func withoutPadding(_ octets: ArraySlice<UInt8>) -> ArraySlice<UInt8> {
        var octets = octets
        while let first = octets.first, let second = octets.dropFirst().first,
            first == 0 && second < 0x80 || first == 0xff && second >= 0x80
        {
            octets = octets.dropFirst()
        }
        return octets
    }

    private mutating func process(_ one: EncodedExtension) {
        switch one.number {
        case Number.reasonCode:
            var reader = DERReader(one.value)
            let codes = (try? reader.only(DERTag.enumerated, .extensions))?.content ?? []
            let code = codes.count == 1 ? codes.first : nil
            // An entry with more than one reason code counts as a revocation.
            isRemoval = code == Self.removal && !hasReason
            hasReason = true
            guard !isRemoval else { return }
            guard let known = code.flatMap(RevocationReason.init(code:)) else { return isConforming = false }
            reason = known
        case Number.certificateIssuer:
            certificateIssuer = one.value
            if Self.names(one.value).isEmpty { isConforming = false }
        case Number.invalidityDate: break
        default: if one.isCritical { unknownCriticalExtension = one.name }
        }
    }

    /// Returns the directory names in the extension certificateIssuer; empty if it cannot be read.
    static func names(_ value: ArraySlice<UInt8>) -> [NameKey] {
        var outer = DERReader(value)
        guard let names = outer.enter(DERTag.sequence), outer.isAtEnd else { return [] }
        return (try? DistributionPointName.names(names))?.compactMap(\.directory) ?? []
    }
}

extension GeneralName {
    fileprivate var directory: NameKey? {
        guard case .directoryName(let name) = self else { return nil }
        return NameKey(name)
    }
}

/// A list entry in the most common form: a serial number, a UTCTime, and at most a reason that is not a removal.
///
/// The entry is checked in place, as strictly as other entries,
/// but not decoded, because a list may have a million entries.
struct CommonEntry {
    private static let timeSize = 15
    /// The encoding of the extensions of an entry with only a reason, up to the reason code (RFC 5280 section 5.3.1).
    private static let reasonPrefix: [UInt8] = [
        0x30, 0x0c, 0x30, 0x0a, 0x06, 0x03, 0x55, 0x1d, 0x15, 0x04, 0x03, 0x0a, 0x01,
    ]
    private static let codes: UInt16 = RevocationReason.allCases.reduce(0) { $0 | 1 << UInt16($1.code) }

    /// The content octets of the serial number.
    let serialNumber: Range<Int>
    let hasReason: Bool
    /// The start of the next entry.
    let end: Int

    /// - Returns: `nil` if the entry has another form, valid or not.
    init?(in bytes: ArraySlice<UInt8>, at start: Int) {
        guard start + 4 <= bytes.endIndex, bytes[start] == DERTag.sequence, bytes[start + 1] < 0x80,
            bytes[start + 2] == DERTag.integer, bytes[start + 3] < 0x80
        else { return nil }
        end = start + 2 + Int(bytes[start + 1])
        serialNumber = start + 4..<start + 4 + Int(bytes[start + 3])
        let timeEnd = serialNumber.upperBound + Self.timeSize
        guard end <= bytes.endIndex, timeEnd <= end, Self.isInteger(bytes, serialNumber),
            Self.isTime(bytes, at: serialNumber.upperBound)
        else { return nil }
        hasReason = timeEnd < end
        if hasReason, !Self.isReason(bytes, timeEnd..<end) { return nil }
    }

    /// Returns whether an integer has the minimum number of octets (X.690 section 8.3.2).
    private static func isInteger(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count > 1 else { return !range.isEmpty }
        let (first, second) = (bytes[range.lowerBound], bytes[range.lowerBound + 1])
        return !(first == 0 && second < 0x80) && !(first == 0xff && second >= 0x80)
    }

    private static func isTime(_ bytes: ArraySlice<UInt8>, at start: Int) -> Bool {
        guard bytes[start] == DERTag.utcTime, bytes[start + 1] == 13, bytes[start + 14] == UInt8(ascii: "Z") else {
            return false
        }
        var isDigits = true
        func pair(_ index: Int) -> Int {
            let (tens, ones) = (bytes[start + index] &- 48, bytes[start + index + 1] &- 48)
            if tens > 9 || ones > 9 { isDigits = false }
            return Int(tens) * 10 + Int(ones)
        }
        let year = pair(2)
        let time = CivilTime(
            year: year + (year >= 50 ? 1900 : 2000), month: pair(4), day: pair(6), hour: pair(8), minute: pair(10),
            second: pair(12))
        return isDigits && time.secondsSince1970() != nil
    }

    private static func isReason(_ bytes: ArraySlice<UInt8>, _ range: Range<Int>) -> Bool {
        guard range.count == reasonPrefix.count + 1 else { return false }
        for (offset, byte) in reasonPrefix.enumerated() where bytes[range.lowerBound + offset] != byte { return false }
        let code = bytes[range.upperBound - 1]
        return code < 16 && codes & 1 << UInt16(code) != 0
    }
}
