// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The address and port of a peer's UDP socket.
///
/// The type is public so that other modules can inline its comparison, as with `Instant`.
public struct WireGuardEndpoint: Hashable, Sendable {
    @usableFromInline let (upper, lower): (UInt64, UInt64)
    /// Whether this is an IPv4 address; otherwise it is an IPv6 address.
    public let isIPv4: Bool
    /// The port, in host byte order.
    public let port: UInt16
    /// The interface index of a link-local IPv6 address, or 0.
    public let scope: UInt32

    /// Creates an endpoint; returns `nil` unless the address has four or sixteen bytes, in network byte order.
    public init?(address: some Collection<UInt8>, port: UInt16, scope: UInt32 = 0) {
        let endpoint = Array(address).withUnsafeBytes { WireGuardEndpoint(bytes: $0, port: port, scope: scope) }
        guard let endpoint else { return nil }
        self = endpoint
    }

    /// Creates an endpoint from the four or sixteen bytes of an address, without an allocation; returns `nil` for any
    /// other number of bytes.
    public init?(bytes: UnsafeRawBufferPointer, port: UInt16, scope: UInt32 = 0) {
        guard bytes.count == 4 || bytes.count == 16 else { return nil }
        var words: (UInt64, UInt64) = (0, 0)
        withUnsafeMutableBytes(of: &words) { $0.copyMemory(from: bytes) }
        self.init(words, isIPv4: bytes.count == 4, port: port, scope: scope)
    }

    private init(_ words: (UInt64, UInt64), isIPv4: Bool, port: UInt16, scope: UInt32) {
        (upper, lower) = words
        (self.isIPv4, self.port, self.scope) = (isIPv4, port, scope)
    }

    /// Compares the fields as integers, starting with those that differ most often.
    @inlinable public static func == (one: Self, two: Self) -> Bool {
        one.lower == two.lower && one.upper == two.upper && one.port == two.port && one.isIPv4 == two.isIPv4
            && one.scope == two.scope
    }

    /// Calls a function with the bytes of the address, in network byte order.
    public func withAddress<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (upper, lower)) { try body(UnsafeRawBufferPointer(rebasing: $0[..<(isIPv4 ? 4 : 16)])) }
    }

    /// The four or sixteen bytes of the address, in network byte order.
    public var address: [UInt8] { withAddress { Array($0) } }

    /// The endpoint without the parts that one sender can choose freely: the port, and the lower half of an IPv6
    /// address.
    var network: WireGuardEndpoint {
        WireGuardEndpoint((upper, isIPv4 ? lower : 0), isIPv4: isIPv4, port: 0, scope: 0)
    }
}
