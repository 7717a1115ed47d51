// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto
import SwiftASN1

/// The binding of an answer to the TLS connection that carries it (RFC 5056), by the server's certificate.
public struct ChannelBinding: Hashable, Sendable {
    /// What the mechanisms of GSSAPI are given: the binding's name, a colon and the hash.
    package let applicationData: [UInt8]

    /// Makes a binding to the hash of a server's certificate (RFC 5929 section 4).
    ///
    /// - Parameter hash: The hash of the certificate in DER, by the hash function that section 4.1 prescribes; not empty.
    public init(tlsServerEndPointHash hash: [UInt8]) {
        applicationData = Array("tls-server-end-point:".utf8) + hash
    }

    /// Makes a binding to a server's certificate (RFC 5929 section 4.1).
    ///
    /// - Parameter certificate: The server's own certificate in DER; through a tunnel, that of the origin and not that of the proxy.
    /// - Returns: The binding; `nil` where the standard defines none, because the signature uses no hash function (Ed25519) or an unknown
    ///   one.
    public static func tlsServerEndPoint(of certificate: [UInt8]) -> Self? {
        switch CertificateHash(ofSignatureOf: certificate) {
        case .sha256: Self(tlsServerEndPointHash: Array(SHA256.hash(data: certificate)))
        case .sha384: Self(tlsServerEndPointHash: Array(SHA384.hash(data: certificate)))
        case .sha512: Self(tlsServerEndPointHash: Array(SHA512.hash(data: certificate)))
        case nil: nil
        }
    }
}

/// The hash function of a binding, chosen by a certificate's signature (RFC 5929 section 4.1).
enum CertificateHash: Hashable {
    case sha256
    case sha384
    case sha512

    /// - Parameter certificate: DER; `nil` where it is none, or its signature has no hash that is known.
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

    /// Certificate (RFC 5280 section 4.1): the signed part, the algorithm, the signature.
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

    /// RSASSA-PSS-params (RFC 4055 section 3.1), where the hash is SHA-1 unless said otherwise.
    private static func readHash(_ nodes: inout ASN1NodeCollection.Iterator) throws -> ASN1ObjectIdentifier {
        let hash = try DER.optionalExplicitlyTagged(&nodes, tagNumber: 0, tagClass: .contextSpecific) { node in
            try readAlgorithm(node).identifier
        }
        while nodes.next() != nil {}
        return hash ?? [1, 3, 14, 3, 2, 26]
    }

    /// Of a hash function or of a signature that names it; SHA-256 stands in for MD5 and SHA-1.
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
