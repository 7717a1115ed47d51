// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct RevocationPointersTests {
    private func pointers(_ extra: [Certificate.Extension]) throws -> RevocationPointers {
        RevocationPointers(
            ParsedCertificate(try TestAuthority(root: Recipe().with { $0.extra = extra }).certificate))
    }

    private func points(_ urls: [String], after fields: [UInt8] = []) -> Certificate.Extension {
        let names = urls.flatMap { Encoding.element(0x86, Array($0.utf8)) }
        let point = Encoding.sequence(Encoding.tagged(0, Encoding.tagged(0, names)), fields)
        return .init(oid: [2, 5, 29, 31], critical: false, value: Encoding.sequence(point)[...])
    }

    @Test(
        "A limited number of HTTP URLs is read",
        arguments: [
            (["http://a.test/1", "https://a.test/2"], ["http://a.test/1", "https://a.test/2"]),
            (["ldap://a.test/", "HTTP://a.test/"], ["HTTP://a.test/"]),
            (["http:a", "http", "", "http://a.test/\n", "http://a.test/ b", "file:///etc/passwd"], []),
            (["http://a.test/" + String(repeating: "a", count: 2048)], []),
            ((1...9).map { "http://a.test/\($0)" }, (1...4).map { "http://a.test/\($0)" }),
            (["http://a.test/", "http://a.test/"], ["http://a.test/"]),
        ] as [([String], [String])])
    func urls(urls: [String], usable: [String]) throws {
        #expect(try pointers([points(urls)]).lists == usable)
    }

    @Test("Distribution points of other issuers and for some reasons are used, too") func partialLists() throws {
        let reasons: [UInt8] = [0x81, 2, 1, 0x40]
        #expect(try pointers([points(["http://a.test/"], after: reasons)]).lists == ["http://a.test/"])
        let name = try DistinguishedName { CommonName("other") }.bytes()
        let issuer = Encoding.tagged(2, Encoding.tagged(4, name))
        #expect(try pointers([points(["http://a.test/"], after: issuer)]).lists == ["http://a.test/"])
    }

    @Test(
        "The TLS feature status_request is read, and a malformed one is refused",
        arguments: [
            (Encoding.sequence([2, 1, 5]), ["trust.revocation-unknown"], ["trust.revocation-unknown"]),
            (
                Encoding.sequence([2, 1, 17], [2, 1, 5]), ["trust.revocation-unknown"],
                ["trust.unknown-critical-extension"]
            ),
            (Encoding.sequence([2, 1, 17]), [], ["trust.unknown-critical-extension"]),
            (Encoding.sequence(), [], []),
            ([5, 0], ["trust.malformed-extension"], ["trust.malformed-extension"]),
            ([], ["trust.malformed-extension"], ["trust.malformed-extension"]),
        ] as [([UInt8], [String], [String])])
    func tlsFeature(value: [UInt8], uncritical: [String], critical: [String]) throws {
        for (isCritical, expected) in [(false, uncritical), (true, critical)] {
            let chain = try TestChain(leaf: {
                $0.extra = [.init(oid: [1, 3, 6, 1, 5, 5, 7, 1, 24], critical: isCritical, value: value[...])]
            })
            #expect(try codes(chain.verdict()).first == expected.first, "\(isCritical)")
        }
    }
}
