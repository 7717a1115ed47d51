// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

@Suite struct TransparencyMutationTests {
    private static let rounds = 5_000

    @Test("No change of a list makes an unsigned timestamp valid") func lists() throws {
        let scene = try TransparencyScene()
        let logs = [TestLog("one", by: "A"), TestLog("two", by: "B"), TestLog("three", by: "C", isTiled: true)]
        let server = try scene.intermediate.issue(scene.recipe).certificate
        let stamps = try logs.map { try $0.timestamp(for: server, extensions: [0, 0, 5, 1, 2, 3, 4, 5]) }
        let list = TestLog.list(stamps)
        let signed = Set(stamps)
        let known = try TransparencyLogList(json: TestLog.json(logs))
        let path = [server, scene.intermediate.certificate, scene.root.certificate].map(ParsedCertificate.init)
        var generator = SplitMix64(seed: 3)
        for _ in 0..<Self.rounds {
            let bytes = mutated(list, &generator)
            guard let read = try? TimestampList(tlsEncoded: bytes) else { continue }
            let check = try #require(
                TransparencyCheck(
                    CertificateTransparency(logs: known), path, TrustEvidence(timestamps: read), at: Instant.now))
            #expect(check.findings.count == read.count)
            // The timestamps according to the length fields alone.
            let found = Set(elements(of: bytes))
            for finding in check.findings where finding.status == .valid {
                let isSigned = signed.intersection(found).contains { stamp in
                    Data(stamp[1..<33]).base64EncodedString() == finding.logID
                }
                if !isSigned { Issue.record("valid: \(Data(bytes).base64EncodedString())") }
            }
        }
    }

    @Test("Removing the timestamps of a changed certificate leaves no timestamp extension") func certificates()
        throws
    {
        let scene = try TransparencyScene()
        let server = try scene.server(list: TestLog.list([[0, 1, 2, 3]]))
        let tbsCertificate = Array(server.tbsCertificateBytes)
        var generator = SplitMix64(seed: 4)
        for _ in 0..<Self.rounds {
            let bytes = mutated(tbsCertificate, &generator)
            guard let without = LoggedEntry.withoutTimestamps(bytes[...]) else { continue }
            #expect(without.count < bytes.count)
            #expect(LoggedEntry.withoutTimestamps(without[...]) == nil)
        }
    }

    private func elements(of list: [UInt8]) -> [[UInt8]] {
        var (rest, elements) = (list.dropFirst(2), [[UInt8]]())
        while rest.count >= 2 {
            let count = Int(rest[rest.startIndex]) << 8 | Int(rest[rest.startIndex + 1])
            elements.append(Array(rest.dropFirst(2).prefix(count)))
            rest = rest.dropFirst(2 + count)
        }
        return elements
    }

    private func mutated(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...3, using: &generator) {
            guard let index = bytes.indices.randomElement(using: &generator) else { return bytes }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.swapAt(index, Int.random(in: 0..<bytes.count, using: &generator))
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            default: bytes.remove(at: index)
            }
        }
        return bytes
    }
}
