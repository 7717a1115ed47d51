// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateAuthorities
import ChallengeLab
import Countersign
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers
import NIOCore
import Testing
import TrustRecipes

/// Many parallel requests of several users in one session, some of which are cancelled.
@Suite(.serialized) struct SharingStressTests {
    private static let taskCount = 32
    private static let requestsPerTask = 12

    enum User: CaseIterable, Sendable {
        case mary
        case john
        /// The user of the session's handler.
        case session
        case anonymous

        var name: String? {
            switch self {
            case .mary: PoolScene.mary.user
            case .john: PoolScene.john.user
            case .session: Lab.credentials.user
            case .anonymous: nil
            }
        }

        func request(to url: String, number: String) -> SessionRequest {
            var request = SessionRequest(url: url)
            request.headerFields[.from] = name
            request.headerFields[.subject] = number
            switch self {
            case .mary: request.credential = PoolScene.credential(PoolScene.mary)
            case .john: request.credential = PoolScene.credential(PoolScene.john)
            case .session: break
            case .anonymous: request.headerFields[.authorization] = "Bearer unknown"
            }
            return request
        }
    }

    /// Runs the requests of all tasks and checks that each request that is not cancelled is answered for its user.
    private static func run(
        _ session: HTTPSession, url: String, seed: UInt64, parts: CountedParts.Count
    ) async {
        await withTaskGroup(of: Void.self) { group in
            for task in 0..<taskCount {
                group.addTask {
                    var random = SplitMix64(seed: seed &+ UInt64(task))
                    for turn in 0..<requestsPerTask {
                        guard let user = User.allCases.randomElement(using: &random) else { return }
                        var request = user.request(to: url, number: "\(task).\(turn)")
                        switch Int.random(in: 0..<4, using: &random) {
                        case 0: (request.method, request.body) = (.post, .bytes([1, 2, 3]))
                        case 1:
                            (request.method, request.body) = (
                                .post, .stream(length: 300) { CountedParts(count: parts) }
                            )
                        default: break
                        }
                        let timeout = Bool.random(using: &random) ? Int.random(in: 0..<20_000, using: &random) : nil
                        await send(request, over: session, as: user, cancelledAfter: timeout)
                    }
                }
            }
        }
    }

    private static func send(
        _ request: SessionRequest, over session: HTTPSession, as user: User, cancelledAfter timeout: Int?
    ) async {
        let sending = Task {
            let response = try await session.send(request)
            // A body that stays unread is part of the test.
            if request.method != .post { _ = try await response.body.collect(upTo: 1 << 16) }
            return response.status.code
        }
        if let timeout {
            try? await Task.sleep(for: .microseconds(timeout))
            sending.cancel()
        }
        do {
            let status = try await sending.value
            #expect(status == (user == .anonymous ? 401 : 200))
        } catch {
            #expect(timeout != nil && error is CancellationError, "\(user), \(request.method), \(error)")
        }
    }

    @Test("No request uses another user's connection", arguments: [1, 2, 3] as [UInt64])
    func users(seed: UInt64) async throws {
        let authority = try CertificateAuthority(name: "Stress Root", now: Date())
        let identity = try authority.issue(.server(names: ["localhost"]), now: Date())
        let gate = OwnerGate(
            try NTLMTerms(
                accepted: [Lab.credentials, PoolScene.mary, PoolScene.john], boundTo: identity.certificate))
        let server = try await ScriptedServer.start(presenting: identity, behind: gate) { _ in .init(.ok, body: "in") }
        let session = HTTPSession(
            .init(
                trust: TrustPolicy(anchors: .only([authority.certificate])),
                handlers: [.ntlm: .closure { _ in .use(PoolScene.credential(Lab.credentials)) }]))
        let parts = CountedParts.Count()
        await Self.run(session, url: "https://localhost:\(server.port)/", seed: seed, parts: parts)
        #expect(gate.violations == [])
        #expect(gate.acceptedCount > Self.taskCount)
        await session.close()
        #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) left open")
        #expect(await eventually { parts.isZero })
        await server.stop()
    }

    @Test("No nonce count is used twice", arguments: [1, 2, 3] as [UInt64])
    func nonceCounts(seed: UInt64) async throws {
        let seen = NIOLockedValueBox<(counts: Set<String>, repeated: [String], total: Int)>(([], [], 0))
        let server = try await ScriptedServer.start { request in
            guard let answer = request.head.headerFields[.authorization], answer.hasPrefix("Digest ") else {
                return .init(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=n0, qop=auth"])
            }
            let fields = answer.dropFirst(7).split(separator: ",").map { $0.drop { $0 == " " } }
            let counted = fields.filter { $0.hasPrefix("nonce=") || $0.hasPrefix("nc=") }.sorted().joined(
                separator: " ")
            let total = seen.withLockedValue { seen in
                if !seen.counts.insert(counted).inserted { seen.repeated.append(counted) }
                seen.total += 1
                return seen.total
            }
            // After some requests the server declares the nonce stale or sends a nextnonce.
            switch total % 50 {
            case 0:
                return .init(.unauthorized, [.wwwAuthenticate: "Digest realm=r, nonce=n\(total), qop=auth, stale=true"])
            case 25: return .init(.ok, [.authenticationInfo: "nextnonce=\"n\(total)\""], body: "in")
            default: return .init(.ok, body: "in")
            }
        }
        let session = HTTPSession(
            .init(handlers: [.digest: .closure { _ in .use(PoolScene.credential(Lab.credentials)) }]))
        let parts = CountedParts.Count()
        await Self.run(
            session, url: "http://localhost:\(server.port)/", seed: seed, parts: parts)
        #expect(seen.withLockedValue(\.repeated) == [])
        #expect(seen.withLockedValue(\.total) > Self.taskCount)
        await session.close()
        #expect(await eventually { server.openConnectionCount == 0 }, "\(server.openConnectionCount) left open")
        #expect(await eventually { parts.isZero })
        await server.stop()
    }
}
