// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CertificateTrust
public import EssentialFoundation
public import X509
public import XMLDocuments
public import XMLEncryption
public import XMLSignature

/// The requirements that a message must meet.
///
/// The caller sets the policy before the message is read, so that a message cannot choose for itself.
public struct SecurityPolicy: Sendable {
    /// The keys or certificates that may sign.
    ///
    /// The verifier replaces the time in it by that of the verification.
    public var signer: SignatureVerifier.Signer
    /// The parts that must be signed, each in its place; the Body and the time by default.
    public var signedParts: [MessagePart] = [.body, .timestamp]
    /// The algorithms and limits of signatures.
    public var signatures = SignaturePolicy()
    /// The age after which a message is refused, in seconds since it was created; 300 by default.
    ///
    /// A message that expires earlier is refused then.
    public var mostAge: TimeInterval = 300
    /// The difference between the sender's clock and this one that is tolerated, in seconds; 60 by default.
    public var clockSkew: TimeInterval = 60
    /// The URI in the attribute `actor` or `role` of the security header; `nil`, the default, for the header of the last receiver.
    public var actor: String?
    /// The keys that decrypt messages; with none, the default, an encrypted message is refused.
    public var decryptionKeys: [DecryptionKey] = []
    /// The algorithms and limits of encrypted messages.
    public var encryption = EncryptionPolicy()
    /// Whether prefixes that only values use, as in `xsi:type="xsd:string"`, have the namespaces that the message declares, even
    /// where the signature does not cover the declaration; `false` by default.
    ///
    /// Some services sign without `InclusiveNamespaces`. By default such declarations are left out.
    public var trustsUnsignedPrefixes = false

    /// Creates a policy from the keys or certificates that may sign.
    public init(trusting signer: SignatureVerifier.Signer) { self.signer = signer }

    /// Creates a policy for signers whose certificates lead to an anchor.
    ///
    /// - Parameters:
    ///   - anchors: The certificates of authorities, or of signers themselves.
    ///   - known: Certificates that messages may leave out, as those do that name them by thumbprint or serial number; none by default.
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

/// A part of a message that is signed, named by its place.
public enum MessagePart: Hashable, Sendable {
    /// The envelope's body.
    case body
    /// The headers of a name, right below the envelope's header; at least one must be there.
    case header(XMLName)
    /// The time in the security header (`Timestamp`).
    case timestamp
    /// The user's name and password in the security header.
    case usernameToken
    /// The certificate in the security header that the signature refers to.
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
