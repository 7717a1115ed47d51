// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

internal import CSystemCalls
internal import POSIX
internal import Secrets

/// A Unix domain socket, which is closed on release.
struct UnixSocket: ~Copyable {
    /// The maximum size of a message in bytes.
    static let maximumByteCount = 4096

    /// The maximum length of a path in bytes: one less than the size of `sun_path`.
    static var maximumPathLength: Int { MemoryLayout.size(ofValue: sockaddr_un().sun_path) - 1 }

    let descriptor: Int32

    private init(descriptor: Int32) { self.descriptor = descriptor }

    deinit { close(descriptor) }

    /// Creates a socket that child processes do not inherit.
    init() throws(SystemError) {
        #if canImport(Darwin)
            let stream = SOCK_STREAM
        #elseif canImport(Musl)
            let stream = Int32(SOCK_STREAM) | Int32(SOCK_CLOEXEC)
        #else
            let stream = Int32(SOCK_STREAM.rawValue | SOCK_CLOEXEC.rawValue)
        #endif
        descriptor = socket(AF_UNIX, stream, 0)
        guard descriptor >= 0 else { throw SystemError() }
        #if canImport(Darwin)
            _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
            var on: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    /// Accepts the next client.
    borrowing func accept() throws(SystemError) -> UnixSocket {
        let accepted = systemAccept(descriptor)
        guard accepted >= 0 else { throw SystemError() }
        _ = fcntl(accepted, F_SETFD, FD_CLOEXEC)
        return UnixSocket(descriptor: accepted)
    }

    borrowing func bind(to path: String) throws(SystemError) {
        try withAddress(of: path) { systemBind(descriptor, $0, $1) }
        guard listen(descriptor, 16) == 0 else { throw SystemError() }
    }

    borrowing func connect(to path: String) throws(SystemError) {
        try withAddress(of: path) { systemConnect(descriptor, $0, $1) }
    }

    /// Limits the duration of each `read` and `write` system call, so that an unresponsive peer does not block the
    /// agent.
    borrowing func setTimeout(seconds: Int) {
        var time = timeval(tv_sec: seconds, tv_usec: 0)
        for option in [SO_RCVTIMEO, SO_SNDTIMEO] {
            setsockopt(descriptor, SOL_SOCKET, option, &time, socklen_t(MemoryLayout<timeval>.size))
        }
    }

    /// The user of the peer process.
    var peerUser: uid_t? {
        var user = uid_t()
        return process_peer_user(descriptor, &user) == 0 ? user : nil
    }

    /// Reads a message: its length in two bytes, the most significant first, then its bytes.
    ///
    /// - Parameter end: The deadline for the complete message; five seconds from now by default.
    /// - Returns: The message; `nil` if the peer sends none in time, or one of more than ``maximumByteCount``.
    borrowing func read(until end: ContinuousClock.Instant = .now + .seconds(5)) -> [UInt8]? {
        guard let head = read(count: 2, until: end) else { return nil }
        let count = Int(head[0]) << 8 | Int(head[1])
        guard (1...Self.maximumByteCount).contains(count) else { return nil }
        return read(count: count, until: end)
    }

    private borrowing func read(count: Int, until end: ContinuousClock.Instant) -> [UInt8]? {
        var bytes = [UInt8](repeating: 0, count: count)
        var done = 0
        while done < count {
            let result = bytes[done...].withUnsafeMutableBytes { recv(descriptor, $0.baseAddress, $0.count, 0) }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { return nil }
            done += result
            guard done == count || .now < end else { return nil }
        }
        return bytes
    }

    /// Writes a message of at most ``maximumByteCount``, and erases the internal copy.
    ///
    /// - Returns: Whether the complete message was written.
    borrowing func write(_ message: [UInt8]) -> Bool {
        var bytes = [UInt8(truncatingIfNeeded: message.count >> 8), UInt8(truncatingIfNeeded: message.count)] + message
        defer { bytes.erase() }
        var done = 0
        while done < bytes.count {
            let result = bytes[done...].withUnsafeBytes { systemSend(descriptor, $0) }
            if result < 0, errno == EINTR { continue }
            guard result > 0 else { return false }
            done += result
        }
        return true
    }

    private borrowing func withAddress(
        of path: String, _ body: (UnsafePointer<sockaddr>, socklen_t) -> Int32
    ) throws(SystemError) {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        let fits = withUnsafeMutableBytes(of: &address.sun_path) { space in
            // The path is followed by a zero byte.
            guard path.utf8.count < space.count else { return false }
            space.copyBytes(from: path.utf8)
            return true
        }
        guard fits else { throw SystemError(code: ENAMETOOLONG) }
        let result = withUnsafePointer(to: &address) {
            $0.withMemoryRebound(to: sockaddr.self, capacity: 1) { body($0, socklen_t(MemoryLayout<sockaddr_un>.size)) }
        }
        guard result == 0 else { throw SystemError() }
    }
}

/// The error of a failed system call.
struct SystemError: Error {
    var code: Int32 = errno
}

// Methods of UnixSocket with the same names hide these functions.
private func systemAccept(_ descriptor: Int32) -> Int32 { accept(descriptor, nil, nil) }
private func systemBind(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    bind(descriptor, address, size)
}
private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ size: socklen_t) -> Int32 {
    connect(descriptor, address, size)
}
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Int {
    #if canImport(Darwin)
        send(descriptor, bytes.baseAddress, bytes.count, 0)
    #else
        send(descriptor, bytes.baseAddress, bytes.count, Int32(MSG_NOSIGNAL))
    #endif
}
