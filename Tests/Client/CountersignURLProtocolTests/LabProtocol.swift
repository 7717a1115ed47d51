// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import ChallengeLab
    import Countersign
    import CountersignURLProtocol
    import Foundation
    import FoundationNetworking
    import Synchronization
    import Testing

    /// A protocol whose session depends on the port of the server, because the tests run at the same time.
    final class LabProtocol: SessionURLProtocol {
        private static let sessions = Mutex<[Int: HTTPSession]>([:])

        static func use(_ session: HTTPSession, for ports: [Int]) {
            sessions.withLock { sessions in for port in ports { sessions[port] = session } }
        }

        override static func session(for task: URLSessionTask) throws -> HTTPSession {
            guard let port = task.originalRequest?.url?.port, let session = sessions.withLock({ $0[port] }) else {
                return try super.session(for: task)
            }
            return session
        }
    }

    /// Calls a closure with a URL session over a session that trusts a lab, and stops the lab afterwards.
    func withURLSession(
        _ kinds: Set<LabServer.Kind>, handlers: ChallengeHandlers = [:], delegate: (any URLSessionDelegate)? = nil,
        change: (inout HTTPSession.Configuration, Lab) throws -> Void = { _, _ in },
        configure: (URLSessionConfiguration) -> Void = { _ in }, _ body: (URLSession, Lab) async throws -> Void
    ) async throws {
        let lab = try await Lab.start(kinds)
        var configuration = HTTPSession.Configuration(
            trust: TrustPolicy(anchors: .only([lab.authority])), handlers: handlers)
        try change(&configuration, lab)
        let session = HTTPSession(configuration)
        LabProtocol.use(session, for: kinds.map { lab[$0].port })
        let urlSession = makeURLSession(delegate: delegate, configure: configure)
        let result: Result<Void, any Error>
        do { result = .success(try await body(urlSession, lab)) } catch { result = .failure(error) }
        urlSession.invalidateAndCancel()
        await session.close()
        try await lab.stop()
        try result.get()
    }

    /// Calls a closure with a URL session and a server, and stops the server afterwards.
    func withURLSession(
        to server: ScriptedServer, delegate: (any URLSessionDelegate)? = nil,
        change: (inout HTTPSession.Configuration) -> Void = { _ in },
        configure: (URLSessionConfiguration) -> Void = { _ in }, _ body: (URLSession, URL) async throws -> Void
    ) async throws {
        var configuration = HTTPSession.Configuration()
        change(&configuration)
        let session = HTTPSession(configuration)
        LabProtocol.use(session, for: [server.port])
        let urlSession = makeURLSession(delegate: delegate, configure: configure)
        let result: Result<Void, any Error>
        do {
            result = .success(try await body(urlSession, try #require(URL(string: "http://localhost:\(server.port)/"))))
        } catch {
            result = .failure(error)
        }
        urlSession.invalidateAndCancel()
        await session.close()
        await server.stop()
        try result.get()
    }

    private func makeURLSession(
        delegate: (any URLSessionDelegate)?, configure: (URLSessionConfiguration) -> Void
    ) -> URLSession {
        let configuration = URLSessionConfiguration.ephemeral
        configuration.protocolClasses = [LabProtocol.self]
        configuration.urlCache = nil
        configure(configuration)
        return URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
    }

    extension LabServer {
        /// Returns the URL of the server, or of another resource of it.
        func resource(_ path: String? = nil) throws -> URL {
            let url = try #require(URL(string: url))
            return try #require(path.map { URL(string: $0, relativeTo: url)?.absoluteURL } ?? url)
        }
    }

    /// A delegate that records its calls, and answers challenges and redirects.
    final class RecordingDelegate: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
        struct Record: Sendable {
            var challenges: [URLAuthenticationChallenge] = []
            var redirects: [URLRequest] = []
            var response: HTTPURLResponse?
            var partCount = 0
            var body = Data()
            var file: Data?
            var sent: [Int64] = []
            var written: [Int64] = []
            var error: URLError?
        }

        private let record = Mutex(Record())
        private let (completions, completion) = AsyncStream.makeStream(of: Void.self)
        private let credential: URLCredential?
        private let disposition: URLSession.AuthChallengeDisposition
        private let redirect: @Sendable (URLRequest) -> URLRequest?
        private let stream: Data?
        private let received: @Sendable (URLSessionTask) -> Void

        init(
            credential: URLCredential? = nil, disposition: URLSession.AuthChallengeDisposition? = nil,
            stream: Data? = nil, redirect: @escaping @Sendable (URLRequest) -> URLRequest? = { $0 },
            received: @escaping @Sendable (URLSessionTask) -> Void = { _ in }
        ) {
            self.credential = credential
            self.disposition = disposition ?? (credential == nil ? .performDefaultHandling : .useCredential)
            (self.stream, self.redirect, self.received) = (stream, redirect, received)
        }

        var seen: Record { record.withLock { $0 } }

        /// Starts a task, and returns the record after its end.
        func run(_ task: URLSessionTask) async -> Record {
            task.resume()
            for await _ in completions { break }
            return seen
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            record.withLock { $0.challenges.append(challenge) }
            completionHandler(disposition, credential)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, willPerformHTTPRedirection response: HTTPURLResponse,
            newRequest request: URLRequest, completionHandler: @escaping @Sendable (URLRequest?) -> Void
        ) {
            record.withLock { $0.redirects.append(request) }
            completionHandler(redirect(request))
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask,
            needNewBodyStream completionHandler: @escaping @Sendable (InputStream?) -> Void
        ) {
            completionHandler(stream.map { InputStream(data: $0) })
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didSendBodyData bytesSent: Int64, totalBytesSent: Int64,
            totalBytesExpectedToSend: Int64
        ) {
            record.withLock { $0.sent.append(totalBytesSent) }
        }

        func urlSession(
            _ session: URLSession, dataTask: URLSessionDataTask, didReceive response: URLResponse,
            completionHandler: @escaping @Sendable (URLSession.ResponseDisposition) -> Void
        ) {
            record.withLock { $0.response = response as? HTTPURLResponse }
            completionHandler(.allow)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            record.withLock { record in
                record.partCount += 1
                record.body += data
            }
            received(dataTask)
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            record.withLock { $0.written.append(totalBytesWritten) }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            let file = try? Data(contentsOf: location)
            try? FileManager.default.removeItem(at: location)
            record.withLock { $0.file = file }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            record.withLock { record in
                record.error = error as? URLError
                record.response = record.response ?? task.response as? HTTPURLResponse
            }
            completion.yield()
        }
    }
#endif
