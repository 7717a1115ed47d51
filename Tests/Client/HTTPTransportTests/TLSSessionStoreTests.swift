// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import EssentialFoundation
import Identities
import Testing
import TrustRecipes
import X509
@testable import HTTPTransport
@testable import TLSTransport

@Suite struct TLSSessionStoreTests {
    /// Makes a session without a library's object.
    private static func session(isSingleUse: Bool = true, for validity: TimeInterval = 60) -> TLSSession {
        let object = UnsafeMutablePointer<UInt8>.allocate(capacity: 1)
        let expiry = UInt64(Date().timeIntervalSince1970 + validity)
        return TLSSession(OpaquePointer(object), of: .boringSSL, isSingleUse: isSingleUse, expiry: expiry) {
            UnsafeMutablePointer<UInt8>($0).deallocate()
        }
    }

    /// The values of a route, which is a key of the store.
    private struct Values {
        var endpoint = "a.test"
        var destination = "a.test"
        var unixSocket: String?
        var proxy: ProxyServer?
        var usesTunnel = false
        var httpVersions = HTTPVersions.all
        var originTLS = TLSRequirements(trust: TrustPolicy(), versions: .all)
        var proxyTLS: TLSRequirements?
        var partition = 0

        func server() throws -> TLSSessionStore.Server {
            .origin(
                Route(
                    endpoint: HostEndpoint(host: try HostName(endpoint), port: 443),
                    destination: HostEndpoint(host: try HostName(destination), port: 443), unixSocket: unixSocket,
                    proxy: proxy, usesTunnel: usesTunnel, httpVersions: httpVersions, originTLS: originTLS,
                    proxyTLS: proxyTLS, partition: partition))
        }

        static func proxy(
            port: Int = 3128, _ kind: ProxyKind = .https, _ trust: TrustPolicy = TrustPolicy(),
            _ versions: TLSVersions = .all, _ library: ServerPolicy.TLSLibrary = .boringSSL
        ) throws -> TLSSessionStore.Server {
            .proxy(
                ProxyServer(endpoint: HostEndpoint(host: try HostName("a.test"), port: port), kind: kind),
                TLSRequirements(trust: trust, versions: versions, library: library))
        }
    }

    private static func identity(_ name: String) throws -> PresentedIdentity {
        let authority = try TestAuthority(root: .authority(name))
        return .identity(try Identity(chain: [authority.certificate], privateKey: .init(authority.key)))
    }

    @Test("A session is used only if every field of its key is equal")
    func keys() throws {
        let changes: [(inout Values) throws -> Void] = [
            { _ in }, { $0.endpoint = "b.test" }, { $0.destination = "b.test" }, { $0.unixSocket = "/a" },
            { $0.proxy = ProxyServer(endpoint: HostEndpoint(host: try HostName("p.test"), port: 1), kind: .https) },
            { $0.usesTunnel = true }, { $0.httpVersions = .onlyHTTP1 },
            { $0.originTLS = TLSRequirements(trust: TrustPolicy(revocation: .hardFail), versions: .all) },
            { $0.originTLS = TLSRequirements(trust: TrustPolicy(), versions: .onlyTLS13) },
            { $0.proxyTLS = TLSRequirements(trust: TrustPolicy(), versions: .all) }, { $0.partition = 1 },
            { $0.originTLS = TLSRequirements(trust: TrustPolicy(), versions: .all, library: .automatic) },
            { $0.originTLS = TLSRequirements(trust: TrustPolicy(), versions: .all, library: .openSSL) },
            { $0.originTLS = TLSRequirements(trust: TrustPolicy(), versions: .all, allowsLegacy: true) },
            { $0.originTLS = TLSRequirements(trust: TrustPolicy(), versions: .all, usesSystemConfiguration: true) },
        ]
        var keys = try changes.map { change in
            var values = Values()
            try change(&values)
            return try values.server()
        }
        keys += [
            try Values.proxy(), try Values.proxy(port: 3129), try Values.proxy(.http),
            try Values.proxy(.https, TrustPolicy(revocation: .hardFail)),
            try Values.proxy(.https, TrustPolicy(), .onlyTLS12),
            try Values.proxy(.https, TrustPolicy(), .all, .openSSL),
        ]
        let identities = [nil, try Self.identity("one"), try Self.identity("two")]
        for key in keys {
            for identity in identities {
                let store = TLSSessionStore()
                store.add(Self.session(), of: key, identity: identity, request: nil)
                for other in keys {
                    for otherIdentity in identities where other != key || otherIdentity != identity {
                        #expect(store.take(of: other, by: .boringSSL, presenting: otherIdentity) == nil)
                    }
                }
                #expect(store.take(of: key, by: .openSSL, presenting: identity) == nil)
                #expect(store.take(of: key, by: .boringSSL, presenting: identity)?.identity == identity)
            }
        }
    }

    @Test("A session of TLS 1.3 is used once, and one of TLS 1.2 until its handshake fails")
    func singleUse() throws {
        let (store, server) = (TLSSessionStore(), try Values().server())
        store.add(Self.session(), of: server, identity: nil, request: nil)
        #expect(store.take(of: server, by: .boringSSL, presenting: nil) != nil)
        #expect(store.take(of: server, by: .boringSSL, presenting: nil) == nil)
        let session = Self.session(isSingleUse: false)
        store.add(session, of: server, identity: nil, request: nil)
        for _ in 0..<2 { #expect(store.take(of: server, by: .boringSSL, presenting: nil)?.session === session) }
        store.add(Self.session(), of: try Values.proxy(), identity: nil, request: nil)
        store.removeAll(of: server)
        #expect(store.take(of: server, by: .boringSSL, presenting: nil) == nil)
        #expect(store.count == 1)
    }

    @Test("The latest session is used first, and an expired one never")
    func expiry() throws {
        let (store, server) = (TLSSessionStore(), try Values().server())
        let sessions = (0..<2).map { _ in Self.session() }
        for session in sessions + [Self.session(for: -1)] {
            store.add(session, of: server, identity: nil, request: nil)
        }
        #expect(store.take(of: server, by: .boringSSL, presenting: nil)?.session === sessions[1])
        #expect(store.count == 1)
    }

    @Test("The number of sessions is limited, for each server and for all")
    func limits() throws {
        let store = TLSSessionStore()
        for number in 0..<300 {
            let server = try Values.proxy(port: number + 1)
            for _ in 0..<34 { store.add(Self.session(), of: server, identity: nil, request: nil) }
            #expect(store.count == min((number + 1) * 32, 256))
        }
        #expect(store.take(of: try Values.proxy(port: 1), by: .boringSSL, presenting: nil) == nil)
        #expect(store.take(of: try Values.proxy(port: 300), by: .boringSSL, presenting: nil) != nil)
    }
}
