// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import Testing

@testable import Challenges

@Suite struct ChannelBindingTests {
    /// Returns the parts of a certificate that a channel binding reads: signed content, signature algorithm, signature.
    private static func certificate(_ algorithm: String) -> [UInt8] {
        let algorithm = sequence(NTLMVectors.bytes(algorithm))
        return sequence([0x30, 0] + algorithm + [3, 1, 0])
    }

    private static func sequence(_ content: [UInt8]) -> [UInt8] { [0x30, UInt8(content.count)] + content }

    /// The vector is from Microsoft's article on extended protection ("NTLM and Channel Binding Hash", 2013).
    @Test("The Windows hash covers the padded channel bindings structure") func windowsHash() {
        let hash = NTLMVectors.bytes("ea05fefecc6b0bd571dbbc5baa3ed45386d0446835f7b74c85621b9983475f95")
        let binding = ChannelBinding(tlsServerEndPointHash: hash)
        #expect(DigestAlgorithm.hexadecimal(binding.windowsHash) == "6586e99d81c2fc984e47172fd4dd0310")
        #expect(ChannelBinding(tlsServerEndPointHash: hash.dropLast() + [0]).windowsHash != binding.windowsHash)
    }

    /// RFC 5929 section 4.1 replaces MD5 and SHA-1 by SHA-256, and keeps any other hash.
    @Test(
        "The binding uses the hash of the certificate's signature algorithm (RFC 5929 section 4.1)",
        arguments: [
            ("06092a864886f70d010104 0500", CertificateHash.sha256),  // md5WithRSAEncryption
            ("06092a864886f70d010105 0500", .sha256),  // sha1WithRSAEncryption
            ("06092a864886f70d01010b 0500", .sha256), ("06092a864886f70d01010c 0500", .sha384),
            ("06092a864886f70d01010d 0500", .sha512),
            ("06072a8648ce3d0401", .sha256),  // ecdsa-with-SHA1
            ("06082a8648ce3d040302", .sha256), ("06082a8648ce3d040303", .sha384), ("06082a8648ce3d040304", .sha512),
            ("06092a864886f70d01010a 3000", .sha256),  // PSS with default parameters uses SHA-1
            ("06092a864886f70d01010a 300f a00d300b 0609608648016503040202", .sha384),
            ("06092a864886f70d01010a 3014 a00d300b 0609608648016503040203 a203020140", .sha512),
            ("06092a864886f70d01010a 300f a00d300b 0609608648016503040204", nil),  // SHA-224
            ("06092a864886f70d01010a", nil),  // PSS without parameters
            ("06032b6570", nil),  // Ed25519 has no separate hash
            ("06092a864886f70d01010e 0500", nil),  // sha224WithRSAEncryption
        ])
    func certificateHash(algorithm: String, hash: CertificateHash?) {
        let certificate = Self.certificate(algorithm)
        #expect(CertificateHash(ofSignatureOf: certificate) == hash)
        let bytes: [UInt8]? =
            switch hash {
            case .sha256: Array(SHA256.hash(data: certificate))
            case .sha384: Array(SHA384.hash(data: certificate))
            case .sha512: Array(SHA512.hash(data: certificate))
            case nil: nil
            }
        #expect(
            ChannelBinding.tlsServerEndPoint(of: certificate)
                == bytes.map { ChannelBinding(tlsServerEndPointHash: $0) })
        for size in certificate.indices {
            #expect(ChannelBinding.tlsServerEndPoint(of: Array(certificate.prefix(size))) == nil)
        }
    }
}
