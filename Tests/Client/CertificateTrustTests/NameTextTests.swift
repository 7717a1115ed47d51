// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import Foundation
import SwiftASN1
import Testing
import TrustRecipes
import X509

@testable import CertificateTrust

struct NameTextTests {
    private static func units(_ text: String, size: Int) -> [UInt8] {
        size == 2
            ? text.utf16.flatMap { [UInt8($0 >> 8), UInt8($0 & 0xff)] }
            : text.unicodeScalars.flatMap { scalar in
                [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: scalar.value >> UInt32($0)) }
            }
    }

    private static func text(_ tag: UInt8, _ content: [UInt8]) -> String {
        NameText.text(of: RawRecipe.name([content], tag: tag)[...])
    }

    @Test(
        "A name in any string type is decoded",
        arguments: [
            (DERTag.utf8String, Array("Müller".utf8), "Müller"), (DERTag.teletexString, [0x4d, 0xfc, 0x6c], "Mül"),
            (DERTag.bmpString, units("Müller €", size: 2), "Müller €"),
            (DERTag.bmpString, units("a😀", size: 2), "a😀"),
            (DERTag.universalString, units("Ä😀", size: 4), "Ä😀"),
            (DERTag.printableString, Array("*.a_b@c.test".utf8), "*.a_b@c.test"),
            (DERTag.printableString, [0x63, 0x61, 0x66, 0xe9], "café"), (DERTag.ia5String, [0xe4], "ä"),
            (DERTag.visibleString, Array("visible".utf8), "visible"),
            (DERTag.numericString, Array("12 x".utf8), "12 x"),
            // Octets that are no characters are written as pairs of digits (RFC 4514 section 2.4).
            (DERTag.utf8String, [0x63, 0x61, 0x66, 0xe9], "caf\\E9"),
            (DERTag.utf8String, [0xc3, 0xa9, 0xff, 0xfe, 0x2c], "é\\FF\\FE\\,"),
            (DERTag.bmpString, [0, 0x61, 0], "#1e03006100"), (DERTag.bmpString, [0xd8, 0x3d], "#1e02d83d"),
            (DERTag.universalString, [0, 0x11, 0, 0], "#1c0400110000"), (DERTag.integer, [5], "#020105"),
            // The escapes of RFC 4514 section 2.4.
            (DERTag.utf8String, Array("# a+b,\"c\"\\<d>;= ".utf8), "\\#\\ a\\+b\\,\\\"c\\\"\\\\\\<d\\>\\;=\\ "),
            (DERTag.bmpString, [0, 0x61, 0, 0], "a\\00"),
            // Control characters never reach a terminal.
            (DERTag.teletexString, [0x9b, 0x41], "\\u{9b}A"), (DERTag.utf8String, [0x0a], "\\u{a}"),
            (DERTag.utf8String, [], ""),
        ] as [(UInt8, [UInt8], String)])
    func stringTypes(tag: UInt8, content: [UInt8], expected: String) {
        #expect(Self.text(tag, content) == "CN=" + expected)
    }

    @Test(
        "An attribute has its short name, or the identifier and the encoded value",
        arguments: [
            ([0x2a, 3], "1.2.3=#0c024869"), ([0x55, 4, 5], "serialNumber=Hi"),
            ([0x55, 4, 97], "organizationIdentifier=Hi"),
            ([0x2a, 0x86, 0x48, 0x86, 0xf7, 0x0d, 0x01, 0x09, 0x01], "E=Hi"),
            ([0x09, 0x92, 0x26, 0x89, 0x93, 0xf2, 0x2c, 0x64, 0x01, 0x19], "DC=Hi"),
            ([0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x3c, 0x02, 0x01, 0x03], "jurisdictionC=Hi"),
        ] as [([UInt8], String)])
    func types(identifier: [UInt8], expected: String) {
        let attribute = Encoding.sequence(Encoding.identifier(identifier), Encoding.element(0x0c, Array("Hi".utf8)))
        let name = Encoding.sequence(Encoding.element(0x31, attribute))
        #expect(NameText.text(of: name[...]) == expected)
    }

    @Test("The last relative name comes first, and attributes of one are joined") func order() {
        let name = Encoding.sequence(
            Encoding.element(
                0x31, Encoding.sequence(Encoding.identifier([0x55, 4, 6]), Encoding.element(0x13, Array("DE".utf8)))),
            Encoding.element(
                0x31, Encoding.sequence(Encoding.identifier([0x55, 4, 3]), Encoding.element(0x0c, Array("a".utf8))),
                Encoding.sequence(Encoding.identifier([0x55, 4, 11]), Encoding.element(0x0c, Array("b".utf8)))))
        #expect(NameText.text(of: name[...]) == "CN=a+OU=b,C=DE")
        #expect(NameText.text(of: []) == "" && NameText.text(of: [0x30, 0]) == "")
    }

    @Test("Names of all string types have equal keys, and a path contains them") func keys() throws {
        let forms: [(UInt8, [UInt8])] = [
            (DERTag.utf8String, Array("Müller CA".utf8)), (DERTag.teletexString, [0x4d, 0xfc] + "LLER  ca".utf8),
            (DERTag.bmpString, Self.units("Müller CA ", size: 2)),
            (DERTag.universalString, Self.units("müller ca", size: 4)),
            (DERTag.printableString, [0x4d, 0xfc] + "ller CA".utf8), (DERTag.ia5String, [0x6d, 0xfc] + "ller CA".utf8),
        ]
        let names = forms.map { RawRecipe.name([$0.1], tag: $0.0) }
        #expect(Set(names.map { NameKey($0[...]) }).count == 1)
        for issuer in names {
            for subject in names {
                let verdict = try RawChain(intermediate: { $0.subject = subject }, leaf: { $0.issuer = issuer })
                    .verdict()
                #expect(codes(verdict) == [])
                let root = try RawChain(root: { $0.subject = subject }, intermediate: { $0.issuer = issuer }).verdict()
                #expect(codes(root) == [])
            }
        }
        let other = RawRecipe.name([Self.units("Muller CA", size: 2)], tag: DERTag.bmpString)
        #expect(try !RawChain(intermediate: { $0.subject = names[0] }, leaf: { $0.issuer = other }).verdict().isTrusted)
        // Broken texts are compared as bytes.
        let broken = RawRecipe.name([[0xe9]], tag: DERTag.utf8String)
        #expect(NameKey(broken[...]) != NameKey(RawRecipe.name([[0xe9]], tag: DERTag.teletexString)[...]))
    }

    @Test("The attributes of a relative name have no order") func multipleValues() {
        func name(_ texts: [[UInt8]], _ tag: UInt8) -> NameKey { NameKey(RawRecipe.name(texts, tag: tag)[...]) }
        #expect(name([Array("a".utf8), Array("bb".utf8)], 0x0c) == name([Array("BB".utf8), Array("A".utf8)], 0x13))
        #expect(name([Array("a".utf8), Array("b".utf8)], 0x0c) != name([Array("a".utf8), Array("a".utf8)], 0x0c))
    }

    @Test(
        "A common name in any string type is compared with the alternative names by its text",
        arguments: [
            (DERTag.utf8String, Array("a.test".utf8), true), (DERTag.bmpString, units("a.test", size: 2), true),
            (DERTag.teletexString, Array("a.test".utf8), true),
            (DERTag.universalString, units("a.test", size: 4), true),
            (DERTag.ia5String, Array("a.test".utf8), true), (DERTag.visibleString, Array("a.test".utf8), true),
            (DERTag.bmpString, units("b.test", size: 2), false), (DERTag.bmpString, Array("a.test.".utf8), false),
            (DERTag.printableString, Array("*.test".utf8), false), (DERTag.utf8String, [0xff], false),
        ] as [(UInt8, [UInt8], Bool)])
    func commonName(tag: UInt8, content: [UInt8], isFollowed: Bool) throws {
        let verdict = try RawChain(leaf: { $0.subject = RawRecipe.name([content], tag: tag) }).verdict()
        #expect(codes(verdict) == [])
        #expect(verdict.leniencies.contains { $0.rule == .commonName } != isFollowed)
    }

    @Test(
        "Directory name constraints compare the texts of all string types",
        arguments: [
            (DERTag.bmpString, units("Firma Ä", size: 2), true, false),
            (DERTag.teletexString, Array("firma ".utf8) + [0xc4], true, false),
            (DERTag.bmpString, units("Firma B", size: 2), false, true), (DERTag.utf8String, [0xff], false, false),
        ] as [(UInt8, [UInt8], Bool, Bool)])
    func directoryConstraints(tag: UInt8, content: [UInt8], isInside: Bool, isOutside: Bool) throws {
        let base = Encoding.sequence(Encoding.tagged(4, RawRecipe.name("Firma Ä")))
        for (number, isAllowed) in [(UInt8(0), isInside), (1, isOutside)] {
            let constraints = Encoding.extensionNumber(
                30, critical: true, Encoding.sequence(Encoding.tagged(number, base)))
            let verdict = try RawChain(
                intermediate: { $0.extensions?.append(constraints) },
                leaf: { $0.subject = RawRecipe.name([content], tag: tag) }
            ).verdict()
            #expect(codes(verdict) == (isAllowed ? [] : ["trust.name-constraints"]))
        }
    }

    @Test("A subject that swift-certificates cannot read is constrained", arguments: [true, false])
    func unreadableSubject(isUnsorted: Bool) throws {
        // The attributes are not sorted, or an attribute type has a number of more than 64 bits.
        let type: [UInt8] = isUnsorted ? [0x55, 4, 3] : [0x2a] + [UInt8](repeating: 0xff, count: 12) + [0x7f]
        let attributes = ["b", "a"].map {
            Encoding.sequence(Encoding.identifier(type), Encoding.element(0x0c, Array($0.utf8)))
        }
        let subject = Encoding.sequence(
            isUnsorted ? Encoding.element(0x31, attributes.flatMap(\.self)) : Encoding.element(0x31, attributes[0]))
        #expect((try? DistinguishedName(derEncoded: DER.parse(subject))) == nil)
        let base = Encoding.sequence(Encoding.tagged(4, RawRecipe.name("other")))
        let constraints = Encoding.extensionNumber(30, critical: true, Encoding.sequence(Encoding.tagged(0, base)))
        let verdict = try RawChain(
            intermediate: { $0.extensions?.append(constraints) }, leaf: { $0.subject = subject }
        ).verdict()
        #expect(codes(verdict) == ["trust.name-constraints"])
    }

    /// The names of Swift types and of their printed forms.
    private static let debugTexts = [
        "ASN1", "Optional(", "ArraySlice", "DistinguishedName", "GeneralName", "OtherName(", "DNSName(",
        "DirectoryName(",
        "IPAddress(", "RFC822Name(", "URI(", "RegisteredID(", "X400Address(", "EDIPartyName(", "CertificateTrust.",
        "X509.",
        "nil", "[48, ", "UInt8",
    ]

    @Test("No text about an odd certificate shows a Swift value") func oddCertificates() throws {
        let odd: [UInt8] = Encoding.sequence(
            Encoding.element(0x31, Encoding.sequence(Encoding.identifier([0x2a, 3]), Encoding.sequence([2, 1, 1]))),
            Encoding.element(
                0x31, Encoding.sequence(Encoding.identifier([0x55, 4, 3]), Encoding.element(0x1e, [0, 0x61, 0]))),
            Encoding.element(
                0x31, Encoding.sequence(Encoding.identifier([0x55, 4, 11]), Encoding.element(0x14, [0xe9, 0x1b]))))
        let upn = Encoding.sequence(
            Encoding.identifier([0x2b, 0x06, 0x01, 0x04, 0x01, 0x82, 0x37, 0x14, 0x02, 0x03]),
            Encoding.tagged(0, Encoding.element(0x0c, Array("u@a.test".utf8))))
        let names: [[UInt8]] = [
            Encoding.element(0x82, Array("a.test".utf8)), Encoding.element(0x82, [0xe9]),
            [0xa0] + upn.dropFirst(),
            Encoding.tagged(0, Encoding.identifier([0x2a, 3]), Encoding.tagged(0, Encoding.sequence([2, 1, 1]))),
            Encoding.tagged(3, [2, 1, 1]), Encoding.tagged(4, odd), Encoding.tagged(5, [0x81, 1, 0x61]),
            Encoding.element(0x87, [1, 2, 3]), Encoding.element(0x88, [0x2a, 3]),
        ]
        let constraints = Encoding.extensionNumber(
            30, critical: true,
            Encoding.sequence(Encoding.tagged(1, names.flatMap { Encoding.sequence($0) })))
        var texts: [String] = []
        for chain in [
            try RawChain(leaf: { ($0.subject, $0.extensions) = (odd, [RawRecipe.names(names)]) }),
            try RawChain(intermediate: { $0.subject = odd }, leaf: { $0.issuer = odd }),
            try RawChain(root: { $0.subject = odd }, intermediate: { $0.issuer = odd }),
            try RawChain(leaf: { $0.issuer = odd }),
            try RawChain(
                intermediate: { $0.extensions?.append(constraints) }, leaf: { $0.extensions = [RawRecipe.names(names)] }
            ),
            try RawChain(
                intermediate: {
                    $0.extensions?.append(
                        Encoding.extensionNumber(
                            30, critical: true,
                            Encoding.sequence(Encoding.tagged(0, Encoding.sequence(Encoding.tagged(4, odd))))))
                }, leaf: { $0.subject = odd }),
            try RawChain(leaf: { $0.extensions = [RawRecipe.names(Array(names.dropFirst()))] }),
        ] {
            for profile in [TrustPolicy.Profile.privatePKI, .webPKI] {
                let verdict = try chain.verdict(profile: profile)
                let json = try JSONEncoder().encode(verdict)
                #expect(try JSONDecoder().decode(Verdict.self, from: json) == verdict)
                texts += [String(decoding: json, as: UTF8.self), verdict.explanation, "\(verdict)"]
                texts += verdict.failures.map { "\($0.explanation)" } + verdict.leniencies.map(\.explanation)
                for summary in verdict.certificates.all {
                    texts += [summary.subject, summary.issuer, "\(summary)"] + summary.names
                }
            }
        }
        for text in texts {
            for debugText in Self.debugTexts where text.contains(debugText) {
                Issue.record("\(debugText) in \(text.prefix(400))")
            }
        }
        #expect(texts.contains("OU=é\\u{1b},CN=#1e03006100,1.2.3=#3003020101"))
        #expect(texts.contains("u@a.test") && texts.contains("a name of the kind 1.2.3"))
    }
}
