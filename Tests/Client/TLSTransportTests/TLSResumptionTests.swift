// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOCore
import TLSTransport
import Testing
import TrustRecipes
import X509

@Suite struct TLSResumptionTests {
    /// Makes a connection, and returns its sessions.
    private func sessions(_ context: ServerContext, resuming session: TLSSession? = nil) throws -> [TLSSession] {
        let exchange = try Exchange(.init(serverName: "a.test"), context, resuming: session)
        exchange.run()
        exchange.reply([1])
        #expect(exchange.facts?.isResumed == (session != nil))
        return exchange.sessions
    }

    @Test("A resumption asks for trust in the stored certificates", arguments: TLSHandshakeTests.versions)
    func resumption(versions: ClosedRange<TLSProtocolVersion>) throws {
        let context = try ServerContext(.init(versions: versions, staple: [1, 2], timestamps: [0, 3, 0, 1, 7]))
        let session = try #require(try sessions(context).first)
        #expect(session.isSingleUse == (versions.lowerBound == .tls13))
        #expect(session.expiry > 1_700_000_000)
        for answersLate in [false, true] {
            let exchange = try Exchange(.init(serverName: "a.test"), context, resuming: session)
            exchange.answersLate = answersLate
            exchange.run()
            #expect(exchange.facts?.isResumed == true)
            #expect(exchange.facts?.version == versions.lowerBound)
            let credentials = try #require(exchange.credentials.first)
            #expect(exchange.credentials.count == 1)
            #expect(credentials.chain == (try ServerContext.identity.chain.map { try $0.bytes() }))
            #expect(credentials.staple == [1, 2])
            #expect(credentials.timestamps == [0, 3, 0, 1, 7])
            #expect(credentials.isResumption)
            exchange.send([1, 2])
            exchange.reply([3])
            #expect(exchange.server.received == [1, 2])
            #expect(exchange.received == [3])
        }
    }

    @Test(
        "A session's certificates that are no longer trusted end the resumption", arguments: TLSHandshakeTests.versions)
    func distrust(versions: ClosedRange<TLSProtocolVersion>) throws {
        let context = try ServerContext(.init(versions: versions))
        let exchange = try Exchange(.init(serverName: "a.test"), context, resuming: try sessions(context).first)
        exchange.verify = { $0.isResumption ? .certificateRevoked : nil }
        exchange.run()
        #expect(exchange.failure == .refused(.certificateRevoked))
        #expect(exchange.server.alerts == [.certificateRevoked])
        #expect(exchange.facts == nil)
    }

    @Test("A server that does not know the session makes a full handshake", arguments: TLSHandshakeTests.versions)
    func foreignSession(versions: ClosedRange<TLSProtocolVersion>) throws {
        let settings = ServerContext.Settings(versions: versions)
        let session = try sessions(ServerContext(settings)).first
        let exchange = try Exchange(.init(serverName: "a.test"), ServerContext(settings), resuming: session)
        exchange.run()
        #expect(exchange.facts?.isResumed == false)
        #expect(exchange.credentials.map(\.isResumption) == [false])
    }

    @Test("A session of another version is not resumed")
    func otherVersion() throws {
        let context = try ServerContext(.init())
        let session = try #require(try sessions(context).first)
        let exchange = try Exchange(
            .init(serverName: "a.test", versions: .tls12 ... .tls12), context, resuming: session)
        exchange.run()
        #expect(exchange.facts?.isResumed == false)
        #expect(exchange.facts?.version == .tls12)
    }

    @Test("A resumption in TLS 1.3 yields new sessions, and in TLS 1.2 none")
    func newSessions() throws {
        for versions in TLSHandshakeTests.versions {
            let context = try ServerContext(.init(versions: versions))
            let session = try #require(try sessions(context).last)
            #expect(try sessions(context, resuming: session).isEmpty == (versions.lowerBound == .tls12))
        }
    }

    @Test("A server without tickets in TLS 1.3 yields no session")
    func noTickets() throws {
        #expect(try sessions(ServerContext(.init(versions: .tls13 ... .tls13, sendsTickets: false))).isEmpty)
    }

    @Test("A session is independent of its connection")
    func lifetime() throws {
        let context = try ServerContext()
        var exchange: Exchange? = try Exchange(.init(serverName: "a.test"), context)
        exchange?.run()
        exchange?.reply([1])
        let session = try #require(exchange?.sessions.first)
        exchange = nil
        let resumed = try Exchange(.init(serverName: "a.test"), context, resuming: session)
        resumed.run()
        #expect(resumed.facts?.isResumed == true)
    }
}
