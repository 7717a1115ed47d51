// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import NIOConcurrencyHelpers
package import NIOCore
import NIOPosix
import TLSTransport

/// An opener of connections: TCP, the proxy's tunnel, and TLS.
package struct Connector: Sendable {
    let settings: Settings
    let route: Route
    /// The timeout for TCP, for all addresses of a name together.
    let connectTimeout: Duration
    /// The protocol in which the origin is asked for TLS; `nil` if the handshake comes first.
    let startTLS: StartTLS?
    /// The servers for which this attempt uses OpenSSL.
    private var openSSLServers: Set<TLSSessionStore.Server> = []

    /// Creates an opener; the connect timeout is that of the settings if it is `nil`.
    package init(settings: Settings, route: Route, connectTimeout: Duration? = nil, startTLS: StartTLS? = nil) {
        (self.settings, self.route, self.startTLS) = (settings, route, startTLS)
        self.connectTimeout = connectTimeout ?? settings.connectTimeout
    }

    /// Opens a connection that is ready for its first request.
    ///
    /// - Throws: ``TransportError``, errors of the delegate, and `CancellationError` if the task is cancelled.
    package func connect(delegate: any LeaseDelegate) async throws -> HTTPConnection {
        var attempt = self
        while true {
            do {
                let connection = try await attempt.open(delegate)
                settings.openSSLServers.insert(attempt.openSSLServers)
                delegate.connectionOpened(connection)
                return connection
            } catch is ReconnectRequired {
                continue
            } catch let failure as TransportError {
                guard let server = serverNeedingOpenSSL(after: failure) else { throw failure }
                attempt.openSSLServers.insert(server)
            }
        }
    }

    /// Returns the server whose handshake may succeed with OpenSSL, if the policy allows that; `nil` for none.
    ///
    /// A handshake with OpenSSL has no such failure, so each server is tried again only once.
    private func serverNeedingOpenSSL(after failure: TransportError) -> TLSSessionStore.Server? {
        guard TLSLibrary.openSSL.isAvailable, let peer = failure.peerNeedingOpenSSL,
            let tls = peer.role == .proxy ? route.proxyTLS : route.originTLS, tls.library == .automatic
        else { return nil }
        return server(peer, tls)
    }

    private func open(_ delegate: any LeaseDelegate) async throws -> HTTPConnection {
        if let proxy = route.proxy, proxy.kind == .socks5 { return try await open(throughSOCKS: proxy, delegate) }
        let first = firstLayer(delegate)
        var opening = ConnectionOpening()
        // The first layer is added before the first byte arrives:
        // a server may send data and close the connection at once.
        let channel = try await openSocket(&opening) { try first.add(to: $0) }
        return try await closingOnFailure(channel) {
            try await prepare(channel, above: first, opening: opening, delegate)
        }
    }

    /// Runs the closure, and closes the channel if it throws.
    private func closingOnFailure<Value>(
        _ channel: any Channel, _ work: () async throws -> Value
    ) async throws -> Value {
        do {
            return try await work()
        } catch {
            // If the task is cancelled, this ends the pending handshake or tunnel.
            channel.close(promise: nil)
            // The connection may have failed because the cancelled task closed it; that is not an error of the peer.
            try Task.checkCancellation()
            throw error
        }
    }

    /// Opens the socket, and notes the end of name resolution when the first address is attempted.
    private func openSocket(
        _ opening: inout ConnectionOpening, _ initialize: @escaping @Sendable (any Channel) throws -> Void
    ) async throws -> any Channel {
        let opener = ChannelOpener(
            group: settings.group, timeout: connectTimeout, role: route.proxy == nil ? .origin : .proxy)
        let firstAttempt = NIOLockedValueBox<ContinuousClock.Instant?>(nil)
        // The user chose the proxy, and the proxy connects to the origin's addresses.
        let allowsAddress = route.proxy == nil ? settings.allowsAddress : nil
        let family = settings.addressFamily
        let channel = try await opener.open(connectTarget) { channel in
            firstAttempt.withLockedValue { $0 = $0 ?? .now }
            if family != .any || allowsAddress != nil {
                try channel.pipeline.syncOperations.addHandler(AddressGuard(family, allows: allowsAddress))
            }
            try initialize(channel)
        }
        opening.finish(.tcp)
        if case .endpoint(let place) = connectTarget, !place.host.isAddress {
            opening.lookup = firstAttempt.withLockedValue { $0.map { $0 - opening.start } }
        }
        return channel
    }

    /// The destination of the socket: the Unix domain socket, the proxy or the origin.
    private var connectTarget: ConnectTarget {
        guard let path = route.unixSocket else { return .endpoint(route.proxy?.endpoint ?? route.destination) }
        return .unixSocket(URL(filePath: path, directoryHint: .notDirectory))
    }

    // MARK: Proxies

    private func open(
        throughSOCKS proxy: ProxyServer, _ delegate: any LeaseDelegate
    ) async throws -> HTTPConnection {
        let tunnel = SOCKSTunnel(
            proxy: proxy.endpoint, destination: route.destination,
            timeout: settings.tunnelTimeout)
        var opening = ConnectionOpening()
        let channel = try await openSocket(&opening) { try tunnel.addHandler(to: $0) }
        return try await closingOnFailure(channel) {
            try await tunnel.open(over: channel, delegate: delegate)
            opening.finish(.proxy)
            return try await complete(channel, opening: opening, delegate) { top in
                try await tunnel.replaceHandler(to: top, on: channel)
            }
        }
    }

    private func firstLayer(_ delegate: any LeaseDelegate) -> Layer {
        guard let proxy = route.proxy else { return startTLSLayer ?? originLayer(delegate) }
        return layer(for: .proxy(proxy.endpoint), route.proxyTLS, delegate)
    }

    private func prepare(
        _ channel: any Channel, above first: Layer, opening: ConnectionOpening,
        _ delegate: any LeaseDelegate
    ) async throws -> HTTPConnection {
        var opening = opening
        guard route.usesTunnel else {
            if case .startTLS = first {
                return try await complete(channel, opening: opening, delegate, above: first)
            }
            return try await complete(channel, with: first, opening: opening)
        }
        var top = first
        let failure = try await settle(&top, on: channel)
        let bare = HTTPConnection(channel: channel, streams: top.streams, failure: failure, opening: opening)
        try await delegate.openTunnel(to: route.destination, over: bare)
        opening.finish(.proxy)
        return try await complete(channel, opening: opening, delegate) { top in
            do {
                try await replaceHandler(to: top, on: channel)
            } catch {
                // The proxy closed the connection right after the response that opened the tunnel.
                throw failure.classify(error, .proxyTunnel)
            }
        }
    }

    /// Adds the origin's layer above a tunnel, after the request for TLS if there is one, and completes the connection.
    private func complete(
        _ channel: any Channel, opening: ConnectionOpening, _ delegate: any LeaseDelegate,
        replaceTunnel: (Layer) async throws -> Void
    ) async throws -> HTTPConnection {
        if let layer = startTLSLayer {
            try await replaceTunnel(layer)
            return try await complete(channel, opening: opening, delegate, above: layer)
        }
        let top = originLayer(delegate)
        try await replaceTunnel(top)
        return try await complete(channel, with: top, opening: opening)
    }

    /// Waits until the server expects the handshake, and completes the connection.
    private func complete(
        _ channel: any Channel, opening: ConnectionOpening, _ delegate: any LeaseDelegate, above layer: Layer
    ) async throws -> HTTPConnection {
        let top = originLayer(delegate)
        if case .startTLS(let negotiation) = layer {
            try await negotiation.finish()
            try await negotiation.replaceHandler(to: top, on: channel)
        }
        return try await complete(channel, with: top, opening: opening)
    }

    /// The layer in which the origin is asked for TLS; `nil` if the handshake comes first.
    private var startTLSLayer: Layer? {
        guard let startTLS, route.originTLS != nil else { return nil }
        return .startTLS(StartTLSNegotiation(startTLS, with: route.endpoint, timeout: settings.handshakeTimeout))
    }

    /// Replaces the proxy's layer by the origin's; the bytes after the response to CONNECT belong to the origin.
    private func replaceHandler(to layer: Layer, on channel: any Channel) async throws {
        try await layer.replace(HTTP1Handler.self, on: channel) { handler in
            // A TLS server never sends first, so bytes before the ClientHello come from the proxy and are dropped.
            if case .tls = layer { handler.dropRemainingBytes() }
        }
    }

    // MARK: Layers

    /// Completes the handshake of the last layer, if it has one, and returns the connection.
    private func complete(
        _ channel: any Channel, with last: Layer, opening: ConnectionOpening
    ) async throws -> HTTPConnection {
        var (top, opening) = (last, opening)
        let failure = try await settle(&top, on: channel)
        if route.originTLS != nil { opening.finish(.tls) }
        return HTTPConnection(channel: channel, streams: top.streams, failure: failure, opening: opening)
    }

    /// Returns the first layer of the protocol with the origin.
    private func originLayer(_ delegate: any LeaseDelegate) -> Layer {
        layer(for: .origin(route.endpoint), route.originTLS, delegate)
    }

    private func layer(
        for peer: ConnectionPeer, _ tls: TLSRequirements?, _ delegate: any LeaseDelegate
    ) -> Layer {
        let failure = ChannelFailure(peer: peer, record: PeerRecord())
        let streams = HTTP2Streams()
        guard let tls else { return http(streams, failure) }
        let handshake = TLSHandshake(
            with: peer, tls, by: library(for: peer, tls),
            httpVersions: peer.role == .origin ? route.httpVersions : .onlyHTTP1,
            isHTTP: peer.role == .proxy || startTLS == nil, timeout: settings.handshakeTimeout,
            sessions: settings.sessions.map { TLSHandshake.Sessions(store: $0, server: server(peer, tls)) },
            record: failure.record, delegate: delegate.handshakeDelegate(for: peer, record: failure.record)
        ) { try http(streams, failure).add(to: $0) }
        return .tls(handshake, streams)
    }

    private func server(_ peer: ConnectionPeer, _ tls: TLSRequirements) -> TLSSessionStore.Server {
        let proxy = peer.role == .proxy ? route.proxy : nil
        return proxy.map { .proxy($0, tls) } ?? .origin(route)
    }

    private func library(for peer: ConnectionPeer, _ tls: TLSRequirements) -> TLSLibrary {
        switch tls.library {
        case .boringSSL: .boringSSL
        case .openSSL: .openSSL
        case .automatic: needsOpenSSL(server(peer, tls)) ? .openSSL : .boringSSL
        }
    }

    private func needsOpenSSL(_ server: TLSSessionStore.Server) -> Bool {
        openSSLServers.contains(server) || settings.openSSLServers.contains(server)
    }

    /// Completes the handshake of a TLS layer, and replaces the layer by the HTTP layer on top of it.
    private func settle(_ layer: inout Layer, on channel: any Channel) async throws -> ChannelFailure {
        switch layer {
        case .tls(let handshake, let streams):
            try await handshake.perform(on: channel)
            let failure = ChannelFailure(peer: handshake.peer, record: handshake.record)
            layer = http(streams, failure)
            if handshake.peer.role == .origin, route.httpVersions == .onlyHTTP2, layer.streams == nil {
                throw TransportError.httpVersionNotOffered(handshake.peer, .onlyHTTP2)
            }
            guard channel.isActive else {
                throw failure.requiresHTTP1 ? failure.closedBeforeRequest : failure.classify(ChannelError.eof, .request)
            }
            return failure
        case .http1(let failure, _), .http2(_, let failure, _):
            return failure
        case .startTLS(let negotiation):
            return ChannelFailure(peer: .origin(negotiation.endpoint), record: PeerRecord())
        }
    }

    /// Returns the HTTP layer for the negotiated version; without TLS, none is negotiated (RFC 9113 section 3.3).
    private func http(_ streams: HTTP2Streams, _ failure: ChannelFailure) -> Layer {
        let isHTTP2 =
            failure.peer.role == .origin
            && (route.originTLS == nil
                ? route.httpVersions == .onlyHTTP2 : failure.record.facts.tls?.applicationProtocol == "h2")
        return isHTTP2 ? .http2(streams, failure, settings) : .http1(failure, settings)
    }
}

