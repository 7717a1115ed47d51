// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
import X509

@testable import CertificateTrust

struct PublicSuffixListTests {
    static let list = PublicSuffixList(
        "// a comment\ncom\nco.uk\n\n*.ck  // trailing\n!www.ck\ns3.amazonaws.com\n公司.cn\n")

    @Test(arguments: [
        ("com", true), ("CO.uk", true), ("a.co.uk", false), ("a.com", false), ("any.ck", true), ("www.ck", false),
        ("a.any.ck", false), ("unlisted", true), ("s3.amazonaws.com", true), ("amazonaws.com", false),
    ])
    func suffixes(name: String, isSuffix: Bool) {
        #expect(Self.list.isPublicSuffix(name) == isSuffix)
    }

    @Test(arguments: [("*.co.uk", false), ("*.a.co.uk", true), ("*.com", false), ("*.x.ck", false), ("a.co.uk", true)])
    func aWildcardMayNotSpanStrangers(name: String, isAllowed: Bool) throws {
        let leaf = try TestAuthority(root: Recipe().with { ($0.names, $0.commonName) = ([.dnsName(name)], name) })
        let rules = RuleSet([.wildcardOnPublicSuffix])
        let check = { try ConformanceCheck.check([leaf.certificate], against: rules, publicSuffixes: Self.list) }
        if isAllowed {
            #expect(throws: Never.self, performing: check)
        } else {
            #expect(throws: TrustFailure.self, performing: check)
        }
    }
}
