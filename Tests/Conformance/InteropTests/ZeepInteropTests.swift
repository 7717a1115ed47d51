// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import Foundation
import Identities
import Secrets
import SwiftASN1
import Testing
import WSSecurity
import X509

/// zeep, a Python SOAP library, with its signature plugin, if scripts/interop/run has installed it.
enum Zeep {
    static let python = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
        .deletingLastPathComponent().deletingLastPathComponent().appending(path: ".tools/zeep/bin/python").path

    static let isPresent = FileManager.default.isExecutableFile(atPath: python)

    /// Runs a program, and returns the content of the file that it writes at the path in OUTPUT.
    static func output(of program: String, _ variables: [String: String]) async throws -> [UInt8] {
        let output = FileManager.default.temporaryDirectory.appending(path: "zeep-\(UUID().uuidString)")
        try Data().write(to: output)
        defer { try? FileManager.default.removeItem(at: output) }
        let known = ["PYTHON": python, "PROGRAM": program, "OUTPUT": output.path]
        try await Script.succeeds("exec \"$PYTHON\" -c \"$PROGRAM\"", variables.merging(known) { first, _ in first })
        return Array(try Data(contentsOf: output))
    }
}

@Suite(.enabled(if: Zeep.isPresent, "zeep is missing: run make interop"))
struct ZeepInteropTests {
    private static func envelope(_ namespace: String) -> String {
        """
        <s:Envelope xmlns:s="\(namespace)" xmlns:xsd="http://www.w3.org/2001/XMLSchema" \
        xmlns:xsi="http://www.w3.org/2001/XMLSchema-instance"><s:Header/><s:Body><b:Pay xmlns:b="urn:bank">\
        <b:to xsi:type="xsd:string">Ann &amp; Bob \u{e9}</b:to></b:Pay></s:Body></s:Envelope>
        """
    }

    static let namespaces = ["http://schemas.xmlsoap.org/soap/envelope/", "http://www.w3.org/2003/05/soap-envelope"]
    private static let identity = Result {
        try CertificateAuthority.selfSigned(.server(names: ["a.test"], keyType: .rsa2048), now: Date())
    }

    private static let verifying = """
        import os
        from lxml import etree
        from zeep.wsse import signature
        open("cert.pem", "w").write(os.environ["CERTIFICATE"])
        signature.verify_envelope(etree.fromstring(os.environ["SIGNED"].encode()), "cert.pem")
        """

    private static let signing = """
        import datetime, os, xmlsec
        from lxml import etree
        from zeep.wsse import signature, utils
        from zeep.wsse.username import UsernameToken
        open("cert.pem", "w").write(os.environ["CERTIFICATE"])
        open("key.pem", "w").write(os.environ["KEY"])
        envelope = etree.fromstring(os.environ["DOCUMENT"].encode())
        now = datetime.datetime.now(datetime.timezone.utc)
        time = utils.WSU.Timestamp(
            utils.WSU.Created(utils.get_timestamp(now)),
            utils.WSU.Expires(utils.get_timestamp(now + datetime.timedelta(seconds=300))))
        utils.get_security_header(envelope).append(time)
        plugin = getattr(signature, os.environ["PLUGIN"])(
            "key.pem", "cert.pem", signature_method=getattr(xmlsec.Transform, os.environ["METHOD"]),
            digest_method=getattr(xmlsec.Transform, os.environ["DIGEST"]))
        plugin.apply(envelope, {})
        UsernameToken("ann", "p\u{e4}ss<", use_digest=True).apply(envelope, {})
        open(os.environ["OUTPUT"], "wb").write(etree.tostring(envelope))
        """

    @Test("zeep verifies this library's signatures with each form of key identifier", arguments: namespaces)
    func signedHere(namespace: String) async throws {
        let identity = try Self.identity.get()
        for (algorithm, digest) in [(.rsaSHA256, .sha256), (.rsaSHA512, .sha384)]
            as [(XMLSignatureAlgorithm, XMLDigestAlgorithm)]
        {
            for reference in CertificateReference.allCases {
                var security = MessageSecurity.x509(identity, algorithm: algorithm)
                security.signature?.reference = reference
                security.signature?.digest = digest
                let signed = try await security.secure(Array(Self.envelope(namespace).utf8))
                _ = try await Zeep.output(
                    of: Self.verifying,
                    [
                        "SIGNED": String(decoding: signed, as: UTF8.self),
                        "CERTIFICATE": try identity.certificate.serializeAsPEM().pemString,
                    ])
            }
        }
    }

    @Test(
        "This library verifies zeep's signatures and user name tokens",
        arguments: ["Signature", "BinarySignature"], namespaces)
    func signedThere(plugin: String, namespace: String) async throws {
        let identity = try Self.identity.get()
        let signed = try await Zeep.output(
            of: Self.signing,
            [
                "KEY": try identity.privateKey.serializeAsPEM().pemString,
                "CERTIFICATE": try identity.certificate.serializeAsPEM().pemString,
                "DOCUMENT": Self.envelope(namespace), "PLUGIN": plugin, "METHOD": "RSA_SHA256", "DIGEST": "SHA256",
            ])
        var replays = ReplayCache()
        let verifier = SecurityVerifier(policy: SecurityPolicy(trusting: .key(identity.certificate.publicKey)))
        let message = try verifier.verify(signed, replays: &replays)
        #expect(String(decoding: message.body ?? [], as: UTF8.self).contains("Ann &amp; Bob \u{e9}"))
        let users = UsernameVerifier(passwords: ["ann": Secret("p\u{e4}ss<")])
        #expect(try users.verify(signed, replays: &replays) == "ann")
        let other = UsernameVerifier(passwords: ["ann": Secret("other")])
        #expect(throws: WSSecurityError.wrongPassword) { try other.verify(signed, replays: &replays) }
    }

    @Test("zeep computes the same password digest") func digests() async throws {
        let nonce = "a nonce of zeep\u{e9}"
        let sent = try await MessageSecurity.usernameToken(user: "ann", password: Secret("p\u{e4}ss<")).secure(
            Array(Self.envelope(Self.namespaces[0]).utf8), randomBytes: { _ in Array(nonce.utf8) })
        _ = try await Zeep.output(
            of: """
                import os
                from lxml import etree
                from zeep.wsse import username
                sent, empty = (etree.fromstring(os.environ[name].encode()) for name in ("SENT", "EMPTY"))
                value = lambda envelope, name: envelope.find(".//{*}UsernameToken/{*}" + name).text
                username.utils.get_timestamp = lambda *arguments: value(sent, "Created")
                token = username.UsernameToken("ann", "p\u{e4}ss<", use_digest=True, nonce=os.environ["NONCE"])
                made, _ = token.apply(empty, {})
                for name in ("Password", "Nonce", "Created"):
                    assert value(made, name) == value(sent, name), name
                """,
            [
                "SENT": String(decoding: sent, as: UTF8.self), "EMPTY": Self.envelope(Self.namespaces[0]),
                "NONCE": nonce,
            ])
    }
}
