// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLabTesting
import Countersign
import Synchronization
import Testing
import X509

@testable import ChallengeLab

@Suite("Labs that stop by themselves") struct LabTraitTests {
    private struct Failure: Error, Equatable {}

    /// A possible end of a closure that uses a lab.
    enum Termination: CaseIterable {
        case value, error, cancellation

        @Sendable func occur() async throws {
            switch self {
            case .value: break
            case .error: throw Failure()
            case .cancellation: try await Task.sleep(for: .seconds(600))
            }
        }
    }

    /// Checks that no server of a lab accepts a connection.
    private func expectStopped(_ lab: Lab) async {
        // Another program may have got the port, but then the lab counts no connection.
        _ = await RawConnection.isOpen(lab[.plainHTTP].port, at: "127.0.0.1")
        #expect(lab.connectionCount(.plainHTTP) == 0)
    }

    @Test("The servers stop after a value, an error and a cancellation", arguments: Termination.allCases)
    func closure(termination: Termination) async throws {
        let (labs, started) = AsyncStream.makeStream(of: Lab.self)
        let task = Task {
            try await Lab.withServers([.plainHTTP]) { lab in
                started.yield(lab)
                try await termination.occur()
                return lab[.plainHTTP].port
            }
        }
        let lab = try #require(await labs.first { _ in true })
        if termination == .cancellation { task.cancel() }
        switch (termination, await task.result) {
        case (.value, .success(lab[.plainHTTP].port)): break
        case (.error, .failure(is Failure)), (.cancellation, .failure(is CancellationError)): break
        case (_, let result): Issue.record("unexpected: \(result)")
        }
        await expectStopped(lab)
    }

    @MainActor @Test("A closure on an actor can use the state of the actor") func isolation() async throws {
        var ports: [Int] = []
        let port = try await Lab.withServers([.plainHTTP]) { lab in
            ports.append(lab[.plainHTTP].port)
            return lab[.plainHTTP].port
        }
        #expect(ports == [port])
    }

    @Test("The trait stops the lab after a success, a failure and a cancellation", arguments: Termination.allCases)
    func trait(termination: Termination) async throws {
        let test = try #require(Test.current)
        let (labs, started) = AsyncStream.makeStream(of: Lab?.self)
        let task = Task {
            try await LabTrait.lab([.plainHTTP]).provideScope(for: test, testCase: nil) {
                started.yield(Lab.current)
                try await termination.occur()
            }
        }
        let lab = try #require(await labs.first { _ in true } ?? nil)
        if termination == .cancellation { task.cancel() }
        let result = await task.result
        #expect(((try? result.get()) != nil) == (termination == .value))
        await expectStopped(lab)
        #expect(Lab.current == nil)
    }

    @Suite("The tests of a suite share one lab", .lab([.plainHTTP])) struct SharedLabTests {
        private static let authorities = Mutex<Set<Certificate>>([])

        @Test("The lab is the same in every case", arguments: 0..<3) func same(_: Int) throws {
            let lab = try #require(Lab.current)
            #expect(lab.servers.map(\.kind) == [.plainHTTP])
            let count = Self.authorities.withLock { authorities in
                authorities.insert(lab.authority)
                return authorities.count
            }
            #expect(count == 1)
        }

        private static let caseAuthorities = Mutex<Set<Certificate>>([])

        @Test("A test's trait starts a lab for each case instead", .lab([.expired]), arguments: 0..<3)
        func cases(_: Int) throws {
            let lab = try #require(Lab.current)
            #expect(lab.servers.map(\.kind) == [.expired])
            #expect(Self.caseAuthorities.withLock { $0.insert(lab.authority).inserted })
        }
    }

    // The samples of the article.

    @Test("An expired certificate is refused", .lab([.expired])) func expired() async throws {
        let lab = try #require(Lab.current)
        let session = HTTPSession(trust: TrustPolicy(anchors: .only([lab.authority])))
        await #expect(throws: SessionError.self) { try await session.get(lab.url(.expired)) }
        await session.close()
    }

    @Suite("The client", .lab) struct ClientTests {
        @Test("The client gets the resource", arguments: [LabServer.Kind.goodHTTPS, .plainHTTP])
        func delivered(kind: LabServer.Kind) async throws {
            let lab = try #require(Lab.current)
            let session = HTTPSession(trust: TrustPolicy(anchors: .only([lab.authority])))
            #expect(try await session.get(lab.url(kind)).text() == "Countersign lab\n")
            await session.close()
        }
    }
}
