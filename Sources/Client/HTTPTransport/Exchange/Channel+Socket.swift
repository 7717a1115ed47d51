// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import NIOCore
import POSIX

extension Channel {
    /// Whether the socket has pending bytes, end of stream or an error that the event loop has not read yet; call it on
    /// the event loop.
    ///
    /// It is the last check before a request is written: the server may have closed the connection while the loop did
    /// other work.
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

    /// Calls a closure once the event loop has read the pending input of its sockets; call it on the event loop.
    func afterReading(_ body: @escaping () -> Void) {
        // Tasks that are due at once run before the loop polls its sockets again, so the task needs a delay.
        eventLoop.assumeIsolated().scheduleTask(in: .milliseconds(1), body)
    }
}

/// A check whether a server that has ended a connection had received any byte of the last request (Linux only).
///
/// The segment with which a server ends its side acknowledges all bytes that it had received. A server that ended it
/// before the first byte of a request arrived cannot answer that request, and has not processed it (RFC 9112 sections
/// 9.3.1 and 9.6).
///
/// By the time NIO reports the end, it has closed its socket. The check therefore uses a duplicate of the descriptor,
/// which keeps the connection open: release this object as soon as the response begins or the connection ends.
final class ReceiptCheck {
    private let descriptor: CInt
    private let acknowledged: UInt64

    /// Duplicates the descriptor; call it on the event loop, before the request is written.
    init?(_ channel: any Channel) {
        let descriptor = try? channel.pipeline.syncOperations.withUnsafeTransportIfAvailable(
            of: NIOBSDSocket.Handle.self
        ) { fcntl($0, F_DUPFD_CLOEXEC, 0) }
        guard let descriptor, descriptor >= 0 else { return nil }
        guard let acknowledged = Self.acknowledged(of: descriptor) else {
            close(descriptor)
            return nil
        }
        (self.descriptor, self.acknowledged) = (descriptor, acknowledged)
    }

    deinit { close(descriptor) }

    /// Whether the server has acknowledged no byte since this object was made; valid after the server has ended the
    /// connection, but not after a reset, which acknowledges nothing.
    var receivedNothing: Bool { Self.acknowledged(of: descriptor) == acknowledged }

    /// Returns the number of bytes that the peer has acknowledged.
    private static func acknowledged(of socket: CInt) -> UInt64? {
        #if os(Linux)
            // TCP_INFO: tcpi_bytes_acked is at byte 120 since Linux 4.1; the structure only grows at its end.
            let (option, offset): (CInt, Int) = (11, 120)
            var info = [UInt8](repeating: 0, count: offset + 8)
            var size = socklen_t(info.count)
            guard getsockopt(socket, CInt(IPPROTO_TCP), option, &info, &size) == 0, Int(size) == info.count else {
                return nil
            }
            return info.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self) }
        #else
            return nil
        #endif
    }
}
