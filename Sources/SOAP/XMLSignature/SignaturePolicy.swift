// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// The algorithms and limits that a signature may use.
///
/// The caller sets the policy before the message is read, so that a message cannot choose for itself.
public struct SignaturePolicy: Hashable, Sendable {
    /// The accepted algorithms of signatures; all but those with SHA-1 by default.
    public var algorithms: Set<SignatureAlgorithm>
    /// The accepted algorithms of digests; all but SHA-1 by default.
    public var digests: Set<DigestAlgorithm>
    /// Whether transforms may select nodes with XPath and XPath Filter 2; `false` by default.
    ///
    /// An evaluation that takes more than 10 million steps fails.
    public var allowsXPath: Bool
    /// The most references of a signature; 30 by default.
    public var mostReferences = 30
    /// The most transforms of a reference; 5 by default.
    public var mostTransforms = 5
    /// The limits of a document's size, depth and features.
    public var limits = XMLLimits()

    /// Creates a policy; without arguments, one that refuses SHA-1 and XPath.
    public init(
        algorithms: Set<SignatureAlgorithm> = Set(SignatureAlgorithm.allCases.filter { !$0.isLegacy }),
        digests: Set<DigestAlgorithm> = Set(DigestAlgorithm.allCases).subtracting([.sha1]), allowsXPath: Bool = false
    ) {
        (self.algorithms, self.digests, self.allowsXPath) = (algorithms, digests, allowsXPath)
    }

    /// Refuses a signature before anything of it is computed.
    func check(_ message: SignatureMessage) throws(XMLSignatureError) {
        guard algorithms.contains(message.algorithm) else { throw .algorithmNotAllowed(message.algorithm.rawValue) }
        guard message.references.count <= mostReferences else { throw .tooManyReferences(most: mostReferences) }
        for reference in message.references {
            guard digests.contains(reference.algorithm) else {
                throw .algorithmNotAllowed(reference.algorithm.rawValue)
            }
            guard reference.transforms.count <= mostTransforms else { throw .tooManyTransforms(most: mostTransforms) }
            for transform in reference.transforms {
                switch transform {
                case .xpath where !allowsXPath: throw .algorithmNotAllowed(Transform.xpathURI)
                case .filter2 where !allowsXPath: throw .algorithmNotAllowed(Transform.filter2URI)
                case .enveloped, .base64, .canonicalization, .xpath, .filter2: break
                }
            }
        }
    }
}
