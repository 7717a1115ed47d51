// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The durations of the steps of opening a connection.
public struct ConnectionOpening: Hashable, Sendable {
    /// A step of opening a connection: TCP, TLS and the tunnel of a proxy, and TLS with the origin.
    package enum Stage {
        case tcp
        case proxy
        case tls
    }

    /// The time at which opening the connection began.
    public let start: ContinuousClock.Instant
    /// The time until name resolution returned the first address, which is a part of ``tcp``;
    /// `nil` if no name was resolved.
    public package(set) var lookup: Duration?
    /// The time for name resolution and TCP; `nil` until that is complete.
    public private(set) var tcp: Duration?
    /// The time for TLS with the proxy and for opening the tunnel, handlers included; `nil` without a tunnel, and until
    /// the tunnel is open.
    public private(set) var proxy: Duration?
    /// The time for TLS with the origin, including trust evaluation; `nil` for plain http, and until TLS is complete.
    public private(set) var tls: Duration?
    private var last: ContinuousClock.Instant

    /// Makes an opening that begins now, without completed steps.
    public init() {
        start = .now
        last = start
    }

    /// Completes a stage, and begins the next one.
    package mutating func finish(_ stage: Stage) {
        let now = ContinuousClock.now
        switch stage {
        case .tcp: tcp = now - last
        case .proxy: proxy = now - last
        case .tls: tls = now - last
        }
        last = now
    }
}
