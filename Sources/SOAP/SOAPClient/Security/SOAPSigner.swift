// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Adds security to the messages of a client: a signature, a user's name and password, encryption.
///
/// The client calls it last, and sends exactly the bytes that it returns.
public struct SOAPSigner: Sendable {
    private let transform: @Sendable ([UInt8]) async throws -> [UInt8]

    /// Creates a signer from a function.
    ///
    /// - Parameter transform: Takes the whole envelope in UTF-8, and returns the one that is sent. The call throws what it throws.
    public init(_ transform: @escaping @Sendable ([UInt8]) async throws -> [UInt8]) { self.transform = transform }

    func protect(_ envelope: [UInt8]) async throws -> [UInt8] { try await transform(envelope) }
}
