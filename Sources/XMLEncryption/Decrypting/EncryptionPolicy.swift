// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import XMLDocuments

/// What an encrypted message may be made of.
public struct EncryptionPolicy: Hashable, Sendable {
    /// The algorithms of contents; those that show changes by default.
    public var algorithms: Set<ContentAlgorithm>
    /// The most parts of a document that are decrypted; 30 by default.
    public var mostParts = 30
    /// What is refused in documents, and in what is decrypted.
    public var limits = XMLLimits()

    /// A policy; without arguments, for the messages of today.
    public init(algorithms: Set<ContentAlgorithm> = Set(ContentAlgorithm.allCases.filter { !$0.isLegacy })) {
        self.algorithms = algorithms
    }
}
