// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension Channel {
    /// Whether bytes, the end of the connection or an error wait in the socket, which the event loop has not read yet; call it on the
    /// event loop.
    ///
    /// It is a connection's last word before a request is written: the server may have closed while the loop did other work.
    var hasUnreadInput: Bool {
        let found = try? pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { socket in
            var byte: UInt8 = 0
            let count = recv(socket, &byte, 1, Int32(MSG_PEEK) | Int32(MSG_DONTWAIT))
            return count >= 0 || errno != EAGAIN && errno != EWOULDBLOCK && errno != EINTR
        }
        return found ?? false
    }

    /// Calls a closure once the event loop has read what waits in its sockets; call it on the event loop.
    func afterReading(_ body: @escaping () -> Void) {
        // Whatever is due at once runs before the loop looks at its sockets again.
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1), body)
    }
}

extension ChannelHandlerContext {
    /// Has the handlers below pass on the bytes that arrived before an error.
    ///
    /// NIOSSL keeps what it has decrypted until a read is complete, and NIO completes no read that ends with an error (NIO 2.101).
    func passOnRest() { channel.pipeline.syncOperations.fireChannelReadComplete() }
}
