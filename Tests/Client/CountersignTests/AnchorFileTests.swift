// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Countersign
import Foundation
import Identities
import Testing

/// Anchor files whose self-signatures swift-certificates cannot read.
///
/// OpenSSL 3.0 made them in November 2026 with a validity of a hundred years.
@Suite("Anchor files") struct AnchorFileTests {
    /// A root that is self-signed with ecdsa-with-SHA1.
    private static let root = """
        -----BEGIN CERTIFICATE-----
        MIIBjDCCATKgAwIBAgIUfuue587B0zP9wV7++ofk6RnDoskwCQYHKoZIzj0EATAT
        MREwDwYDVQQDDAhPbGQgcm9vdDAgFw0yNjExMjYwMTI1MDZaGA8yMTI2MTEwMjAx
        MjUwNlowEzERMA8GA1UEAwwIT2xkIHJvb3QwWTATBgcqhkjOPQIBBggqhkjOPQMB
        BwNCAAST0uw/VOUBsf5VYNt9cdtqQSHEQhfcp7a3f7uIVCzSuR8dLz+9dA0TlujS
        oOlUb7LhVPPQSdyHxkn/4X8opd7xo2MwYTAdBgNVHQ4EFgQUInT7g5SDlHuYj6+9
        GtWCVWpq2p4wHwYDVR0jBBgwFoAUInT7g5SDlHuYj6+9GtWCVWpq2p4wDwYDVR0T
        AQH/BAUwAwEB/zAOBgNVHQ8BAf8EBAMCAQYwCQYHKoZIzj0EAQNJADBGAiEA3sv3
        ERbsTnBU+3VGfr4KPpyDYI7ZavP9GHtMj2eQQu8CIQDMXjjuWoWMKkb7Wt5507bi
        rsOIOlWpI9oO5FcxV/mxtQ==
        -----END CERTIFICATE-----
        """

    /// A certificate for a.test, signed by the root's key with ecdsa-with-SHA256.
    private static let leaf = """
        -----BEGIN CERTIFICATE-----
        MIIBsTCCAVigAwIBAgIUDXHhlHpLO+EBzwWCMkj8HQ9jFC0wCgYIKoZIzj0EAwIw
        EzERMA8GA1UEAwwIT2xkIHJvb3QwIBcNMjYxMTI2MDEyNTA2WhgPMjEyNTA2MjAw
        MTI1MDZaMBExDzANBgNVBAMMBmEudGVzdDBZMBMGByqGSM49AgEGCCqGSM49AwEH
        A0IABLgntwligpb1d8aY0HslSdl/MxGV3swarYgvzJxDkD+LBy3WvI4QHLQoCUJk
        vYT4JzB+5LFxixfjPkWqeDq/mS+jgYkwgYYwEQYDVR0RBAowCIIGYS50ZXN0MBMG
        A1UdJQQMMAoGCCsGAQUFBwMBMA4GA1UdDwEB/wQEAwIHgDAMBgNVHRMBAf8EAjAA
        MB8GA1UdIwQYMBaAFCJ0+4OUg5R7mI+vvRrVglVqatqeMB0GA1UdDgQWBBQKj28s
        KBsmLX/nbO14rDNxDElVkzAKBggqhkjOPQQDAgNHADBEAiA3oSCVkSo29JCVkfUn
        FtJl+B7AbYyZ8NyLarsHg4/ULAIgXkpSIlAC6M+v79Awk6rkkUpQNmV6KnWiSeZN
        1y5CP5M=
        -----END CERTIFICATE-----
        """

    /// A root that is self-signed with RSASSA-PSS.
    private static let otherRoot = """
        -----BEGIN CERTIFICATE-----
        MIIDczCCAiagAwIBAgIUWMsuzvVfvCfcVC/9I+zTDIh1eRQwQgYJKoZIhvcNAQEK
        MDWgDzANBglghkgBZQMEAgEFAKEcMBoGCSqGSIb3DQEBCDANBglghkgBZQMEAgEF
        AKIEAgIA3jATMREwDwYDVQQDDAhQU1Mgcm9vdDAgFw0yNjExMjYwMTI1MDlaGA8y
        MTI2MTEwMjAxMjUwOVowEzERMA8GA1UEAwwIUFNTIHJvb3QwggEiMA0GCSqGSIb3
        DQEBAQUAA4IBDwAwggEKAoIBAQCZjlLeOggsbffv4gbtfzq23Pth6mKAdJu0x2xG
        OVQ+iQ3MzUqbwzUSos/gwtUKJySBgkb+oz+gfyPc3gKHQP492rG506dxKuBleMAh
        MlEDgWlkxCvjvpHhbRlq632bAc66gbT5tPNNwviJu0ndmlO/uZvn1aUBFWyMVvpF
        g0f6XbmzvM80nvEIeENFxxrVK1YCxaXwpl0sxNJzcqXlbsuwBBX81UbMW9tAqDdl
        MBrEvuBb7KnJfS3x3CRS3d/b+tcxWqMw7DL8/TZ7l9BxeYMGMNN52uS01pEPgqXT
        rHLcFyfWpE5E4EuHVZsNSbmI+BD1uHOqP3dXatQ0/LJbaUFfAgMBAAGjUzBRMB0G
        A1UdDgQWBBTagH/NrjEaFKy5oFxkJOtrZhcp4jAfBgNVHSMEGDAWgBTagH/NrjEa
        FKy5oFxkJOtrZhcp4jAPBgNVHRMBAf8EBTADAQH/MEIGCSqGSIb3DQEBCjA1oA8w
        DQYJYIZIAWUDBAIBBQChHDAaBgkqhkiG9w0BAQgwDQYJYIZIAWUDBAIBBQCiBAIC
        AN4DggEBAJa9NQHgEsIossy8pbdV3B2G4DgvTN/46okY+iXdJZo5NkqnXJZUMcd9
        I4cIk4/rNGmAprWU+MRzvGAj9liInE7aXpSf/G52sGr9R0bh+GKa1wQRyTiYXMVy
        CLEiZ+V4Civd8M890DJ2JcygB9Pl2A/zkHtSnlyHFmjSpV/fCqEimE5yZJ2Yaktd
        WYPZOAqOcEr9EjMQWaOjY7dgS/GbDD52Fu8jDeNGtInaCUu/35CA27X5osBpOCq3
        I28JKqPAIT9rRK7KNX4l+Btai04XdwZGuiI0DpGHVE3+307C9oUEOL13GIZm7tu1
        darMejydXY6AtYdUiFLbhesDfOevT0Y=
        -----END CERTIFICATE-----
        """

