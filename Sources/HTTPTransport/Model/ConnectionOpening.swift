// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// How long each step of opening a connection took.
public struct ConnectionOpening: Hashable, Sendable {
    package enum Stage {
        case tcp
        case proxy
        case tls
    }

    /// When it began.
    public let start: ContinuousClock.Instant
    /// Until the first address of the name was known and tried, as a part of ``tcp``; `nil` where no name was looked up.
    public package(set) var lookup: Duration?
    /// Looking the name up, and TCP.
    public private(set) var tcp: Duration?
    /// TLS with the proxy and opening the tunnel, every question on the way included; `nil` without a proxy.
    public private(set) var proxy: Duration?
    /// TLS with the origin, deciding on trust included; `nil` for plain http.
    public private(set) var tls: Duration?
    private var last: ContinuousClock.Instant

    /// Begins now.
    public init() {
        start = .now
        last = start
    }

    /// A stage is over, and the next one begins.
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
