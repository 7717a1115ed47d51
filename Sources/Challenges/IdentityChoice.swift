// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Identities
internal import X509

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// Chooses among several identities the one that a server's request for a client certificate calls for.
public struct IdentityChoice: Sendable {
    /// An identity, and the host that it is kept for.
    public struct Candidate: Hashable, Sendable {
        /// The identity that may be presented, with its whole chain.
        public let identity: Identity
        /// The only host that may see it, as in a URL; `nil` where any host may.
        public let host: String?

        /// Keeps an identity for one host, or for any.
        public init(_ identity: Identity, host: String? = nil) {
            self.identity = identity
            self.host = host?.lowercased()
        }
    }

    private let candidates: [Candidate]

    /// Chooses from these, the preferred one first.
    public init(_ candidates: [Candidate]) {
        self.candidates = candidates
    }

    /// Chooses the first identity that the server can accept; one kept for its host goes before the others.
    ///
    /// - Parameters:
    ///   - request: What the server says of the certificate.
    ///   - host: The server's name.
    ///   - time: The instant at which the certificate has to be valid.
    /// - Returns: `nil` where no identity is for this host, valid, for clients, and of an acceptable issuer.
    public func identity(for request: CertificateRequest, from host: HostName, at time: Date) -> Identity? {
        let name = host.description
        let kept = candidates.filter { $0.host == name } + candidates.filter { $0.host == nil }
        return kept.map(\.identity).first { $0.certificate.isForClients(at: time) && request.isMet(by: $0) }
    }
}

extension Certificate {
    /// Whether the certificate is valid, and may be used to authenticate a client of TLS (RFC 5280 sections 4.2.1.3 and
    /// 4.2.1.12); an extension that is not there restricts nothing, and one that cannot be read everything.
    fileprivate func isForClients(at time: Date) -> Bool {
        // The last second counts to its end.
        guard notValidBefore <= time, time < notValidAfter.addingTimeInterval(1) else { return false }
        do {
            if let usage = try extensions.keyUsage, !usage.digitalSignature { return false }
            guard let usages = try extensions.extendedKeyUsage else { return true }
            return usages.contains(.clientAuth) || usages.contains(.any)
        } catch {
            return false
        }
    }
}
