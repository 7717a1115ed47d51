// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// The algorithms and sizes that an encrypted message may have.
public struct EncryptionPolicy: Hashable, Sendable {
    /// The accepted algorithms of content; AES-GCM, which detects changes, by default.
    public var algorithms: Set<ContentAlgorithm>
    /// The most parts of a document that are decrypted; 30 by default.
    public var mostParts = 30
    /// The limits of the size, depth and features of documents, and of decrypted content.
    public var limits = XMLLimits()

    /// Creates a policy; without arguments, one that refuses AES-CBC.
    public init(algorithms: Set<ContentAlgorithm> = Set(ContentAlgorithm.allCases.filter { !$0.isLegacy })) {
        self.algorithms = algorithms
    }
}
