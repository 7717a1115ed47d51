// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import WSSecurity

/// Attacks that move the signed elements of a message (McIntosh and Austel, XML Signature Element Wrapping Attacks;
/// Somorovsky and others, On Breaking SAML).
@Suite struct WrappingTests {
    /// The parts of a signed message.
    struct Parts {
        let start, header, signature, timestamp, body, end: String

        init(_ message: String) throws {
            let match = try #require(
                message.firstMatch(of: /(?s)(.*?<s:Envelope[^>]*>)(<s:Header.*<\/s:Header>)(<s:Body.*<\/s:Body>)(.*)/))
            (start, header, body, end) = (String(match.1), String(match.2), String(match.3), String(match.4))
            signature = String(try #require(header.firstMatch(of: /(?s)<ds:Signature .*<\/ds:Signature>/)).0)
            timestamp = String(try #require(header.firstMatch(of: /(?s)<wsu:Timestamp .*<\/wsu:Timestamp>/)).0)
        }
    }

    struct Attack: Sendable, CustomTestStringConvertible {
        let testDescription: String
        let expected: WSSecurityError
        let message: @Sendable (Parts) -> String

        init(_ name: String, _ expected: WSSecurityError, _ message: @escaping @Sendable (Parts) -> String) {
            (testDescription, self.expected, self.message) = (name, expected, message)
        }
    }

    private static let evil = "<s:Body><b:Pay xmlns:b=\"urn:bank\"><b:to>Eve</b:to></b:Pay></s:Body>"

    /// Returns the forged body with the identifier of the signed body.
    private static func twin(_ parts: Parts) -> String {
        let identifier = parts.body.firstMatch(of: /wsu:Id="([^"]+)"/)?.1 ?? ""
        return evil.replacing("<s:Body>", with: "<s:Body xmlns:w=\"\(Messages.utility)\" w:Id=\"\(identifier)\">")
    }

    static let attacks: [Attack] = [
        Attack("the signed body in a wrapper in the header", .notSigned(.body)) {
            $0.start + $0.header.replacing("</s:Header>", with: "<w>\($0.body)</w></s:Header>") + evil + $0.end
        },
        Attack("the signed body in an object of the signature", .notSigned(.body)) {
            $0.start
                + $0.header.replacing("</ds:Signature>", with: "<ds:Object>\($0.body)</ds:Object></ds:Signature>")
                + evil
                + $0.end
        },
        Attack("the signed body in the evil one", .notSigned(.body)) {
            $0.start + $0.header + evil.replacing("</s:Body>", with: "\($0.body)</s:Body>") + $0.end
        },
        Attack("the evil body before the signed one", .notAnEnvelope) {
            $0.start + $0.header + evil + $0.body + $0.end
        },
        Attack("the evil body after the signed one", .notAnEnvelope) {
            $0.start + $0.header + $0.body + evil + $0.end
        },
        Attack("the signed body after the evil one, in a wrapper", .notSigned(.body)) {
            $0.start + $0.header + evil + "<w>\($0.body)</w>" + $0.end
        },
        Attack("the whole signed message in the header of an evil one", .noSecurityHeader) {
            let inner = $0.start.replacing(#/<\?xml[^>]*>\s*/#, with: "") + $0.header + $0.body + $0.end
            return $0.start + "<s:Header>\(inner)</s:Header>" + evil + $0.end
        },
        Attack("the whole signed message in the header of an evil one, with a copy of the signature", .notSigned(.body))
        {
            let inner = $0.start.replacing(#/<\?xml[^>]*>\s*/#, with: "") + $0.body + $0.end
            return $0.start + $0.header.replacing("</s:Header>", with: "\(inner)</s:Header>") + evil + $0.end
        },
        Attack(
            "the evil body with the identifier of the signed one",
            .signature(.duplicateIdentifier("id-000102030405060708090a0b0c0d0e0f"))
        ) {
            $0.start + $0.header.replacing("</s:Header>", with: "<w>\($0.body)</w></s:Header>") + twin($0) + $0.end
        },
        Attack("the signed time in a wrapper, and another one in its place", .notSigned(.timestamp)) {
            let later = $0.timestamp.replacing("2026", with: "2027").replacing(#/wsu:Id="[^"]+"/#, with: "")
            return $0.start
                + $0.header.replacing($0.timestamp, with: later).replacing(
                    "</s:Header>", with: "<w>\($0.timestamp)</w></s:Header>") + $0.body + $0.end
        },
        Attack("the signed time in a wrapper, and none in its place", .missingPart(.timestamp)) {
            $0.start
                + $0.header.replacing($0.timestamp, with: "").replacing(
                    "</s:Header>", with: "<w>\($0.timestamp)</w></s:Header>") + $0.body + $0.end
        },
        Attack("a second time", .notSigned(.timestamp)) {
            let second = $0.timestamp.replacing(#/wsu:Id="[^"]+"/#, with: "")
            return $0.start + $0.header.replacing($0.timestamp, with: $0.timestamp + second) + $0.body + $0.end
        },
        Attack("the security header outside of the header", .notAnEnvelope) {
            $0.start + $0.header.replacing("s:Header", with: "s:Other") + $0.body + $0.end
        },
        Attack("the security header for another receiver", .noSecurityHeader) {
            $0.start + $0.header.replacing("s:mustUnderstand=\"1\"", with: "s:actor=\"urn:other\"") + $0.body + $0.end
        },
        Attack("no signature", .noSignature) {
            $0.start + $0.header.replacing($0.signature, with: "") + $0.body + $0.end
        },
        Attack("no header", .noSecurityHeader) { $0.start + $0.body + $0.end },
        Attack("a second security header", .severalSecurityHeaders) {
            $0.start
                + $0.header.replacing("</s:Header>", with: "<o:Security xmlns:o=\"\(Messages.security)\"/></s:Header>")
                + $0.body + $0.end
        },
        Attack("six signatures", .tooManySignatures(limit: 5)) {
            let signatures = String(repeating: $0.signature, count: 6)
            return $0.start + $0.header.replacing($0.signature, with: signatures) + $0.body + $0.end
        },
        Attack("a document type", .document(.documentType)) {
            $0.start.replacing("<s:Envelope", with: "<!DOCTYPE s><s:Envelope") + $0.header + $0.body + $0.end
        },
        Attack("a page in place of the message", .notAnEnvelope) { _ in "<html/>" },
    ]

    @Test("A message with moved or missing signed parts is refused with the right error", arguments: attacks)
    func refused(attack: Attack) async throws {
        let sent = try await MessageSecurity.x509(Messages.signer.get()).secure(
            Messages.envelope(), at: Messages.time, randomBytes: countingBytes)
        let parts = try Parts(sent.text)
        var replays = ReplayCache()
        let verifier = SecurityVerifier(policy: Messages.policy)
        let message = Array(attack.message(parts).utf8)
        #expect(
            Messages.error {
                try verifier.verify(message, at: Messages.time, replays: &replays)
            } == attack.expected)
    }
}
