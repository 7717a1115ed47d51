// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes

@testable import CertificateTrust

/// List entries of every form: those that the fast check reads in place and those that need the full parser.
struct RevokedEntriesTests {
    private static let serialNumber: [UInt8] = [0x40, 1, 2, 3]
    private static let time = Encoding.utcTime(Instant.now - 3600)

    private static func entry(_ serialNumber: [UInt8], time: [UInt8] = time, _ extensions: [UInt8]...) -> [UInt8] {
        let extensions = extensions.flatMap(\.self)
        return Encoding.sequence(
            Encoding.integer(serialNumber), time, extensions.isEmpty ? [] : Encoding.sequence(extensions))
    }

    private static let invalidity = Encoding.extensionNumber(24, Encoding.generalizedTime(Instant.now))
    private static let reason = Encoding.extensionNumber(21, [0x0a, 1, 4])
    private static let long = Encoding.certificateExtension([0x2a, 3], [UInt8](repeating: 5, count: 200))

    /// Returns an entry of the serial number in each form.
    private static func forms(of serialNumber: [UInt8]) -> [[UInt8]] {
        [
            entry(serialNumber), entry(serialNumber, reason), entry(serialNumber, invalidity),
            entry(serialNumber, reason, invalidity), entry(serialNumber, long),
            entry(serialNumber, time: Encoding.generalizedTime(Instant.now)),
        ]
    }

    private static let issuer = NameKey(Encoding.sequence([])[...])

    @Test("An entry of each form is found among entries of all forms", arguments: 0..<6)
    func found(form: Int) throws {
        // Serial numbers that are shorter, longer, or have the same first or last bytes.
        let others: [[UInt8]] = [[0x40], [3], [0x40, 1, 2], [0x40, 1, 2, 3, 4], [0x40, 1, 2, 4], [0x41, 1, 2, 3]]
        let around = others.flatMap(Self.forms)
        for position in [0, around.count / 2, around.count] {
            var all = around
            all.insert(Self.forms(of: Self.serialNumber)[form], at: position)
            let entries = try RevokedEntries(all.flatMap(\.self)[...])
            let found = entries.entry(for: Self.serialNumber[...], of: Self.issuer, listedBy: Self.issuer)
            #expect(found?.reason == (form == 1 || form == 3 ? .superseded : .unspecified))
            #expect(entries.hasExtensions && !entries.hasRemovals && !entries.isIndirect)
        }
        let without = try RevokedEntries(around.flatMap(\.self)[...])
        #expect(without.entry(for: Self.serialNumber[...], of: Self.issuer, listedBy: Self.issuer) == nil)
    }

    @Test("An entry that the fast check accepts is also accepted by the full parser") func agreement() throws {
        var generator = SplitMix64(seed: 1)
        let originals =
            Self.forms(of: Self.serialNumber) + [Self.entry([0x7f], Encoding.extensionNumber(21, [0x0a, 1, 8]))]
        var accepted = 0
        for round in 0..<8_000 {
            var bytes = originals[round % originals.count]
            let index = Int.random(in: bytes.indices, using: &generator)
            bytes[index] = UInt8.random(in: 0...255, using: &generator)
            guard let common = CommonEntry(in: bytes[...], at: 0) else { continue }
            accepted += 1
            var reader = DERReader(bytes[...])
            let element = reader.next()
            let entry = try #require(element.flatMap(RevokedEntry.init))
            #expect(bytes[common.serialNumber] == entry.serialNumber && reader.rest.startIndex == common.end)
            #expect(entry.isConforming && entry.revocationDate != nil)
            #expect(entry.hasExtensions == common.hasReason && !entry.isRemoval)
            #expect(entry.unknownCriticalExtension == nil && entry.certificateIssuer == nil)
        }
        #expect(accepted > 200)
        // The two forms without unusual parts are read in place.
        for form in 0..<2 { #expect(CommonEntry(in: originals[form][...], at: 0) != nil) }
    }
}
