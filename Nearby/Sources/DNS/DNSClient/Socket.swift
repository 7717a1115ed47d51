// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import DNSNames

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

/// A socket connected to one server, so that the system delivers only packets from that server.
///
/// The macOS version compiles but has not been run yet.
struct Socket: ~Copyable {
    private let descriptor: Int32
    private let server: DNSServer
    private let isStream: Bool

    /// The maximum datagram size: a longer datagram is truncated and fails to decode; the OPT record tells servers to
    /// send none.
    private static let maximumDatagramLength = 4_096

    /// Creates a socket that is connected, or whose connection is in progress.
    static func connected(to server: DNSServer, isStream: Bool) throws(DNSClientError) -> Socket {
        let socket = try Socket(server, isStream: isStream)
        guard connection(of: socket.descriptor, to: server) == 0 || errno == EINPROGRESS else {
            throw .unreachable(server)
        }
        return socket
    }

    private init(_ server: DNSServer, isStream: Bool) throws(DNSClientError) {
        (self.server, self.isStream) = (server, isStream)
        #if canImport(Glibc)
            let kind = Int32((isStream ? SOCK_STREAM : SOCK_DGRAM).rawValue)
        #else
            let kind = isStream ? SOCK_STREAM : SOCK_DGRAM
        #endif
        descriptor = socket(server.address.isIPv4 ? AF_INET : AF_INET6, kind, 0)
        guard descriptor >= 0 else { throw .noSocket(code: errno) }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, O_NONBLOCK)
        #if canImport(Darwin)
            var isOn: Int32 = 1
            setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &isOn, socklen_t(MemoryLayout<Int32>.size))
        #endif
    }

    deinit { close(descriptor) }

    private static func connection(of descriptor: Int32, to server: DNSServer) -> Int32 {
        func connected<Address>(_ address: Address) -> Int32 {
            withUnsafeBytes(of: address) { bytes in
                bytes.withMemoryRebound(to: sockaddr.self) { pointer in
                    connect(descriptor, pointer.baseAddress, socklen_t(bytes.count))
                }
            }
        }
        if server.address.isIPv4 {
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_port = server.port.bigEndian
            withUnsafeMutableBytes(of: &address.sin_addr) { $0.copyBytes(from: server.address.bytes) }
            return connected(address)
        }
        var address = sockaddr_in6()
        address.sin6_family = sa_family_t(AF_INET6)
        address.sin6_port = server.port.bigEndian
        withUnsafeMutableBytes(of: &address.sin6_addr) { $0.copyBytes(from: server.address.bytes) }
        return connected(address)
    }

    /// Sends all bytes before the deadline.
    func send(_ bytes: [UInt8], until deadline: ContinuousClock.Instant) throws(DNSClientError) {
        #if canImport(Darwin)
            let flags: Int32 = 0
        #else
            let flags = Int32(MSG_NOSIGNAL)
        #endif
        var rest = bytes[...]
        while !rest.isEmpty {
            try wait(for: POLLOUT, until: deadline)
            let count = rest.withUnsafeBytes { systemSend(descriptor, $0, flags) }
            guard count > 0 else {
                if isTemporary { continue }
                throw failure
            }
            rest = rest.dropFirst(count)
        }
    }

    /// Returns the next datagram, or the available bytes of a connection.
    func receive(
        atMost limit: Int = maximumDatagramLength, until deadline: ContinuousClock.Instant
    ) throws(DNSClientError) -> [UInt8] {
        while true {
            try wait(for: POLLIN, until: deadline)
            var bytes = [UInt8](repeating: 0, count: limit)
            let count = recv(descriptor, &bytes, limit, 0)
            if count > 0 { return Array(bytes.prefix(count)) }
            // A datagram can be empty; zero bytes from a connection mean that it is closed.
            if count == 0, isStream { throw .connectionFailed(server) }
            if count == 0 { return [] }
            if !isTemporary { throw failure }
        }
    }

    /// Reads the given number of bytes from a connection.
    func receive(exactly count: Int, until deadline: ContinuousClock.Instant) throws(DNSClientError) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count < count { bytes += try receive(atMost: count - bytes.count, until: deadline) }
        return bytes
    }

    private var isTemporary: Bool { [EAGAIN, EWOULDBLOCK, EINTR].contains(errno) }

    private var failure: DNSClientError { isStream ? .connectionFailed(server) : .unreachable(server) }

    private func wait(for events: Int32, until deadline: ContinuousClock.Instant) throws(DNSClientError) {
        while true {
            let left = deadline - ContinuousClock.now
            let milliseconds = left.components.seconds * 1_000 + left.components.attoseconds / 1_000_000_000_000_000
            guard milliseconds > 0 else { throw isStream ? .connectionFailed(server) : .noResponse(server) }
            var entry = pollfd(fd: descriptor, events: Int16(events), revents: 0)
            if poll(&entry, 1, Int32(clamping: milliseconds)) > 0 { return }
        }
    }
}

/// Calls the system's `send`, which the socket's own method hides.
private func systemSend(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer, _ flags: Int32) -> Int {
    send(descriptor, bytes.baseAddress, bytes.count, flags)
}
