// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct RevocationMutationTests {
    static let rounds = 10_000

    private func mutated(_ bytes: [UInt8], _ generator: inout SplitMix64) -> [UInt8] {
        var bytes = bytes
        for _ in 0..<Int.random(in: 1...4, using: &generator) {
            guard let index = bytes.indices.randomElement(using: &generator) else { return bytes }
            switch Int.random(in: 0..<5, using: &generator) {
            case 0: bytes[index] = UInt8.random(in: 0...255, using: &generator)
            case 1: bytes[index] ^= 1 << UInt8.random(in: 0..<8, using: &generator)
            case 2: bytes.remove(at: index)
            case 3: bytes.insert(UInt8.random(in: 0...255, using: &generator), at: index)
            default: bytes.removeSubrange(index...)
            }
        }
        return bytes
    }

    @Test("No change of a CRL makes its certificate good") func lists() throws {
        let fixture = try RevocationFixture()
        let scope = Encoding.extensionNumber(
            28, critical: true, Encoding.sequence(RevocationScopeTests.fullName(RevocationScopeTests.name("root"))))
        let list = try fixture.list {
            $0.entries = [.init([1], reason: 4), .init(RevocationFixture.serialNumber, reason: 1)]
            $0.extensions = [scope]
        }
        var generator = SplitMix64(seed: 1)
        for _ in 0..<Self.rounds {
            let bytes = mutated(list, &generator)
            guard bytes != list, let status = try? fixture.status(lists: [bytes]) else { continue }
            switch status {
            case .good, .revoked: Issue.record("\(status) by \(Data(bytes).base64EncodedString())")
            case .unusable, .absent: break
            }
        }
    }

    @Test("No change of an OCSP response makes its certificate good") func responses() throws {
        let fixture = try RevocationFixture()
        let responder = try fixture.responder()
        let response = try fixture.response(by: responder) {
            $0.status = ResponseRecipe.revoked(reason: 1)
            $0.certificates = [responder.certificate]
            $0.extensions = [ResponseRecipe.nonce([1, 2, 3])]
        }
        var generator = SplitMix64(seed: 2)
        for _ in 0..<Self.rounds {
            let bytes = mutated(response, &generator)
            guard let status = try? fixture.status(responses: [bytes], nonce: [1, 2, 3]) else { continue }
            if case .good = status { Issue.record("good by \(Data(bytes).base64EncodedString())") }
        }
    }

    @Test("Truncated CRLs and responses are refused") func truncation() throws {
        let fixture = try RevocationFixture()
        let (list, response) = (try fixture.list { $0.entries = [.init([1], reason: 1)] }, try fixture.response())
        for count in list.indices {
            #expect(throws: RevocationEncodingError.self) {
                try CertificateRevocationList(derEncoded: Array(list.prefix(count)))
            }
        }
        for count in response.indices {
            #expect(throws: RevocationEncodingError.self) {
                try OCSPResponse(derEncoded: Array(response.prefix(count)))
            }
        }
    }
}
