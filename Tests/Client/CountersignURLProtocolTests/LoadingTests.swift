// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import ChallengeLab
    import Countersign
    import CountersignURLProtocol
    import Dispatch
    import Foundation
    import FoundationNetworking
    import NIOConcurrencyHelpers
    import Testing

    /// The loading methods of URLSession, each against real servers.
    @Suite struct LoadingTests {
        /// The ways in which a program receives a body.
        enum Receiver: CaseIterable {
            case asyncData, asyncDownload, dataHandler, downloadHandler, dataDelegate, downloadDelegate

            func load(_ url: URL, in session: URLSession, _ delegate: RecordingDelegate) async throws -> Data {
                switch self {
                case .asyncData: return try await session.data(from: url).0
                case .asyncDownload: return try Self.contents(of: try await session.download(from: url).0)
                case .dataHandler:
                    return try await withCheckedThrowingContinuation { continuation in
                        session.dataTask(with: url) { body, _, error in
                            if let error { return continuation.resume(throwing: error) }
                            continuation.resume(returning: body ?? Data())
                        }.resume()
                    }
                case .downloadHandler:
                    return try await withCheckedThrowingContinuation { continuation in
                        session.downloadTask(with: url) { file, _, error in
                            continuation.resume(
                                with: Result {
                                    if let error { throw error }
                                    return try Self.contents(of: try #require(file))
                                })
                        }.resume()
                    }
                case .dataDelegate:
                    let record = await delegate.run(session.dataTask(with: url))
                    #expect(record.error == nil)
                    #expect(record.partCount > 1)
                    return record.body
                case .downloadDelegate:
                    let record = await delegate.run(session.downloadTask(with: url))
                    #expect(record.error == nil)
                    #expect(record.written.count > 1)
                    #expect(record.written == record.written.sorted())
                    return try #require(record.file)
                }
            }

            private static func contents(of file: URL) throws -> Data {
                defer { try? FileManager.default.removeItem(at: file) }
                return try Data(contentsOf: file)
            }
        }

        @Test("Each kind of task receives 10 MB from a server of a private authority", arguments: Receiver.allCases)
        func download(receiver: Receiver) async throws {
            let delegate = RecordingDelegate()
            try await withURLSession([.goodHTTPS], delegate: delegate) { session, lab async throws in
                let body = try await receiver.load(lab[.goodHTTPS].resource("/bytes/10000000"), in: session, delegate)
                #expect(body == Data(count: 10_000_000))
            }
        }

        @Test("A download handler receives an empty file for an empty body") func emptyDownload() async throws {
            try await withURLSession([.plainHTTP]) { session, lab async throws in
                let (file, response) = try await session.download(from: lab[.plainHTTP].resource("/bytes/0"))
                #expect(try Data(contentsOf: file).isEmpty)
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
                try FileManager.default.removeItem(at: file)
            }
        }

        /// The ways in which a program sends a body.
        enum Sender: CaseIterable {
            case httpBody, httpBodyStream, data, file, delegateStream

            func task(_ request: URLRequest, _ body: Data, in session: URLSession) throws -> URLSessionTask {
                var request = request
                switch self {
                case .httpBody:
                    request.httpBody = body
                    return session.dataTask(with: request)
                case .httpBodyStream:
                    request.httpBodyStream = InputStream(data: body)
                    return session.dataTask(with: request)
                case .data: return session.uploadTask(with: request, from: body)
                case .file:
                    let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
                    try body.write(to: file)
                    return session.uploadTask(with: request, fromFile: file)
                case .delegateStream: return session.uploadTask(withStreamedRequest: request)
                }
            }
        }

        @Test(
            "Each kind of body arrives completely, also at a server that challenges first", arguments: Sender.allCases,
            [LabServer.Kind.goodHTTPS, .digestSHA256])
        func upload(sender: Sender, kind: LabServer.Kind) async throws {
            let body = Data((0..<3_000_000).map { UInt8(truncatingIfNeeded: $0) })
            let delegate = RecordingDelegate(credential: .lab, stream: body)
            try await withURLSession([kind], delegate: delegate) { session, lab async throws in
                var request = URLRequest(url: try lab[kind].resource("/echo"))
                request.httpMethod = "PUT"
                let record = await delegate.run(try sender.task(request, body, in: session))
                #expect(record.error == nil)
                #expect(String(decoding: record.body, as: UTF8.self).hasSuffix("\n3000000 bytes\n"))
                #expect(record.sent.last == 3_000_000)
                #expect(record.sent.count > 1)
            }
        }

        @Test("A body whose second stream no delegate provides fails with an explanation") func missingStream()
            async throws
        {
            let delegate = RecordingDelegate(credential: .lab)
            try await withURLSession([.basic], delegate: delegate) { session, lab async throws in
                var request = URLRequest(url: try lab[.basic].resource("/echo"))
                request.httpMethod = "PUT"
                request.httpBodyStream = InputStream(data: Data("body".utf8))
                let record = await delegate.run(session.dataTask(with: request))
                #expect(record.error?.code == .requestBodyStreamExhausted)
                #expect(record.error?.localizedDescription.contains("needNewBodyStream") == true)
            }
        }

        @Test("The delegate of an async method sees the progress and the parts") func ownProgress() async throws {
            let (upload, download) = (RecordingDelegate(), RecordingDelegate())
            try await withURLSession([.plainHTTP]) { session, lab async throws in
                var request = URLRequest(url: try lab[.plainHTTP].resource("/echo"))
                request.httpMethod = "PUT"
                let body = try await session.upload(for: request, from: Data("abc".utf8), delegate: upload).0
                let file = try await session.download(
                    from: lab[.plainHTTP].resource("/bytes/100"), delegate: download
                ).0
                try FileManager.default.removeItem(at: file)
                // The URL session calls delegates in this queue.
                await withCheckedContinuation { idle in session.delegateQueue.addOperation { idle.resume() } }
                #expect(upload.seen.sent == [3])
                #expect(upload.seen.response?.statusCode == 200)
                #expect(!body.isEmpty && upload.seen.body == body)
                #expect(download.seen.written.last == 100)
            }
        }

        @Test("A POST request has the fields of the request and of the configuration") func fields() async throws {
            try await withURLSession(
                [.plainHTTP], configure: { $0.httpAdditionalHeaders = ["X-First": "1", "X-Second": "1"] }
            ) { session, lab async throws in
                var request = URLRequest(url: try lab[.plainHTTP].resource("/echo"))
                request.httpMethod = "POST"
                request.httpBody = Data("a=b".utf8)
                request.setValue("2", forHTTPHeaderField: "X-Second")
                let echo = String(decoding: try await session.data(for: request).0, as: UTF8.self)
                for line in [
                    "POST /echo\n", "X-First: 1\n", "X-Second: 2\n",
                    "Content-Type: application/x-www-form-urlencoded\n", "\n3 bytes\n",
                ] {
                    #expect(echo.contains(line))
                }
            }
        }

        @Test(
            "Responses without a body end the task",
            arguments: [
                ("GET", "/status/204", 204), ("GET", "/status/304", 304), ("GET", "/bytes/0", 200),
                ("HEAD", "/bytes/5", 200),
            ])
        func noBody(method: String, path: String, status: Int) async throws {
            let delegate = RecordingDelegate()
            try await withURLSession([.plainHTTP], delegate: delegate) { session, lab async throws in
                var request = URLRequest(url: try lab[.plainHTTP].resource(path))
                request.httpMethod = method
                let (body, response) = try await session.data(for: request)
                #expect(body.isEmpty)
                #expect((response as? HTTPURLResponse)?.statusCode == status)
                // Foundation itself does not call the data delegate without data.
                let record = await delegate.run(session.dataTask(with: request))
                #expect(record.response?.statusCode == status)
                #expect(record.partCount == 0)
            }
        }

        @Test("A compressed body arrives decoded") func compression() async throws {
            try await withURLSession([.gzip]) { session, lab async throws in
                let (body, response) = try await session.data(from: lab[.gzip].resource())
                #expect(String(decoding: body, as: UTF8.self) == "Countersign lab\n")
                #expect(response.expectedContentLength == -1)
            }
        }

        @Test("200 tasks of one session load at the same time") func concurrency() async throws {
            try await withURLSession([.goodHTTPS]) { session, lab async throws in
                let url = try lab[.goodHTTPS].resource("/bytes/10000")
                try await withThrowingTaskGroup(of: Int.self) { group in
                    for _ in 0..<200 { group.addTask { try await session.data(from: url).0.count } }
                    for try await count in group { #expect(count == 10_000) }
                }
            }
        }

        @Test("A suspended task goes on where it stopped") func suspension() async throws {
            let partCount = NIOLockedValueBox(0)
            let delegate = RecordingDelegate(received: { task in
                let number = partCount.withLockedValue { count in
                    count += 1
                    return count
                }
                guard number == 1 else { return }
                task.suspend()
                DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(100)) { task.resume() }
            })
            try await withURLSession([.slowBody], delegate: delegate) { session, lab async throws in
                let record = await delegate.run(session.dataTask(with: try lab[.slowBody].resource()))
                #expect(record.error == nil)
                #expect(record.body.count == 15_000)
            }
        }

        @Test("A task that is cancelled in the middle of a body closes its connection") func cancellation() async throws
        {
            let delegate = RecordingDelegate(received: { $0.cancel() })
            let server = try await ScriptedServer.start { _ in
                .init(.ok, body: [UInt8](repeating: 0, count: 50_000_000))
            }
            try await withURLSession(to: server, delegate: delegate) { session, url async throws in
                let record = await delegate.run(session.dataTask(with: url))
                #expect(record.error?.code == .cancelled)
                #expect(record.body.count < 50_000_000)
                while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
            }
        }

        @Test("Cancelling the Swift task of an async method cancels the request") func taskCancellation() async throws {
            let server = try await ScriptedServer.start { _ in .silence }
            try await withURLSession(to: server) { session, url async throws in
                let task = Task { try await session.data(from: url) }
                while server.requestCount == 0 { try await Task.sleep(for: .milliseconds(10)) }
                task.cancel()
                await #expect(throws: URLError.self) { try await task.value }
                while server.openConnectionCount > 0 { try await Task.sleep(for: .milliseconds(10)) }
            }
        }

        @Test(
            "A silent server ends the task after the timeout of the request or the configuration", arguments: [0, 1, 2])
        func timeout(place: Int) async throws {
            // After a redirect, the total timeout is still the one that was set.
            let server = try await ScriptedServer.start { request in
                request.head.path == "/" ? .init(.found, [.location: "/b"]) : .silence
            }
            try await withURLSession(
                to: server,
                configure: {
                    if place == 1 { $0.timeoutIntervalForRequest = 0.2 }
                    if place == 2 { $0.timeoutIntervalForResource = 0.2 }
                }
            ) { session, url async throws in
                var request = URLRequest(url: url)
                if place == 0 { request.timeoutInterval = 0.2 }
                let error = await #expect(throws: URLError.self) { try await session.data(for: request) }
                #expect(error?.code == .timedOut)
                #expect(error?.localizedDescription.contains(" 200 milliseconds") == true)
            }
        }

        @Test(
            "A timeout of the URL session replaces a shorter idle timeout of the session, and 0 is none",
            arguments: [30, 0])
        func longTimeout(seconds: TimeInterval) async throws {
            try await withURLSession(
                [.slowBody], change: { configuration, _ in configuration.idleTimeout = .milliseconds(1) },
                configure: { if seconds == 0 { $0.timeoutIntervalForResource = 0 } }
            ) { session, lab async throws in
                let request = URLRequest(url: try lab[.slowBody].resource(), timeoutInterval: seconds)
                #expect(try await session.data(for: request).0.count == 15_000)
            }
        }

        @Test("A class without a session fails each task, and no other protocol sends its request") func noSession()
            async throws
        {
            let configuration = URLSessionConfiguration.ephemeral
            configuration.protocolClasses = [SessionURLProtocol.self] + (configuration.protocolClasses ?? [])
            let session = URLSession(configuration: configuration)
            let url = try #require(URL(string: "http://localhost:1/"))
            let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
            #expect(error?.code == .resourceUnavailable)
            #expect(error?.localizedDescription.contains("session(for:)") == true)
            session.invalidateAndCancel()
        }
    }

    extension URLCredential {
        /// The user and the password of the lab.
        static var lab: URLCredential {
            URLCredential(user: Lab.credentials.user, password: Lab.credentials.password, persistence: .forSession)
        }
    }
#endif
