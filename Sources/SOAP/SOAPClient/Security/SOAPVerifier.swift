// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Checks the security of responses before a value is read from them.
public struct SOAPVerifier: Sendable {
    /// The verified parts of a response, and nothing else.
    public struct Verified: Sendable {
        /// An envelope with the verified Body and the verified headers.
        public var envelope: [UInt8]
        /// The names of headers that the verifier processed, and that the envelope still has.
        public var understoodHeaders: Set<XMLName>

        /// Creates a verified message from its parts.
        public init(envelope: [UInt8], understoodHeaders: Set<XMLName> = []) {
            (self.envelope, self.understoodHeaders) = (envelope, understoodHeaders)
        }
    }

    private let check: @Sendable ([UInt8]) async throws -> Verified

    /// Creates a verifier from a function.
    ///
    /// - Parameter check: Takes the envelope as it was received, returns what may be read, and throws for an envelope that is not to be
    ///   trusted.
    public init(_ check: @escaping @Sendable ([UInt8]) async throws -> Verified) { self.check = check }

    func verify(_ envelope: [UInt8]) async throws -> Verified { try await check(envelope) }
}
