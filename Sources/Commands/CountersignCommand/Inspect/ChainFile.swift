// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import Identities
import X509

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// A chain in a file, PEM or DER, leaf first.
struct ChainFile {
    let path: String
    let chain: PresentedChain

    init(_ path: String) throws {
        self.path = path
        chain = try InputFile.naming(path) {
            guard let chain = PresentedChain(try Self.certificates(in: InputFile.read(path))) else {
                throw IdentityError.noCertificate
            }
            return chain
        }
    }

    private static func certificates(in bytes: [UInt8]) throws -> [Certificate] {
        do {
            return try CertificateFile.certificates(in: bytes)
        } catch .unsupported("PKCS#12") {
            throw InspectionError.pkcs12
        }
    }

    /// Evaluates the chain without any connection.
    ///
    /// - Parameters:
    ///   - host: What the leaf has to be for; `nil` leaves its names alone.
    ///   - policy: What the chain must satisfy.
    ///   - time: The instant at which it must.
    ///   - files: The evidence that was handed over.
    /// - Returns: All that is to be printed.
    /// - Throws: ``TrustError/noSystemAnchors(_:)``.
    func evaluate(
        for host: HostName?, under policy: TrustPolicy, at time: Date, with files: EvidenceFiles? = nil
    ) throws -> Inspection {
        let evaluator = TrustEvaluator(
            policy: policy, systemAnchors: try SystemAnchors().store(for: policy),
            publicSuffixes: SystemPublicSuffixes.list)
        let peers = host.map { [PeerName.host($0)] } ?? []
        let evidence = TrustEvidence(
            revocation: files?.revocation ?? RevocationEvidence(), timestamps: files?.timestamps)
        let verdict = evaluator.evaluate(chain, for: peers, requirements: PathRequirements(), at: time, with: evidence)
        return Inspection(
            file: path, host: host, chain: chain, verdict: verdict, policy: policy,
            evidence: files?.uses(for: verdict) ?? [], at: time)
    }
}
