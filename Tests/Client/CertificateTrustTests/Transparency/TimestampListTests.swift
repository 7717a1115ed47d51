// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes

@testable import CertificateTrust

@Suite("Lists of signed certificate timestamps") struct TimestampListTests {
    private static let signed: [UInt8] =
        [0] + [UInt8](repeating: 7, count: 32) + [0, 0, 1, 2, 3, 4, 5, 6] + [0, 1, 9] + [4, 3, 0, 2, 8, 8]

    @Test("A timestamp's fields are those of RFC 6962 section 3.2") func fields() throws {
        let list = try TimestampList(tlsEncoded: TestLog.list([Self.signed]))
        guard case .timestamp(let timestamp)? = list.elements.first else {
            Issue.record("not read")
            return
        }
        #expect(list.count == 1 && timestamp.logID == [UInt8](repeating: 7, count: 32))
        #expect(timestamp.milliseconds == 0x0102_0304_0506 && timestamp.extensions.elementsEqual([9]))
        #expect(timestamp.algorithm == .ecdsaWithSHA256 && timestamp.signature.elementsEqual([8, 8]))
    }

    @Test(
        "A list that does not follow RFC 6962 section 3.3 is refused",
        arguments: [
            [], [0], [0, 0], [0, 1, 0], [0, 2, 0, 0], [0, 3, 0, 2, 0], [0, 3, 0, 1, 0, 0], [0, 4, 0, 1, 0],
            [0, 5, 0, 1, 0, 0, 0],
        ] as [[UInt8]])
    func malformed(bytes: [UInt8]) {
        #expect(throws: TimestampListError.malformed) { try TimestampList(tlsEncoded: bytes) }
    }

    @Test("A list has at most 16 timestamps") func limit() throws {
        let full = Array(repeating: Self.signed, count: 16)
        #expect(try TimestampList(tlsEncoded: TestLog.list(full)).count == 16)
        #expect(throws: TimestampListError.tooMany(limit: 16)) {
            try TimestampList(tlsEncoded: TestLog.list(full + [Self.signed]))
        }
    }

    @Test("A malformed timestamp or one of another version does not affect the others") func others() throws {
        var newer = Self.signed
        newer[0] = 1
        let list = try TimestampList(
            tlsEncoded: TestLog.list([newer, Array(Self.signed.dropLast()), Self.signed + [0], Self.signed]))
        #expect(list.elements.prefix(3) == [.unsupportedVersion, .malformed, .malformed])
        guard case .timestamp = list.elements[3] else {
            Issue.record("the last one is not read")
            return
        }
    }

    @Test("Every truncation of a timestamp is malformed") func truncation() {
        for count in 0..<Self.signed.count {
            #expect(SignedCertificateTimestamp.read(Self.signed.prefix(count)) == .malformed)
        }
    }

    @Test(
        "Algorithms other than ECDSA and RSA with SHA-256 are unknown",
        arguments: [
            (4, 3, .ecdsaWithSHA256), (4, 1, .rsaWithSHA256), (0, 3, nil), (4, 0, nil), (2, 3, nil), (5, 1, nil),
            (8, 7, nil),
        ] as [(UInt8, UInt8, SignedCertificateTimestamp.Algorithm?)])
    private func algorithms(hash: UInt8, signature: UInt8, algorithm: SignedCertificateTimestamp.Algorithm?) {
        var bytes = Self.signed
        bytes.replaceSubrange(44..<46, with: [hash, signature])
        guard case .timestamp(let timestamp) = SignedCertificateTimestamp.read(bytes[...]) else {
            Issue.record("not read")
            return
        }
        #expect(timestamp.algorithm == algorithm)
    }

    @Test(
        "In a certificate or response, the list is the only content of an OCTET STRING",
        arguments: [
            ([4, 5, 0, 3, 0, 1, 1], true), ([4, 5, 0, 3, 0, 1, 1, 0], false), ([3, 5, 0, 3, 0, 1, 1], false),
            ([4, 6, 0, 3, 0, 1, 1], false), ([], false),
        ] as [([UInt8], Bool)])
    func extensionValue(bytes: [UInt8], isRead: Bool) {
        #expect(((try? TimestampList(extensionValue: bytes[...])) != nil) == isRead)
    }
}
