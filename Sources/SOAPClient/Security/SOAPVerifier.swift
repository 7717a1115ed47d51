// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Checks the security of responses before anything of them is read.
public struct SOAPVerifier: Sendable {
    /// What is left of a response: the parts that are verified, and nothing else.
    public struct Verified: Sendable {
        /// An envelope with the verified Body and the verified headers.
        public var envelope: [UInt8]
        /// The headers that the verifier took care of, and that the envelope still has.
        public var understoodHeaders: Set<XMLName>

        /// A verified message by its parts.
        public init(envelope: [UInt8], understoodHeaders: Set<XMLName> = []) {
            (self.envelope, self.understoodHeaders) = (envelope, understoodHeaders)
        }
    }

    private let check: @Sendable ([UInt8]) async throws -> Verified

    /// A check.
    ///
    /// - Parameter check: Takes the envelope as it came, returns what may be read, and throws for an envelope that is not to be trusted.
    public init(_ check: @escaping @Sendable ([UInt8]) async throws -> Verified) { self.check = check }

    func verify(_ envelope: [UInt8]) async throws -> Verified { try await check(envelope) }
}
