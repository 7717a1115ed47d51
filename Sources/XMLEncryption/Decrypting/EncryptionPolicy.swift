// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// The algorithms and sizes that an encrypted message may have.
public struct EncryptionPolicy: Hashable, Sendable {
    /// The algorithms of contents; those that show changes by default.
    public var algorithms: Set<ContentAlgorithm>
    /// The most parts of a document that are decrypted; 30 by default.
    public var mostParts = 30
    /// The limits of documents, and of decrypted content.
    public var limits = XMLLimits()

    /// A policy; without arguments, for the messages of today.
    public init(algorithms: Set<ContentAlgorithm> = Set(ContentAlgorithm.allCases.filter { !$0.isLegacy })) {
        self.algorithms = algorithms
    }
}
