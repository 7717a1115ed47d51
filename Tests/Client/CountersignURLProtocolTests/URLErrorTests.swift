// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import ChallengeLab
    import Countersign
    import ErrorExplanations
    import Foundation
    import FoundationNetworking
    import Testing

    @testable import CountersignURLProtocol

    @Suite struct URLErrorTests {
        @Test(
            "A task fails with the code that URLSession uses, the explanation and the original error",
            arguments: [
                (LabServer.Kind.selfSigned, URLError.Code.serverCertificateHasUnknownRoot),
                (.unknownRoot, .serverCertificateHasUnknownRoot),
                (.expired, .serverCertificateHasBadDate),
                (.notYetValid, .serverCertificateNotYetValid),
                (.wrongHost, .serverCertificateUntrusted),
                (.clientCertificateRequired, .clientCertificateRequired),
                (.closed, .networkConnectionLost),
                (.truncatedBody, .networkConnectionLost),
                (.truncatedGzip, .cannotDecodeContentData),
                (.twoLengths, .cannotParseResponse),
            ] as [(LabServer.Kind, URLError.Code)])
        func code(kind: LabServer.Kind, code: URLError.Code) async throws {
            try await withURLSession([kind]) { session, lab async throws in
                let url = try lab[kind].resource()
                let thrown = await #expect(throws: URLError.self) { try await session.data(from: url) }
                let error = try #require(thrown)
                #expect(error.code == code)
                let original = try #require(error.userInfo[NSUnderlyingErrorKey] as? SessionError)
                if let cause = lab[kind].failureCode { #expect(original.code == cause) }
                #expect(error.localizedDescription == original.explanation.text)
                #expect(error.failingURL == url)
            }
        }

        @Test("A host that refuses the connection is reported") func refused() async throws {
            try await withURLSession([.plainHTTP]) { session, _ async throws in
                // Another test may have a server at any free port, but none at this privileged one.
                LabProtocol.use(HTTPSession(), for: [1])
                let url = try #require(URL(string: "http://localhost:1/"))
                let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
                #expect(error?.code == .cannotConnectToHost)
            }
        }

        @Test("Every error of a session has a code", arguments: SessionError.examples)
        func everyError(error: SessionError) {
            #expect(URLError.Code(error) != .unknown)
        }

        @Test("The URL of an error has no password") func password() throws {
            let url = try #require(URL(string: "http://mary:secret@a.test/b"))
            let error = URLError(CancellationError(), for: url)
            #expect(error.code == .cancelled)
            #expect(error.failingURL?.absoluteString == "http://a.test/b")
            #expect(!"\(error.userInfo)".contains("secret"))
        }
    }

    @Suite struct TaskPartsTests {
        /// A later Foundation with other parts fails here, and at run time with an error before the request.
        @Test("This version of Foundation has the parts of a task that the protocol reads") func parts() async throws {
            try await withURLSession([.plainHTTP]) { session, lab async throws in
                let url = try lab[.plainHTTP].resource()
                #expect(try await session.data(from: url).0 == Data("Countersign lab\n".utf8))
            }
        }
    }

    @Suite("A program written for URLSession") struct SessionManagerTests {
        @Test("It uploads, downloads with progress, decodes, answers challenges and cancels")
        func program() async throws {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [LabProtocol.self]
            let manager = SessionManager(configuration: configuration, user: .lab)
            try await withURLSession([.digestSHA256, .slowBody]) { _, lab async throws in
                let session = manager.start()
                defer { session.invalidateAndCancel() }
                let server = lab[.digestSHA256]
                struct Catalogue: Decodable { let servers: [Server] }
                struct Server: Decodable { let name: String }
                let catalogue = try await manager.get(
                    Catalogue.self, server.resource("/catalogue.json"), in: session)
                #expect(catalogue.servers.map(\.name).contains("digest-sha-256"))

                let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                try Data(count: 100_000).write(to: file)
                let echo = try await manager.upload(file, to: server.resource("/echo"), in: session)
                #expect(echo.hasSuffix("100000 bytes\n"))

                let (progress, report) = AsyncStream.makeStream(of: Double.self)
                let download = try await manager.download(server.resource("/bytes/5000000"), in: session) {
                    report.yield($0)
                }
                report.finish()
                let downloaded = try #require(download)
                #expect(try Data(contentsOf: downloaded).count == 5_000_000)
                let last = await progress.reduce(0) { max($0, $1) }
                #expect(last == 1)

                let slow = try lab[.slowBody].resource()
                let task = Task { try await manager.download(slow, in: session) { _ in } }
                try await Task.sleep(for: .milliseconds(200))
                task.cancel()
                let error = await #expect(throws: URLError.self) { try await task.value }
                #expect(error?.code == .cancelled)
            }
        }
    }
#endif
