// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import Crypto
import Foundation
import Identities
import SwiftASN1
import Testing
import WSSecurity
import X509
import XMLDocuments

@Suite struct IncomingTests {
    private static func signed(
        _ envelope: [UInt8] = Messages.envelope(), _ change: (inout MessageSecurity) -> Void = { _ in }
    ) async throws -> [UInt8] {
        var security = MessageSecurity.x509(try Messages.signer.get())
        change(&security)
        return try await security.secure(envelope, at: Messages.time)
    }

    private static func verify(
        _ message: [UInt8], at time: Date = Messages.time, _ change: (inout SecurityPolicy) -> Void = { _ in }
    ) throws(WSSecurityError) -> VerifiedMessage {
        var replays = ReplayCache()
        var policy = Messages.policy
        change(&policy)
        return try SecurityVerifier(policy: policy).verify(message, at: time, replays: &replays)
    }

    @Test("The verified message contains the signed Body", arguments: [Messages.soap11, Messages.soap12])
    func body(namespace: String) async throws {
        let message = try Self.verify(try await Self.signed(Messages.envelope(namespace)))
        let identifier = try #require(message.body?.text.firstMatch(of: /wsu:Id="([^"]+)"/)?.1)
        #expect(
            message.body?.text == """
                <s:Body xmlns:s="\(namespace)" xmlns:wsu="\(Messages.utility)" xmlns:xsd="http://www.w3.org/2001/XMLSchema" \
                wsu:Id="\(identifier)">\
                <b:Pay xmlns:b="urn:bank"><b:to xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance" \
                xsi:type="xsd:string">Ann &amp; Bob</b:to></b:Pay></s:Body>
                """)
        #expect(message.created == Messages.time)
        #expect(message.expiry == Messages.time + 300)
        #expect(try message.certificate == Messages.signer.get().certificate)
        let tree = try XMLTree(parsing: message.envelope, limits: XMLLimits())
        let body = try tree.element(at: [XMLName("Envelope", in: namespace), XMLName("Body", in: namespace)])
        #expect(body.children.map(\.name) == [XMLName("Pay", in: "urn:bank")])
        withExtendedLifetime(tree) {}
    }

    @Test("The verified message contains signed headers only") func headers() async throws {
        let header = "<s:Header><w:To xmlns:w=\"urn:w\">a</w:To><w:Action xmlns:w=\"urn:w\">b</w:Action></s:Header>"
        let action = XMLName("Action", in: "urn:w")
        let sent = try await Self.signed(Messages.envelope(header: header)) {
            $0.signature?.parts.append(.header(action))
        }
        let message = try Self.verify(sent) { $0.signedParts.append(.header(action)) }
        #expect(message.headers.map(\.name) == [action])
        #expect(!message.envelope.text.contains("w:To"))
        #expect(throws: WSSecurityError.notSigned(.header(XMLName("To", in: "urn:w")))) {
            try Self.verify(sent) { $0.signedParts.append(.header(XMLName("To", in: "urn:w"))) }
        }
        #expect(throws: WSSecurityError.missingPart(.header(XMLName("From", in: "urn:w")))) {
            try Self.verify(sent) { $0.signedParts.append(.header(XMLName("From", in: "urn:w"))) }
        }
    }

    @Test(
        "A message is accepted within its lifetime, extended by the clock difference",
        arguments: [
            (0, nil), (359, nil), (-60, nil), (361, .expired(Messages.time + 300)),
            (-61, .fromTheFuture(created: Messages.time)),
        ] as [(TimeInterval, WSSecurityError?)])
    func times(offset: TimeInterval, expected: WSSecurityError?) async throws {
        let sent = try await Self.signed()
        #expect(Messages.error { try Self.verify(sent, at: Messages.time + offset) } == expected)
    }

    @Test("A message's lifetime is limited by the policy") func stale() async throws {
        let sent = try await Self.signed { $0.timestamp?.lifetime = 86_400 }
        #expect(throws: WSSecurityError.stale(created: Messages.time)) {
            try Self.verify(sent, at: Messages.time + 361)
        }
        _ = try Self.verify(sent, at: Messages.time + 3_600) { $0.maximumAge = 3_600 }
    }

    @Test("A replayed message is refused until it has expired") func replays() async throws {
        let (first, second) = (try await Self.signed(), try await Self.signed())
        let verifier = SecurityVerifier(policy: Messages.policy)
        var replays = ReplayCache(maximumMessageCount: 2)
        _ = try verifier.verify(first, at: Messages.time, replays: &replays)
        _ = try verifier.verify(second, at: Messages.time, replays: &replays)
        #expect(throws: WSSecurityError.replayed) {
            try verifier.verify(first, at: Messages.time + 1, replays: &replays)
        }
        let third = try await Self.signed()
        #expect(throws: WSSecurityError.replayCacheFull(limit: 2)) {
            try verifier.verify(third, at: Messages.time, replays: &replays)
        }
        let later = try await MessageSecurity.x509(Messages.signer.get()).secure(
            Messages.envelope(), at: Messages.time + 400)
        _ = try verifier.verify(later, at: Messages.time + 400, replays: &replays)
        #expect(replays.count == 1)
    }

    @Test("A replayed message is refused even if one of its two signatures was removed", arguments: [0, 1])
    func severalSignatures(removed: Int) async throws {
        let once = try await Self.signed()
        let identifiers = once.text.split(separator: "wsu:Id=\"").dropFirst().compactMap {
            $0.split(separator: "\"").first
        }
        let other = try Messages.authority.get().issue(.client(name: "Other"), now: Messages.time)
        let signer = SignatureSigner(key: try PrivateSigningKey(other.privateKey), certificates: other.chain)
        let signed = Set(
            once.text.split(separator: "URI=\"#").dropFirst().compactMap { $0.split(separator: "\"").first })
        let parts = identifiers.filter { signed.contains($0) }.map {
            SignatureSigner.Part.element(identifier: String($0))
        }
        let security = XMLName("Security", in: Messages.security)
        let twice = try await signer.sign(
            once, parts: parts,
            into: ["Envelope", "Header"].map { XMLName($0, in: Messages.soap11) } + [security])
        let verifier = SecurityVerifier(policy: Messages.policy)
        var replays = ReplayCache()
        _ = try verifier.verify(twice, at: Messages.time, replays: &replays)
        let signatures = twice.text.matches(of: /<ds:Signature .*?<\/ds:Signature>/)
        try #require(signatures.count == 2)
        let rest = twice.text.replacingOccurrences(of: String(signatures[removed].output), with: "")
        for message in [twice, Array(rest.utf8)] {
            #expect(throws: WSSecurityError.replayed) {
                try verifier.verify(message, at: Messages.time, replays: &replays)
            }
        }
    }

    @Test("If the certificate must be signed, it cannot be replaced") func certificates() async throws {
        let sent = try await Self.signed { $0.signature?.parts.append(.certificate) }
        let demand = { (policy: inout SecurityPolicy) in policy.signedParts.append(.certificate) }
        #expect(try Self.verify(sent, demand).certificate == Messages.signer.get().certificate)
        let key = try Messages.signer.get().certificate.publicKey
        let other = try Messages.authority.get().issue(.client(name: "Mallory"), for: key, now: Messages.time)
        let encoded = try Data(other[0].serializeAsPEM().derBytes).base64EncodedString()
        let hint = "<ds:X509Data><ds:X509Certificate>\(encoded)</ds:X509Certificate></ds:X509Data>"
        let changed = sent.text.replacing(
            /<ds:KeyInfo>.*<\/ds:KeyInfo>/, with: "<ds:KeyInfo>\(hint)</ds:KeyInfo>")
        try #require(changed != sent.text)
        #expect(throws: WSSecurityError.notSigned(.certificate)) { try Self.verify(Array(changed.utf8), demand) }
    }

    @Test("Another authority's signer is refused, and a signer whose certificate is an anchor is accepted")
    func signers() async throws {
        let own = try Messages.identity(.p256)
        let sent = try await MessageSecurity.x509(own).secure(Messages.envelope(), at: Messages.time)
        #expect(throws: WSSecurityError.self) { try Self.verify(sent) }
        let message = try Self.verify(sent) { $0.signer = .key(own.certificate.publicKey) }
        #expect(message.certificate == nil)
    }

    @Test("SHA-1 is used only if it is allowed explicitly") func broken() async throws {
        let identity = try Messages.identity(.rsa2048)
        var security = MessageSecurity.x509(identity, algorithm: .rsaSHA1)
        let uri = XMLSignatureAlgorithm.rsaSHA1.rawValue
        await #expect(throws: WSSecurityError.brokenAlgorithm(uri)) {
            try await security.secure(Messages.envelope(), at: Messages.time)
        }
        security.signature?.allowsSHA1 = true
        let sent = try await security.secure(Messages.envelope(), at: Messages.time)
        #expect(throws: WSSecurityError.signature(.algorithmNotAllowed(uri))) {
            try Self.verify(sent) { $0.signer = .key(identity.certificate.publicKey) }
        }
        _ = try Self.verify(sent) {
            $0.signer = .key(identity.certificate.publicKey)
            $0.signatures.algorithms.insert(.rsaSHA1)
        }
    }

    @Test("Prefixes used only in values are removed, unless the policy trusts unsigned declarations")
    func unsignedPrefixes() async throws {
        var signer = SignatureSigner(key: try PrivateSigningKey(Messages.signer.get().privateKey))
        signer.certificates = try Messages.signer.get().chain
        let header = """
            <s:Header><o:Security xmlns:o="\(Messages.security)"></o:Security></s:Header>
            """
        let text = Messages.envelope(header: header).text.replacing("<s:Body>", with: "<s:Body Id=\"b\">")
        let path = [
            XMLName("Envelope", in: Messages.soap11), XMLName("Header", in: Messages.soap11),
            XMLName("Security", in: Messages.security),
        ]
        let sent = try await signer.sign(Array(text.utf8), parts: [.element(identifier: "b")], into: path)
        let strict = try Self.verify(sent) { $0.signedParts = [.body] }
        #expect(strict.body?.text.contains("xmlns:xsd=") == false)
        let lenient = try Self.verify(sent) { ($0.signedParts, $0.trustsUnsignedPrefixes) = ([.body], true) }
        #expect(lenient.body?.text.contains("xmlns:xsd=") == true)
    }
}
