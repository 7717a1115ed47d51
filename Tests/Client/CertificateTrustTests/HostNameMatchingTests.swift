// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Testing
import X509

@testable import CertificateTrust

struct HostNameMatchingTests {
    @Test(
        "DNS names are matched as in RFC 9525, with one wildcard label",
        arguments: [
            (pattern: "a.test", host: "a.test", matches: true),
            (pattern: "A.TEST", host: "a.test", matches: true),
            (pattern: "a.test", host: "b.a.test", matches: false),
            (pattern: "a.test.", host: "a.test", matches: false),  // A certificate name has no root label.
            (pattern: "", host: "a.test", matches: false),
            (pattern: "*.a.test", host: "b.a.test", matches: true),
            (pattern: "*.a.test", host: "a.test", matches: false),  // "*" does not match an empty label.
            (pattern: "*.a.test", host: "c.b.a.test", matches: false),  // "*" matches exactly one label.
            (pattern: "*.a.test", host: "xn--bcher-kva.a.test", matches: true),  // "*" matches an A-label.
            (pattern: "xn--*.a.test", host: "xn--bcher-kva.a.test", matches: false),
            (pattern: "w*.a.test", host: "ww.a.test", matches: false),  // "*" must be the complete label.
            (pattern: "*w.a.test", host: "ww.a.test", matches: false),
            (pattern: "b.*.test", host: "b.a.test", matches: false),  // "*" must be the left-most label.
            (pattern: "*.*.test", host: "b.a.test", matches: false),
            (pattern: "*.test", host: "a.test", matches: false),  // At least two labels must follow.
            (pattern: "*", host: "localhost", matches: false),
            (pattern: "**.a.test", host: "b.a.test", matches: false),
            (pattern: "*.a.test\0.evil.test", host: "b.a.test", matches: false),
            (pattern: "192.0.2.1", host: "192.0.2.1", matches: false),  // An address requires an iPAddress name.
            (pattern: "*.0.2.1", host: "192.0.2.1", matches: false),
        ])
    func dnsNames(pattern: String, host: String, matches: Bool) throws {
        #expect(HostNameMatching.matches([.dnsName(pattern)], try HostName(host)) == matches)
    }

    @Test(
        "IP addresses match iPAddress names only",
        arguments: [
            (octets: [192, 0, 2, 1], host: "192.0.2.1", matches: true),
            (octets: [192, 0, 2, 2], host: "192.0.2.1", matches: false),
            (octets: [192, 0, 2, 1, 255, 255, 255, 255], host: "192.0.2.1", matches: false),
            (octets: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1], host: "::1", matches: true),
            (octets: [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff, 192, 0, 2, 1], host: "192.0.2.1", matches: false),
            (octets: [192, 0, 2, 1], host: "::ffff:192.0.2.1", matches: false),
            (octets: [], host: "a.test", matches: false),
        ] as [(octets: [UInt8], host: String, matches: Bool)])
    func addresses(octets: [UInt8], host: String, matches: Bool) throws {
        let name = GeneralName.ipAddress(ASN1OctetString(contentBytes: octets[...]))
        #expect(HostNameMatching.matches([name], try HostName(host)) == matches)
    }

    @Test("Names of other kinds match no host") func otherKinds() throws {
        let names: [GeneralName] = [
            .uniformResourceIdentifier("a.test"), .rfc822Name("a.test"),
            .directoryName(try DistinguishedName { CommonName("a.test") }),
        ]
        #expect(!HostNameMatching.matches(names, try HostName("a.test")))
    }
}
