// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct PublicSuffixListTests {
    static let list = PublicSuffixList(
        Array("// a comment\ncom\nco.uk\n\n*.ck  // trailing\n!www.ck\r\ns3.amazonaws.com\n公司.cn\n".utf8))

    @Test(
        "Public suffixes are recognized, with wildcards and exceptions",
        arguments: [
            ("com", true), ("CO.uk", true), ("a.co.uk", false), ("a.com", false), ("any.ck", true), ("www.ck", false),
            ("a.any.ck", false), ("unlisted", true), ("s3.amazonaws.com", true), ("amazonaws.com", false),
        ])
    func suffixes(name: String, isSuffix: Bool) {
        #expect(Self.list.isPublicSuffix(name) == isSuffix)
    }

    @Test("Private domains count only if requested") func privateSection() {
        let text = Array("com\n// ===BEGIN PRIVATE DOMAINS===\ns3.amazonaws.com\n".utf8)
        #expect(!PublicSuffixList(text).isPublicSuffix("s3.amazonaws.com"))
        #expect(PublicSuffixList(text, sections: .all).isPublicSuffix("s3.amazonaws.com"))
    }

    @Test(
        "A wildcard does not cover a public suffix",
        arguments: [
            (names: ["*.co.uk"], host: "a.co.uk", isAllowed: false),
            (names: ["*.a.co.uk"], host: "b.a.co.uk", isAllowed: true),
            (names: ["*.x.ck"], host: "a.x.ck", isAllowed: false),
            (names: ["*.co.uk", "a.co.uk"], host: "a.co.uk", isAllowed: true),
            (names: ["*.co.uk", "a.co.uk"], host: "b.co.uk", isAllowed: false),
        ])
    func wildcards(names: [String], host: String, isAllowed: Bool) throws {
        let leaf = try TestAuthority(root: Recipe().with { $0.names = names.map(GeneralName.dnsName) })
        let peers = [PeerName.host(try HostName(host))]
        let spans = WildcardCheck.isNamedByBroadWildcard(.init(leaf.certificate), peers) { Self.list }
        #expect(spans == !isAllowed)
    }
}
