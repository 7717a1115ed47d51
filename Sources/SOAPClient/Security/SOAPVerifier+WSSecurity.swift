// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization
public import WSSecurity
public import X509

extension SOAPVerifier {
    /// Believes what a policy believes, each message once.
    ///
    /// Clients that share the verifier share its memory of messages.
    public static func policy(_ policy: SecurityPolicy) -> Self {
        let verifier = SecurityVerifier(policy: policy)
        let replays = SharedReplays()
        return Self { envelope in Verified(envelope: try replays.verify(envelope, by: verifier)) }
    }

    /// Believes messages that signers with certificates of some authorities have signed, each message once.
    ///
    /// - Parameter anchors: The certificates of authorities, or of signers themselves.
    /// - Returns: A verifier that wants the Body and the time to be signed.
    public static func anchors(_ anchors: [Certificate]) -> Self {
        policy(SecurityPolicy(anchors: anchors))
    }
}

/// The messages that came before.
private final class SharedReplays: Sendable {
    private let cache = Mutex(ReplayCache())

    func verify(_ envelope: [UInt8], by verifier: SecurityVerifier) throws(WSSecurityError) -> [UInt8] {
        let result = cache.withLock { replays in
            Result { () throws(WSSecurityError) in try verifier.verify(envelope, replays: &replays).envelope }
        }
        return try result.get()
    }
}
