// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
public import X509
public import XMLEncryption
public import XMLSignature

#if canImport(FoundationEssentials)
    public import FoundationEssentials
#else
    public import Foundation
#endif

/// The requirements that a message must meet.
///
/// The policy is there before the message, so that a message cannot choose for itself.
public struct SecurityPolicy: Sendable {
    /// The trust in signers.
    ///
    /// The verifier replaces its time by that of the verification.
    public var signer: SignatureVerifier.Signer
    /// The elements that must be signed, each in its place.
    public var signedParts: [MessagePart] = [.body, .timestamp]
    /// The algorithms and limits of signatures.
    public var signatures = SignaturePolicy()
    /// How long ago a message may have been made, in seconds; 300 by default.
    ///
    /// Its own time of expiration counts too.
    public var mostAge: TimeInterval = 300
    /// How far clocks may differ, in seconds; 60 by default.
    public var clockSkew: TimeInterval = 60
    /// The role that the security header addresses; `nil` for the last receiver.
    public var actor: String?
    /// The keys that decrypt messages; where there are none, an encrypted message is refused.
    public var decryptionKeys: [DecryptionKey] = []
    /// The algorithms and limits of encrypted messages.
    public var encryption = EncryptionPolicy()
    /// Whether prefixes that stand only in values, as in `xsi:type="xsd:string"`, mean what the message declares even
    /// where the signature does not cover the declaration.
    ///
    /// Some services sign without `InclusiveNamespaces`. By default such declarations are left out.
    public var trustsUnsignedPrefixes = false

    /// A policy by who may have signed.
    public init(trusting signer: SignatureVerifier.Signer) { self.signer = signer }

    /// A policy for signers whose certificates lead to an anchor.
    ///
    /// - Parameters:
    ///   - anchors: The certificates of authorities, or of signers themselves.
    ///   - known: Certificates that messages may leave out, as those do that name them by thumbprint or serial number.
    public init(anchors: [Certificate], known: [Certificate] = []) {
        let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only(anchors)), systemAnchors: AnchorStore([]))
        // An anchor can be the signer.
        self.init(trusting: .certificate(CertifiedSigner(evaluator: evaluator, known: known + anchors, at: Date())))
    }

    /// The verifier of signatures at a time.
    func verifier(at time: Date) -> SignatureVerifier {
        var signer = signer
        if case .certificate(var certified) = signer {
            certified.time = time
            signer = .certificate(certified)
        }
        return SignatureVerifier(trusting: signer, policy: signatures)
    }
}
