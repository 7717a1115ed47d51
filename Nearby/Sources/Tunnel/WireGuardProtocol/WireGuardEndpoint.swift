// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The address and port of a peer's UDP socket.
///
/// The type is public so that it is compared without a call in other modules, as `Instant` is.
public struct WireGuardEndpoint: Hashable, Sendable {
    @usableFromInline let (upper, lower): (UInt64, UInt64)
    /// Whether this is an IPv4 address, and not an IPv6 address.
    public let isIPv4: Bool
    /// The port, in host order.
    public let port: UInt16
    /// The index of the interface to which a link-local IPv6 address belongs, or 0.
    public let scope: UInt32

    /// Makes an endpoint; `nil` unless the address has four or sixteen bytes, which are in network order.
    public init?(address: some Collection<UInt8>, port: UInt16, scope: UInt32 = 0) {
        let endpoint = Array(address).withUnsafeBytes { WireGuardEndpoint(bytes: $0, port: port, scope: scope) }
        guard let endpoint else { return nil }
        self = endpoint
    }

    /// Makes an endpoint of the four or sixteen bytes of an address in place, without an allocation; `nil` for another number of bytes.
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

    /// Compares numbers, most different ones first.
    @inlinable public static func == (one: Self, two: Self) -> Bool {
        one.lower == two.lower && one.upper == two.upper && one.port == two.port && one.isIPv4 == two.isIPv4
            && one.scope == two.scope
    }

    /// Lends the bytes of the address, in network order.
    public func withAddress<Result>(_ body: (UnsafeRawBufferPointer) throws -> Result) rethrows -> Result {
        try withUnsafeBytes(of: (upper, lower)) { try body(UnsafeRawBufferPointer(rebasing: $0[..<(isIPv4 ? 4 : 16)])) }
    }

    /// The four or sixteen bytes of the address, in network order.
    public var address: [UInt8] { withAddress { Array($0) } }

    /// The endpoint without what one sender can choose freely: the port, and the lower half of an IPv6 address.
    var network: WireGuardEndpoint {
        WireGuardEndpoint((upper, isIPv4 ? lower : 0), isIPv4: isIPv4, port: 0, scope: 0)
    }
}