extension Connector {
    /// A protocol layer of a channel: TLS or HTTP.
    enum Layer: Sendable {
        /// A TLS handshake, and the streams of the connection if it negotiates HTTP/2.
        case tls(TLSHandshake, HTTP2Streams)
        case http1(ChannelFailure, Settings)
        case http2(HTTP2Streams, ChannelFailure, Settings)
        /// The request for TLS in another protocol.
        case startTLS(StartTLSNegotiation)

        /// The streams of the connection; `nil` without HTTP/2.
        var streams: HTTP2Streams? {
            if case .http2(let streams, _, _) = self { streams } else { nil }
        }

        /// Adds the layer's handlers above those of the lower layer; call it on the channel's event loop.
        func add(to channel: any Channel) throws {
            let pipeline = channel.pipeline.syncOperations
            switch self {
            case .tls(let handshake, _):
                try handshake.addHandler(to: channel)
            case .http1(let failure, let settings):
                let watch = IdleMonitor(limit: settings.idleTimeout, on: channel.eventLoop)
                try pipeline.addHandler(
                    HTTP1Handler(settings.lineTerminator, failure: failure, watch: watch, eventLoop: channel.eventLoop))
            case .http2(let streams, let failure, let settings):
                let watch = IdleMonitor(limit: settings.idleTimeout, on: channel.eventLoop)
                try pipeline.addHandler(HTTP2ConnectionHandler(streams, failure: failure, watch: watch))
            case .startTLS(let negotiation):
                try negotiation.addHandler(to: channel)
            }
        }

