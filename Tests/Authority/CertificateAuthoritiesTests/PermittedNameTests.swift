// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import SwiftASN1
import Testing
import X509

@testable import CertificateAuthorities

@Suite struct PermittedNameTests {
    let root: CertificateAuthority
    let networkRoot: CertificateAuthority

    init() throws {
        root = try CertificateAuthority(
            name: "Home", permitting: PermittedNames(["home.example", "192.168.0.0/16", "fd00::/8"]), now: now)
        networkRoot = try CertificateAuthority(name: "Network", permitting: PermittedNames(["10.0.0.1"]), now: now)
    }

    @Test(
        "An authority issues certificates for permitted names only",
        arguments: [
            (profile: LeafProfile.server(names: ["home.example"]), refused: String?.none),
            (.server(names: ["*.home.example", "a.b.HOME.example"]), nil),
            (.server(names: ["192.168.7.1", "fdaa::1"]), nil),
            (.server(names: ["home.example", "example"]), "example"),
            (.server(names: ["nothome.example"]), "nothome.example"),
            (.server(names: ["192.169.0.1"]), "192.169.0.1"),
            (.server(names: ["2001:db8::1"]), "2001:db8::1"),
            (.client(name: "mary", mailboxes: ["mary@home.example", "mary@mail.home.example"]), nil),
            (.client(name: "mary", mailboxes: ["mary@example.org"]), "mary@example.org"),
            (.client(name: "mary"), nil),
        ])
    func permitted(profile: LeafProfile, refused: String?) throws {
        // The root's constraints also apply to the intermediate.
        for authority in [root, try root.issueIntermediate(name: "Lower", now: now)] {
            let expected = refused.map(CertificateAuthorityError.notPermitted)
            #expect(Result { try authority.issue(profile, now: now) }.failure == expected)
        }
    }

    @Test("Without permitted domains, no domain and no mailbox can be certified", arguments: ["a.example", "10.0.0.2"])
    func networkOnly(name: String) throws {
        _ = try networkRoot.issue(.server(names: ["10.0.0.1"]), now: now)
        #expect(throws: CertificateAuthorityError.notPermitted(name)) {
            try networkRoot.issue(.server(names: [name]), now: now)
        }
        #expect(throws: CertificateAuthorityError.notPermitted("m@a.example")) {
            try networkRoot.issue(.client(name: "m", mailboxes: ["m@a.example"]), now: now)
        }
    }

    @Test("The constraints are critical, and exclude all addresses if no network is permitted") func encoded() throws {
        let constrained = try CertificateAuthority(name: "R", permitting: PermittedNames(["a.example"]), now: now)
        #expect(constrained.certificate.extensions[oid: .X509ExtensionID.nameConstraints]?.critical == true)
        let constraints = try #require(try constrained.certificate.extensions.nameConstraints)
        #expect(Array(constraints.permittedDNSDomains) == ["a.example"])
        #expect(Array(constraints.permittedEmailAddresses) == ["a.example", ".a.example"])
        #expect(constraints.excludedIPRanges.map(\.bytes.count) == [8, 32])
        let inNetworks = try #require(try root.certificate.extensions.nameConstraints)
        #expect(inNetworks.excludedIPRanges.isEmpty)
        #expect(Array(inNetworks.permittedIPRanges.map { Array($0.bytes) }[0]) == [192, 168, 0, 0, 255, 255, 0, 0])
    }

    @Test(
        "An invalid domain or network is refused",
        arguments: ["*.example", "", "a..b", "10.0.0.0/33", "10.0.0.0/-1", "10.0.0.0/", "::/129", "/8", "10.0/8"])
    func malformed(text: String) {
        #expect(throws: CertificateAuthorityError.self) { try PermittedNames([text]) }
    }

    @Test(
        "A distinguished name is read in the form of RFC 4514",
        arguments: [
            ("CN=Mary", [["CN", "Mary"]]),
            ("CN=Mary Smith, O = Example , C=GB", [["C", "GB"], ["O", "Example"], ["CN", "Mary Smith"]]),
            (#"CN=Smith\, Mary\20"#, [["CN", "Smith, Mary "]]),
            (#"O=\C3\A9,DC=example,DC=org"#, [["DC", "org"], ["DC", "example"], ["O", "é"]]),
        ])
    func subjects(text: String, attributes: [[String]]) throws {
        let name = try DistinguishedName(rfc4514: text)
        let types: [String: ASN1ObjectIdentifier] = [
            "CN": [2, 5, 4, 3], "O": [2, 5, 4, 10], "C": [2, 5, 4, 6], "DC": [0, 9, 2342, 19_200_300, 100, 1, 25],
        ]
        #expect(
            name.map { $0.map { [$0.type.description, String($0.value) ?? ""] } }
                == attributes.map { [[types[$0[0]]?.description ?? "", $0[1]]] })
    }

    @Test(
        "An invalid distinguished name is refused",
        arguments: [
            "", "Mary", "CN=", "CN=a,", "XX=a", "C=Britain", "CN=a+O=b", #"CN=a\"#, #"CN=\4"#, "CN=\"a\"", ",CN=a",
            "CN=" + String(repeating: "a", count: 65),
        ])
    func malformedSubjects(text: String) {
        #expect(throws: CertificateAuthorityError.malformedSubject(text)) { try DistinguishedName(rfc4514: text) }
    }
}

extension Result {
    fileprivate var failure: CertificateAuthorityError? {
        if case .failure(let error) = self { error as? CertificateAuthorityError } else { nil }
    }
}
