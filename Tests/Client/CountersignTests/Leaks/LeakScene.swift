// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import CertificateTrust
import ChallengeLab
import Challenges
import HTTPTypes
import Identities
import NIOConcurrencyHelpers
import NIOCore
import TestServer
import Testing
import X509
@testable import Countersign
import EssentialFoundation

/// Servers that record all received bytes, and sessions that record all output.
final class LeakScene: Sendable {
    private struct State {
        var received: [ByteObserver.Layer: [Place: [UInt8]]] = [:]
        var printed: [String] = []
        var servers: [ScriptedServer] = []
        var sessions: [HTTPSession] = []
    }

    private let state = NIOLockedValueBox(State())
    private let lines = LogLines()
    let authority: CertificateAuthority

    init() throws {
        authority = try CertificateAuthority(name: "Leak Root", now: Date())
    }

    // MARK: Servers

    /// Returns a server identity for every name that a row uses.
    func identity(names: [String] = ["localhost", "127.0.0.1"]) throws -> Identity {
        try authority.issue(.server(names: names), now: Date())
    }

    func serve(
        _ party: Place.Party, isSecure: Bool = false, presenting identity: Identity? = nil,
        naming authorities: [Certificate]? = nil, behind gate: (any LabGate)? = nil, _ reply: @escaping LeakServer.Reply
    ) async throws -> LeakServer {
        let identity = try identity ?? (isSecure ? self.identity() : nil)
        let server = try await ScriptedServer.start(
            presenting: identity, naming: authorities, behind: gate, before: byteObserver(party), reply)
        return keep(server, isSecure: isSecure)
    }

    func proxy(
        _ party: Place.Party = .proxy, isSecure: Bool = false, behind gate: (any LabGate)? = nil
    ) async throws -> LeakServer {
        let server = try await ScriptedServer.startProxy(
            presenting: isSecure ? identity() : nil, behind: gate, before: byteObserver(party))
        return keep(server, isSecure: isSecure)
    }

    /// Starts a SOCKS proxy, which also records the bytes that it forwards.
    func socks(_ party: Place.Party = .proxy, behind gate: SOCKSGate = .anyLogin) async throws -> ScriptedServer {
        let server = try await ScriptedServer.startSOCKS(behind: gate, before: byteObserver(party))
        return keep(server, isSecure: false).server
    }

    private func keep(_ server: ScriptedServer, isSecure: Bool) -> LeakServer {
        state.withLockedValue { $0.servers.append(server) }
        return LeakServer(server: server, isSecure: isSecure)
    }

    private func byteObserver(_ party: Place.Party) -> ByteObserver {
        ByteObserver { [state] layer, connection, bytes in
            let place = Place(party: party, connection: connection)
            state.withLockedValue { $0.received[layer, default: [:]][place, default: []] += bytes.readableBytesView }
        }
    }

    // MARK: Sessions

    /// Returns a session that trusts the scene's authority and records its log and events.
    func session(
        _ handlers: ChallengeHandlers = [:], proxy: Proxy? = nil,
        _ change: (inout HTTPSession.Configuration) -> Void = { _ in }
    ) -> HTTPSession {
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: .only([authority.certificate])), handlers: handlers, proxy: proxy)
        // If the session refused such redirects, they could not leak anything.
        configuration.allowsRedirectsToPlainHTTP = true
        configuration.logger = lines.logger
        configuration.observer = { [weak self] event in
            self?.print("\(event)")
            self?.print(String(reflecting: event))
        }
        change(&configuration)
        let session = HTTPSession(configuration)
        state.withLockedValue { $0.sessions.append(session) }
        return session
    }

    /// Sends a request, and prints the request and its response or error.
    ///
    /// - Returns: The status of the response, or `nil` after an error.
    @discardableResult
    func send(_ request: SessionRequest, in session: HTTPSession) async -> Int? {
        printAll(of: request)
        do {
            let response = try await session.send(request)
            printAll(of: response)
            _ = try await response.body.collect(upTo: 1 << 20)
            return response.status.code
        } catch {
            printAll(of: error)
            return nil
        }
    }

    @discardableResult
    func get(_ url: String, in session: HTTPSession, _ change: (inout SessionRequest) -> Void = { _ in }) async -> Int?
    {
        var request = SessionRequest(url: url)
        change(&request)
        return await send(request, in: session)
    }

    // MARK: Records

    func received(_ layer: ByteObserver.Layer = .content) -> [Place: [UInt8]] {
        state.withLockedValue { $0.received[layer] ?? [:] }
    }

    /// Returns all content that a place received, as text.
    func text(_ place: Place) -> String {
        let parts = received().filter { place.covers($0.key) }.sorted {
            ($0.key.connection ?? 0) < ($1.key.connection ?? 0)
        }
        return parts.map { String(decoding: $0.value, as: UTF8.self) }.joined()
    }

    var printed: [String] { state.withLockedValue { $0.printed } + lines.all }

    func print(_ text: String) {
        state.withLockedValue { $0.printed.append(text) }
    }

    /// Prints the session's stored credential for a request.
    func printMemory(of session: HTTPSession, for request: SessionRequest) throws {
        let (url, userInfo) = try HTTPURL.parse(request.url)
        let facts = RequestFacts(method: request.method.rawValue, target: url.target)
        let known = session.core.memory.preemptive(
            for: Challenger(origin: url), own: request.credential ?? userInfo?.credential, request: facts)
        printAll(of: try #require(known?.accepted))
    }

    private func printAll(of value: some Any) {
        print("\(value)")
        print(String(reflecting: value))
        var text = ""
        dump(value, to: &text)
        print(text)
    }

    /// Prints the sessions and their memories, and closes the sessions and servers.
    func end() async {
        let (sessions, servers) = state.withLockedValue { ($0.sessions, $0.servers) }
        for session in sessions {
            printAll(of: session)
            printAll(of: session.core.memory)
            await session.close()
        }
        for server in servers { await server.stop() }
    }
}
