// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import SwiftASN1

/// The binding of an answer to the TLS connection that carries it (RFC 5056), by the server's certificate.
public struct ChannelBinding: Hashable, Sendable {
    /// The application data for GSSAPI mechanisms: the binding's name, a colon and the hash.
    package let applicationData: [UInt8]

    /// Makes a binding to the hash of a server's certificate (RFC 5929 section 4).
    ///
    /// - Parameter hash: The hash of the certificate in DER, by the hash function of section 4.1; not empty.
    public init(tlsServerEndPointHash hash: [UInt8]) {
        applicationData = Array("tls-server-end-point:".utf8) + hash
    }

    /// Makes a binding to a server's certificate (RFC 5929 section 4.1).
    ///
    /// - Parameter certificate: The server's own certificate in DER; with a tunnel, the origin's and not the proxy's.
    /// - Returns: The binding; `nil` if the standard defines none, because the signature uses no hash function
    ///   (Ed25519) or an unknown one.
    public static func tlsServerEndPoint(of certificate: [UInt8]) -> Self? {
        switch CertificateHash(ofSignatureOf: certificate) {
        case .sha256: Self(tlsServerEndPointHash: Array(SHA256.hash(data: certificate)))
        case .sha384: Self(tlsServerEndPointHash: Array(SHA384.hash(data: certificate)))
        case .sha512: Self(tlsServerEndPointHash: Array(SHA512.hash(data: certificate)))
        case nil: nil
        }
    }
}

/// The hash function of a binding, determined by a certificate's signature (RFC 5929 section 4.1).
enum CertificateHash: Hashable {
    case sha256
    case sha384
    case sha512

    /// Reads the hash function of a certificate's signature.
    ///
    /// - Parameter certificate: The certificate in DER; the result is `nil` if it is malformed, or its signature has no
    ///   known hash.
    init?(ofSignatureOf certificate: [UInt8]) {
        guard let root = try? DER.parse(certificate),
            let signature = try? DER.sequence(root, identifier: .sequence, Self.readSignature),
            let hash = Self(signature)
        else { return nil }
        self = hash
    }

    private struct Algorithm {
        let identifier: ASN1ObjectIdentifier
        let parameters: ASN1Node?
    }

    /// Reads the algorithm of a Certificate (RFC 5280 section 4.1), which consists of the signed part, the algorithm
    /// and the signature.
    private static func readSignature(_ nodes: inout ASN1NodeCollection.Iterator) throws -> Algorithm {
        _ = nodes.next()
        let algorithm = try readAlgorithm(nodes.next())
        _ = nodes.next()
        return algorithm
    }

    private static func readAlgorithm(_ node: ASN1Node?) throws -> Algorithm {
        guard let node else { throw ASN1Error.truncatedASN1Field() }
        return try DER.sequence(node, identifier: .sequence) { nodes in
            Algorithm(identifier: try ASN1ObjectIdentifier(derEncoded: &nodes), parameters: nodes.next())
        }
    }

    private init?(_ signature: Algorithm) {
        guard signature.identifier == [1, 2, 840, 113549, 1, 1, 10] else {
            self.init(signature.identifier)
            return
        }
        guard let parameters = signature.parameters,
            let hash = try? DER.sequence(parameters, identifier: .sequence, Self.readHash)
        else { return nil }
        self.init(hash)
    }

    /// Reads the hash in RSASSA-PSS-params (RFC 4055 section 3.1), with SHA-1 as its default.
    private static func readHash(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1ObjectIdentifier {
        let hash = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
            try readAlgorithm(node).identifier
        }
        while nodes.next() != nil {}
        return hash ?? [1, 3, 14, 3, 2, 26]
    }

    /// Maps the identifier of a hash function, or of a signature algorithm with one; SHA-256 replaces MD5 and SHA-1.
    private init?(_ identifier: ASN1ObjectIdentifier) {
        switch identifier {
        case [1, 2, 840, 113549, 2, 5], [1, 3, 14, 3, 2, 26],  // MD5, SHA-1
            [1, 2, 840, 113549, 1, 1, 4], [1, 2, 840, 113549, 1, 1, 5],  // RSA
            [1, 2, 840, 10040, 4, 3], [1, 2, 840, 10045, 4, 1],  // DSA, ECDSA
            [2, 16, 840, 1, 101, 3, 4, 2, 1], [1, 2, 840, 113549, 1, 1, 11],
            [2, 16, 840, 1, 101, 3, 4, 3, 2], [1, 2, 840, 10045, 4, 3, 2]:
            self = .sha256
        case [2, 16, 840, 1, 101, 3, 4, 2, 2], [1, 2, 840, 113549, 1, 1, 12],
            [2, 16, 840, 1, 101, 3, 4, 3, 3], [1, 2, 840, 10045, 4, 3, 3]:
            self = .sha384
        case [2, 16, 840, 1, 101, 3, 4, 2, 3], [1, 2, 840, 113549, 1, 1, 13],
            [2, 16, 840, 1, 101, 3, 4, 3, 4], [1, 2, 840, 10045, 4, 3, 4]:
            self = .sha512
        default: return nil
        }
    }
}
