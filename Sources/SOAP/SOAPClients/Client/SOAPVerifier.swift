// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization
public import WSSecurity
public import X509

/// Checks the security of responses before a value is read from them.
public struct SOAPVerifier: Sendable {
    /// The verified parts of a response.
    public struct Verified: Sendable {
        /// An envelope with only the verified Body and the verified headers.
        public var envelope: [UInt8]
        /// The names of headers in the envelope that the verifier has processed.
        public var understoodHeaders: Set<XMLName>

        /// Creates a verified message with an envelope and the names of processed headers.
        public init(envelope: [UInt8], understoodHeaders: Set<XMLName> = []) {
            (self.envelope, self.understoodHeaders) = (envelope, understoodHeaders)
        }
    }

    private let check: @Sendable ([UInt8]) async throws -> Verified

    /// Creates a verifier from a function.
    ///
    /// - Parameter check: A closure that receives the unchanged envelope, and returns its verified parts or throws an
    ///   error if the envelope is not trusted.
    public init(_ check: @escaping @Sendable ([UInt8]) async throws -> Verified) { self.check = check }

    func verify(_ envelope: [UInt8]) async throws -> Verified { try await check(envelope) }
}

extension SOAPVerifier {
    /// Accepts messages that satisfy a policy, and refuses replays.
    ///
    /// Clients that share the verifier also share its replay cache. A call throws `WSSecurityError` if a
    /// response is refused.
    public static func policy(_ policy: SecurityPolicy) -> Self {
        let verifier = SecurityVerifier(policy: policy)
        let replays = SharedReplayCache()
        return Self { envelope in Verified(envelope: try replays.verify(envelope, by: verifier)) }
    }

    /// Accepts messages with a signature whose certificate chain ends in an anchor, and refuses replays.
    ///
    /// - Parameter anchors: The certificates of authorities, or of signers themselves.
    /// - Returns: A verifier that requires a signature over the Body and the timestamp.
    public static func anchors(_ anchors: [Certificate]) -> Self {
        policy(SecurityPolicy(anchors: anchors))
    }
}

/// The shared replay cache.
private final class SharedReplayCache: Sendable {
    private let cache = Mutex(ReplayCache())

    func verify(_ envelope: [UInt8], by verifier: SecurityVerifier) throws(WSSecurityError) -> [UInt8] {
        let result = cache.withLock { replays in
            Result { () throws(WSSecurityError) in try verifier.verify(envelope, replays: &replays).envelope }
        }
        return try result.get()
    }
}
