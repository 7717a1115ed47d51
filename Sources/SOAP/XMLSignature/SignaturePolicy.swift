// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// The accepted algorithms and limits of a signature.
///
/// The caller sets the policy before the message is read, so that a message cannot weaken it.
public struct SignaturePolicy: Hashable, Sendable {
    /// The accepted signature algorithms; all but those with SHA-1 by default.
    public var algorithms: Set<XMLSignatureAlgorithm>
    /// The accepted digest algorithms; all but SHA-1 by default.
    public var digests: Set<XMLDigestAlgorithm>
    /// Whether transforms may select nodes with XPath and XPath Filter 2; `false` by default.
    ///
    /// An evaluation fails after 10 million steps.
    public var allowsXPath: Bool
    /// The maximum number of references in a signature; 30 by default.
    public var maximumReferenceCount = 30
    /// The maximum number of transforms in a reference; 5 by default.
    public var maximumTransformCount = 5
    /// The limits of a document's size, depth and features.
    public var limits = XMLLimits()

    /// Creates a policy; without arguments, one that refuses SHA-1 and XPath.
    public init(
        algorithms: Set<XMLSignatureAlgorithm> = Set(XMLSignatureAlgorithm.allCases.filter { !$0.isLegacy }),
        digests: Set<XMLDigestAlgorithm> = Set(XMLDigestAlgorithm.allCases).subtracting([.sha1]),
        allowsXPath: Bool = false
    ) {
        (self.algorithms, self.digests, self.allowsXPath) = (algorithms, digests, allowsXPath)
    }

    /// Refuses a signature that the policy does not allow, before anything is computed for it.
    func check(_ message: SignatureMessage) throws(XMLSignatureError) {
        guard algorithms.contains(message.algorithm) else { throw .algorithmNotAllowed(message.algorithm.rawValue) }
        guard message.references.count <= maximumReferenceCount else {
            throw .tooManyReferences(limit: maximumReferenceCount)
        }
        for reference in message.references {
            guard digests.contains(reference.algorithm) else {
                throw .algorithmNotAllowed(reference.algorithm.rawValue)
            }
            guard reference.transforms.count <= maximumTransformCount else {
                throw .tooManyTransforms(limit: maximumTransformCount)
            }
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
