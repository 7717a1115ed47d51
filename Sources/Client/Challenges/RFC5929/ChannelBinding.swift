// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Crypto

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
