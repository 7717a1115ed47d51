// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
public import EssentialFoundation
public import X509
public import XMLDocuments
public import XMLEncryption
public import XMLSignature

/// The requirements for a message.
///
/// The caller sets the policy before the message is read, so that a message cannot weaken it.
public struct SecurityPolicy: Sendable {
    /// The accepted keys or certificates.
    ///
    /// For certificates, the verifier replaces the signer's time by the time of the verification.
    public var signer: SignatureVerifier.Signer
    /// The parts that must be signed, each at its required position; the Body and the timestamp by default.
    public var signedParts: [MessagePart] = [.body, .timestamp]
    /// The accepted algorithms and limits of signatures.
    public var signatures = SignaturePolicy()
    /// The maximum age of a message since its creation, in seconds; 300 by default.
    ///
    /// A message that expires earlier is refused after its expiration.
    public var maximumAge: TimeInterval = 300
    /// The tolerated difference between the sender's clock and this one, in seconds; 60 by default.
    public var clockSkew: TimeInterval = 60
    /// The URI in the attribute `actor` or `role` of the security header; `nil`, the default, for the
    /// ultimate receiver.
    public var actor: String?
    /// The keys that decrypt messages; none by default, so that encrypted messages are refused.
    public var decryptionKeys: [DecryptionKey] = []
    /// The accepted algorithms and limits of encrypted messages.
    public var encryption = EncryptionPolicy()
    /// Whether prefixes that occur only in values, as in `xsi:type="xsd:string"`, keep the namespaces that the message
    /// declares; `false` by default.
    ///
    /// Some services sign without `InclusiveNamespaces`, so that the signature does not cover these declarations. By
    /// default such declarations are removed.
    public var trustsUnsignedPrefixes = false

    /// Creates a policy with the accepted keys or certificates.
    public init(trusting signer: SignatureVerifier.Signer) { self.signer = signer }

    /// Creates a policy for signers whose certificate chains end in an anchor.
    ///
    /// - Parameters:
    ///   - anchors: The certificates of authorities, or of signers themselves.
    ///   - known: Certificates that messages may omit, for example if they refer to them by thumbprint or serial
    ///     number; none by default.
    public init(anchors: [Certificate], known: [Certificate] = []) {
        let evaluator = TrustEvaluator(policy: TrustPolicy(anchors: .only(anchors)), systemAnchors: AnchorStore([]))
        // An anchor may itself be the signer's certificate.
        self.init(trusting: .certificate(CertifiedSigner(evaluator: evaluator, known: known + anchors, at: Date())))
    }

    /// Returns the verifier of signatures at the given time.
    func verifier(at time: Date) -> SignatureVerifier {
        var signer = signer
        if case .certificate(var certified) = signer {
            certified.time = time
            signer = .certificate(certified)
        }
        return SignatureVerifier(trusting: signer, policy: signatures)
    }
}

/// A signed part of a message, identified by its position.
@nonexhaustive
public enum MessagePart: Hashable, Sendable {
    /// The envelope's body.
    case body
    /// The headers with the given name that are children of the envelope's header; at least one must be present.
    case header(XMLName)
    /// The timestamp in the security header (`Timestamp`).
    case timestamp
    /// The user's name and password in the security header.
    case usernameToken
    /// The certificate in the security header to which the signature refers.
    case certificate
}

extension MessagePart: CustomStringConvertible {
    /// The name of the part's element.
    public var description: String {
        switch self {
        case .body: "Body"
        case .header(let name): name.description
        case .timestamp: "Timestamp"
        case .usernameToken: "UsernameToken"
        case .certificate: "BinarySecurityToken"
        }
    }
}