        /// Replaces the handler that opened a tunnel, which passes on its unread bytes.
        ///
        /// Both changes happen in one turn of the event loop, so that no byte is lost between them.
        ///
        /// - Parameters:
        ///   - type: The type of the handler.
        ///   - channel: The connection to the proxy.
        ///   - prepare: Called with the handler before it is removed.
        /// - Throws: `ChannelError` if the connection is closed, and the errors of adding the layer.
        func replace<Handler: RemovableChannelHandler & SendableMetatype>(
            _ type: Handler.Type, on channel: any Channel, prepare: @escaping @Sendable (Handler) -> Void = { _ in }
        ) async throws {
            try await channel.eventLoop.flatSubmit {
                let pipeline = channel.pipeline.syncOperations
                do {
                    // The next handler would miss the end of the connection, and wait for it forever.
                    guard channel.isActive else { throw ChannelError.eof }
                    let handler = try pipeline.handler(type: type)
                    prepare(handler)
                    try add(to: channel)
                    return pipeline.removeHandler(handler)
                } catch {
                    return channel.eventLoop.makeFailedFuture(error)
                }
            }.get()
        }
    }
}

extension Connector {
    /// The settings with which connections are opened and used.
    package struct Settings: Sendable {
        /// The event loops of the connections.
        package let group: any EventLoopGroup
        /// The timeout for TCP, for all addresses of a name together.
        package let connectTimeout: Duration
        /// The timeout for each silence of the server in a TLS handshake, and for each message of a SOCKS proxy; the
        /// time that the delegate takes is not counted.
        package let handshakeTimeout: Duration
        /// The timeout for each silence of the peer in an exchange.
        package let idleTimeout: Duration
        /// The accepted line terminator of an HTTP/1.1 response head.
        package let lineTerminator: HeadLineTerminator
        /// The IP versions of the connections to origins and proxies.
        package let addressFamily: AddressFamily
        /// Returns whether a socket that leads to an origin without a proxy may connect to an address;
        /// `nil` allows all addresses.
        package let allowsAddress: (@Sendable (SocketAddress) -> Bool)?
        /// The timeout for each message of a SOCKS proxy.
        var tunnelTimeout: Timeout {
            handshakeTimeout <= idleTimeout ? Timeout(handshakeTimeout, .handshake) : Timeout(idleTimeout, .idle)
        }

        /// The TLS sessions to resume, which all copies of the settings share; `nil` if none are resumed.
        let sessions: TLSSessionStore?
        /// The servers that need OpenSSL, which all copies of the settings share.
        let openSSLServers = OpenSSLServers()

        package init(
            group: any EventLoopGroup, connectTimeout: Duration, handshakeTimeout: Duration, idleTimeout: Duration,
            lineTerminator: HeadLineTerminator, resumesTLSSessions: Bool = true, addressFamily: AddressFamily = .any,
            allowsAddress: (@Sendable (SocketAddress) -> Bool)? = nil
        ) {
            sessions = resumesTLSSessions ? TLSSessionStore() : nil
            self.group = group
            self.connectTimeout = connectTimeout
            self.handshakeTimeout = handshakeTimeout
            self.idleTimeout = idleTimeout
            self.lineTerminator = lineTerminator
            self.addressFamily = addressFamily
            self.allowsAddress = allowsAddress
        }
    }
}
