// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import EssentialFoundation
import Identities
import NIOCore
import TLSRecipes
import TLSServer
import TLSTransport
import Testing
import TrustRecipes
import X509

@Suite struct TLSResumptionTests {
    /// Makes a connection, and returns its sessions.
    private func sessions(
        _ library: TLSLibrary, _ context: TLSServerContext, resuming session: TLSSession? = nil
    ) throws -> [TLSSession] {
        let exchange = try Exchange(.init(serverName: "a.test", library: library), context, resuming: session)
        exchange.run()
        exchange.reply([1])
        #expect(exchange.facts?.isResumed == (session != nil))
        return exchange.sessions
    }

    @Test("A resumption asks for trust in the stored certificates", arguments: Variant.all)
    func resumption(variant: Variant) throws {
        let context = try TLSServerContext(
            .init(versions: variant.versions, staple: [1, 2], timestamps: [0, 3, 0, 1, 7]))
        let session = try #require(try sessions(variant.library, context).first)
        #expect(session.isSingleUse == (variant.version == .tls13))
        #expect(session.expiry > 1_700_000_000)
        for answersLate in [false, true] {
            let exchange = try Exchange(variant.settings(serverName: "a.test"), context, resuming: session)
            exchange.answersLate = answersLate
            exchange.run()
            #expect(exchange.facts?.isResumed == true)
            #expect(exchange.facts?.version == variant.version)
            let credentials = try #require(exchange.credentials.first)
            #expect(exchange.credentials.count == 1)
            #expect(credentials.chain == (try TLSServerContext.identity.chain.map { try $0.bytes() }))
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
        "A session's certificates that are no longer trusted end the resumption", arguments: Variant.all)
    func distrust(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions))
        let session = try sessions(variant.library, context).first
        let exchange = try Exchange(variant.settings(serverName: "a.test"), context, resuming: session)
        exchange.verify = { $0.isResumption ? .certificateRevoked : nil }
        exchange.run()
        #expect(exchange.failure == .refused(.certificateRevoked))
        #expect(exchange.server.alerts == [.certificateRevoked])
        #expect(exchange.facts == nil)
    }

    @Test("A server that does not know the session makes a full handshake", arguments: Variant.all)
    func foreignSession(variant: Variant) throws {
        let settings = TLSServerContext.Settings(versions: variant.versions)
        let session = try sessions(variant.library, TLSServerContext(settings)).first
        let exchange = try Exchange(
            variant.settings(serverName: "a.test"), TLSServerContext(settings), resuming: session)
        exchange.run()
        #expect(exchange.facts?.isResumed == false)
        #expect(exchange.credentials.map(\.isResumption) == [false])
    }

    @Test("A session of another version is not resumed", arguments: TLSLibrary.available)
    func otherVersion(library: TLSLibrary) throws {
        let context = try TLSServerContext(.init())
        let session = try #require(try sessions(library, context).first)
        let exchange = try Exchange(
            .init(serverName: "a.test", versions: .tls12 ... .tls12, library: library), context, resuming: session)
        exchange.run()
        #expect(exchange.facts?.isResumed == false)
        #expect(exchange.facts?.version == .tls12)
    }

    @Test("A resumption in TLS 1.3 yields new sessions, and in TLS 1.2 none", arguments: Variant.all)
    func newSessions(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions))
        let session = try #require(try sessions(variant.library, context).last)
        #expect(
            try sessions(variant.library, context, resuming: session).isEmpty == (variant.version == .tls12))
    }

    @Test("A server without tickets in TLS 1.3 yields no session", arguments: TLSLibrary.available)
    func noTickets(library: TLSLibrary) throws {
        let context = try TLSServerContext(.init(versions: .tls13 ... .tls13, sendsTickets: false))
        #expect(try sessions(library, context).isEmpty)
    }

    @Test(
        "A session is not valid longer than its ticket, and at most seven days", arguments: TLSLibrary.available,
        [0, 1, 3_600, 604_800, 604_801, .max] as [UInt32])
    func ticketLifetime(library: TLSLibrary, lifetime: UInt32) throws {
        let ticket = ServerScript.integer(Int(lifetime), octets: 4) + ServerScript.ticket13(1).dropFirst(4)
        let exchange = try ScriptedExchange(
            ServerScript.tls13().appending(.message(4, ticket)), TLSClientSettings(serverName: nil, library: library))
        let start = UInt64(Date().timeIntervalSince1970)
        exchange.run()
        let expiry = try #require(exchange.sessions.first).expiry
        let end = UInt64(Date().timeIntervalSince1970)
        #expect(expiry <= end + min(UInt64(lifetime), 604_800))
        #expect(expiry >= start + min(UInt64(lifetime), 3_600))
    }

    @Test("A session is independent of its connection", arguments: Variant.all)
    func lifetime(variant: Variant) throws {
        let context = try TLSServerContext(.init(versions: variant.versions))
        var exchange: Exchange? = try Exchange(variant.settings(serverName: "a.test"), context)
        exchange?.run()
        exchange?.reply([1])
        let session = try #require(exchange?.sessions.first)
        exchange = nil
        let resumed = try Exchange(variant.settings(serverName: "a.test"), context, resuming: session)
        resumed.run()
        #expect(resumed.facts?.isResumed == true)
    }

    @Test("A session is resumed by its library alone", arguments: Variant.all, TLSLibrary.available)
    func otherLibrary(variant: Variant, library: TLSLibrary) throws {
        let context = try TLSServerContext(.init(versions: variant.versions))
        let session = try #require(try sessions(variant.library, context).first)
        let exchange = try Exchange(.init(serverName: "a.test", library: library), context, resuming: session)
        exchange.run()
        #expect(exchange.facts?.isResumed == (library == variant.library))
    }
}
