// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Synchronization
public import WSSecurity
public import X509

extension SOAPVerifier {
    /// Accepts the messages that a policy accepts, each message once.
    ///
    /// Clients that share the verifier share its memory of messages. A call throws `WSSecurityError` for a refused response.
    public static func policy(_ policy: SecurityPolicy) -> Self {
        let verifier = SecurityVerifier(policy: policy)
        let replays = SharedReplays()
        return Self { envelope in Verified(envelope: try replays.verify(envelope, by: verifier)) }
    }

    /// Accepts messages that signers with certificates of some authorities have signed, each message once.
    ///
    /// - Parameter anchors: The certificates of authorities, or of signers themselves.
    /// - Returns: A verifier that requires a signature over the Body and the time.
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
