// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Crypto
import CryptoExtras
package import Foundation
import SwiftASN1
package import X509

/// A certificate log that signs any timestamp (RFC 6962 section 3.2), independent of the code that verifies it.
package struct TestLog: Sendable {
    private enum Key: Sendable {
        case p256(P256.Signing.PrivateKey)
        case rsa(_RSA.Signing.PrivateKey)
    }

    package let name: String
    package let operatorName: String
    package var isTiled = false
    /// The JSON of the log's state in the list.
    package var state = #"{"usable": {"timestamp": "2024-01-01T00:00:00Z"}}"#
    /// Further members of the log's JSON, each preceded by a comma.
    package var more = ""
    private let key: Key

    /// Creates a log with an ECDSA key.
    package init(
        _ name: String, by operatorName: String, key: P256.Signing.PrivateKey = P256.Signing.PrivateKey(),
        state: String? = nil, isTiled: Bool = false
    ) {
        (self.name, self.operatorName, self.isTiled) = (name, operatorName, isTiled)
        if let state { self.state = state }
        self.key = .p256(key)
    }

    /// Creates a log with a 2048-bit RSA key.
    package init(rsa name: String, by operatorName: String) throws {
        (self.name, self.operatorName) = (name, operatorName)
        key = .rsa(try _RSA.Signing.PrivateKey(keySize: .bits2048))
    }

    package func with(_ change: (inout Self) -> Void) -> Self {
        var copy = self
        change(&copy)
        return copy
    }

    /// The log's key as a SubjectPublicKeyInfo.
    package var publicKey: Data {
        switch key {
        case .p256(let key): key.publicKey.derRepresentation
        case .rsa(let key): key.publicKey.derRepresentation
        }
    }

    package var id: [UInt8] { Array(SHA256.hash(data: publicKey)) }

    // MARK: Signing

    /// Signs a timestamp for an issued certificate.
    package func timestamp(
        for certificate: Certificate, at time: Date = Instant.now - 3600, extensions: [UInt8] = []
    ) throws -> [UInt8] {
        try timestamp(
            over: [0, 0] + Self.vector(certificate.bytes(), octets: 3), at: time, extensions: extensions)
    }

    /// Signs a timestamp for a precertificate, before timestamps are embedded.
    package func timestamp(
        beforeIssuing certificate: Certificate, issuer: Certificate, at time: Date = Instant.now - 3600,
        extensions: [UInt8] = []
    ) throws -> [UInt8] {
        let issuerKey = SHA256.hash(data: try issuer.publicKey.encoded())
        let tbsCertificate = Self.vector(Array(certificate.tbsCertificateBytes), octets: 3)
        return try timestamp(over: [0, 1] + issuerKey + tbsCertificate, at: time, extensions: extensions)
    }

    private func timestamp(over entry: [UInt8], at time: Date, extensions: [UInt8]) throws -> [UInt8] {
        let milliseconds = Self.integer(Int((time.timeIntervalSince1970 * 1000).rounded()), octets: 8)
        let extensions = Self.vector(extensions, octets: 2)
        let signature = try sign([0, 0] + milliseconds + entry + extensions)
        return [0] + id + milliseconds + extensions + signature
    }

    /// Returns the signature algorithm, and the signature with its length.
    private func sign(_ bytes: [UInt8]) throws -> [UInt8] {
        switch key {
        case .p256(let key):
            [4, 3] + Self.vector(Array(try key.signature(for: bytes).derRepresentation), octets: 2)
        case .rsa(let key):
            [4, 1]
                + Self.vector(
                    Array(
                        try key.signature(for: SHA256.hash(data: bytes), padding: .insecurePKCS1v1_5).rawRepresentation),
                    octets: 2)
        }
    }

    private static func integer(_ value: Int, octets: Int) -> [UInt8] {
        (0..<octets).reversed().map { UInt8(truncatingIfNeeded: value >> (8 * $0)) }
    }

    /// Returns a vector of TLS, which begins with its length (RFC 8446 section 3.4).
    private static func vector(_ content: [UInt8], octets: Int) -> [UInt8] {
        integer(content.count, octets: octets) + content
    }

    // MARK: Lists

    /// Encodes a timestamp list, as it is in the TLS extension; the other two places wrap it in an OCTET STRING.
    package static func list(_ timestamps: [[UInt8]]) -> [UInt8] {
        Self.vector(timestamps.flatMap { Self.vector($0, octets: 2) }, octets: 2)
    }

    /// Returns the certificate extension with a timestamp list.
    package static func certificateExtension(_ list: [UInt8]) -> Certificate.Extension {
        Certificate.Extension(
            oid: [1, 3, 6, 1, 4, 1, 11129, 2, 4, 2], critical: false, value: Encoding.octets(list)[...])
    }

    /// Encodes the OCSP response extension with a timestamp list.
    package static func responseExtension(_ list: [UInt8]) -> [UInt8] {
        Encoding.certificateExtension(
            [0x2b, 0x06, 0x01, 0x04, 0x01, 0xd6, 0x79, 0x02, 0x04, 0x05], Encoding.octets(list))
    }

    /// Encodes a log list in version 3 of Google's schema.
    package static func json(_ logs: [TestLog], time: String? = "2026-05-20T12:00:00Z") -> [UInt8] {
        let operators = Dictionary(grouping: logs, by: \.operatorName).sorted { $0.key < $1.key }
        let entries = operators.map { name, logs in
            let (tiled, others) = (logs.filter(\.isTiled), logs.filter { !$0.isTiled })
            return """
                {"name": "\(name)", "email": [], "logs": [\(others.map(\.json).joined(separator: ","))],
                "tiled_logs": [\(tiled.map(\.json).joined(separator: ","))]}
                """
        }
        let stamp = time.map { "\"log_list_timestamp\": \"\($0)\", " } ?? ""
        return Array("{\"version\": \"3.1\", \(stamp)\"operators\": [\(entries.joined(separator: ","))]}".utf8)
    }

    private var json: String {
        """
        {"description": "\(name)", "log_id": "\(Data(id).base64EncodedString())", "key": "\(publicKey.base64EncodedString())",
        "url": "https://\(name).test/", "mmd": 86400, "state": \(state)\(more)}
        """
    }
}

extension Certificate.PublicKey {
    fileprivate func encoded() throws -> [UInt8] {
        guard let key = P256.Signing.PublicKey(self) else { return [] }
        return Array(key.derRepresentation)
    }
}