    private static func isTrusted(under anchors: TrustPolicy.Anchors) throws -> Bool {
        let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: anchors), systemAnchors: AnchorStore([]))
        let chain = try #require(PresentedChain(try CertificateFile.certificates(in: Array(leaf.utf8))))
        let time = Date(timeIntervalSince1970: 1_900_000_000)
        return evaluator.evaluate(chain, for: try HostName("a.test"), at: time).isTrusted
    }

    @Test("An anchor's own signature is ignored in a file and in a policy")
    func ownSignature() throws {
        let file = FileManager.default.temporaryDirectory.appending(path: "anchors-\(UUID().uuidString).pem")
        try Data("\(Self.otherRoot)\n\(Self.root)\n".utf8).write(to: file)
        defer { try? FileManager.default.removeItem(at: file) }
        let anchors = try CertificateFile.anchors(in: try Data(contentsOf: file))
        #expect(anchors.map(\.subject) == ["CN=PSS root", "CN=Old root"])
        #expect(try Self.isTrusted(under: .only(contentsOf: file)))
        #expect(try Self.isTrusted(under: .only(anchors)))
        #expect(try Self.isTrusted(under: .systemAnd(anchors)))
        #expect(try !Self.isTrusted(under: .only(Array(anchors.prefix(1)))))
    }

    @Test("A certificate that is not an anchor needs a signature with a known algorithm")
    func otherCertificates() {
        #expect(throws: IdentityError.self) { try CertificateFile.certificates(in: Array(Self.root.utf8)) }
    }

    /// The purposes 1.3.6.1.5.5.7.3.1 and 1.3.6.1.5.5.7.3.2 in settings that trust one of them.
    @Test("The trusted uses of a block by OpenSSL apply to the anchor", arguments: [(UInt8(1), true), (2, false)])
    func trustedUses(purpose: UInt8, isTrusted: Bool) throws {
        let lines = Self.root.split(separator: "\n").dropFirst().dropLast().joined()
        let certificate = try #require(Data(base64Encoded: lines))
        let settings: [UInt8] = [0x30, 12, 0x30, 10, 6, 8, 0x2b, 6, 1, 5, 5, 7, 3, purpose]
        let content = (certificate + settings).base64EncodedString()
        let block = "-----BEGIN TRUSTED CERTIFICATE-----\n\(content)\n-----END TRUSTED CERTIFICATE-----\n"
        let anchors = try CertificateFile.anchors(in: Array(block.utf8))
        #expect(anchors.map(\.subject) == ["CN=Old root"])
        #expect(try Self.isTrusted(under: .only(anchors)) == isTrusted)
    }

    @Test("An anchor file without a certificate is refused, and other parts are listed")
    func refusedFiles() throws {
        #expect(throws: IdentityError.notPEM) { try CertificateFile.anchors(in: Array("none".utf8)) }
        let key = "-----BEGIN PRIVATE KEY-----\nMAA=\n-----END PRIVATE KEY-----\n"
        #expect(throws: IdentityError.keyWhereCertificateExpected) { try CertificateFile.anchors(in: Array(key.utf8)) }
        let broken = Self.otherRoot.replacing("MII", with: "M!I")
        let contents = try CertificateFile.anchorContents(of: Array((key + broken + "\n" + Self.root).utf8))
        #expect(contents.certificates.map(\.subject) == ["CN=Old root"])
        #expect(
            contents.unread.map(\.description) == [
                "block 1 of 3 (line 1): it contains a private key, not a certificate",
                "certificate 2 of 3 (line 4): the text between its boundaries is not Base64, so it is damaged",
            ])
    }
}
