// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Foundation
import TrustRecipes
import Crypto
import X509

/// A revocation list with a number of entries, the authority that signed it, and a listed server.
struct BenchList {
    private static let serialNumber: [UInt8] = [0x40, 0x41, 0x42, 0x43, 0x44, 0x45, 0x46, 0x47]

    let root: [UInt8]
    let server: [UInt8]
    let list: [UInt8]

    init(entries count: Int) throws {
        let authority = try TestAuthority(root: .authority("Bench Root"))
        root = try authority.certificate.bytes()
        server = try authority.issue(Recipe().with { $0.serialNumber = Self.serialNumber }).certificate.bytes()
        let signed = Encoding.sequence(
            Encoding.integer([1]), ListRecipe.ecdsaWithSHA256, try authority.certificate.subject.bytes(),
            Encoding.utcTime(Date() - 7200), Encoding.utcTime(Date() + 86400),
            Encoding.element(0x30, Self.entries(count)),
            Encoding.tagged(0, Encoding.sequence(Encoding.extensionNumber(20, [2, 1, 7]))))
        let signature = try authority.key.signature(for: signed).derRepresentation
        list = Encoding.sequence(signed, ListRecipe.ecdsaWithSHA256, Encoding.bits(Array(signature)))
    }

    /// Returns unordered serial numbers of 16 octets, a reason in every third entry, and the server in the middle.
    private static func entries(_ count: Int) -> [UInt8] {
        var generator = SplitMix64(seed: 1)
        let time = Encoding.utcTime(Date() - 3600)
        let reason = Encoding.sequence(Encoding.extensionNumber(21, [0x0a, 1, 1]))
        var bytes: [UInt8] = []
        bytes.reserveCapacity(count * 48)
        for number in 0..<count {
            var serialNumber: [UInt8] = [0x3f]
            for _ in 0..<15 { serialNumber.append(UInt8(truncatingIfNeeded: generator.next())) }
            if number == count / 2 { serialNumber = Self.serialNumber }
            let rest = number.isMultiple(of: 3) ? reason : []
            bytes += [0x30, UInt8(2 + serialNumber.count + time.count + rest.count), 0x02, UInt8(serialNumber.count)]
            bytes += serialNumber
            bytes += time
            bytes += rest
        }
        return bytes
    }

    /// Writes the files that `openssl/list.c` reads.
    func write(to folder: URL) throws {
        for (name, bytes) in [("root", root), ("server", server), ("list", list)] {
            try Data(bytes).write(to: folder.appending(path: "revoked-\(name).der"))
        }
    }
}
