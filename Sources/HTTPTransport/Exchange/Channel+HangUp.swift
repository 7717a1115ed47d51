// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import NIOSSL

extension Channel {
    /// Closes without waiting for the peer, who may go on sending for as long as somebody reads.
    ///
    /// TLS says its word of parting and then waits for the peer's, which nobody has to (RFC 8446 section 6.1).
    func hangUp() {
        close(promise: nil)
        eventLoop.execute {
            // From below TLS, of which there are two where the proxy's carries the origin's; the first is the outer one.
            try? self.pipeline.syncOperations.context(handlerType: NIOSSLClientHandler.self).close(promise: nil)
        }
    }
}
