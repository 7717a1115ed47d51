// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Adds security to the messages of a client: a signature, a user's name and password, encryption.
///
/// It is the last step before a message is sent. Exactly its bytes are sent.
public struct SOAPSigner: Sendable {
    private let transform: @Sendable ([UInt8]) async throws -> [UInt8]

    /// A step that changes an envelope.
    ///
    /// - Parameter transform: Takes the whole envelope in UTF-8, and returns the one that is sent.
    public init(_ transform: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) { self.transform = transform }

    func protect(_ envelope: [UInt8]) async throws -> [UInt8] { try await transform(envelope) }
}
