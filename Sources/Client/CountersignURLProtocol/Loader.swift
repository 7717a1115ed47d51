// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import Countersign
    import Foundation
    import FoundationNetworking
    import NIOConcurrencyHelpers
    import NIOCore

    /// Loads the request of one task, and passes the response to the client of its protocol.
    ///
    /// Its executor is the queue of the task, on which Foundation starts and stops protocols and keeps its registry of
    /// tasks. A client that is called on another thread races with that registry, and one that is called after the end
    /// of the task traps.
    actor Loader {
        private nonisolated let executor: QueueExecutor
        nonisolated var unownedExecutor: UnownedSerialExecutor { executor.asUnownedSerialExecutor() }

        let task: URLSessionTask
        let parts: TaskParts
        let session: HTTPSession
        /// The protocol of the task; `nil` after the end.
        private var urlProtocol: URLProtocol?
        private var loading: Task<Void, Never>?
        private var watchdog: Task<Void, Never>?
        /// The last time at which something was sent, received or answered.
        private var lastActivity = ContinuousClock.now
        private var questionCount = 0
        private var isSuspended = false
        private var resumption: CheckedContinuation<Void, Never>?
        /// The streams of the body that were sent.
        private var streamCount = 0
        private var sentCount: Int64 = 0

        /// Creates a loader in the state before the start; called on the queue of the task.
        init(_ urlProtocol: sending URLProtocol, _ task: URLSessionTask, _ parts: TaskParts, _ session: HTTPSession) {
            (self.task, self.parts, self.session) = (task, parts, session)
            executor = QueueExecutor(parts.queue)
            self.urlProtocol = urlProtocol
        }

        // MARK: Called by the protocol, on the queue of the task

        nonisolated func start() {
            assumeIsolated { loader in
                loader.loading = Task { await loader.load() }
                loader.watchdog = Task { await loader.watch() }
            }
        }

        /// Stops calling the client; Foundation ends the task itself.
        nonisolated func cancel() { assumeIsolated { $0.end() } }

        nonisolated func suspend() { assumeIsolated { $0.isSuspended = true } }

        nonisolated func resume() {
            assumeIsolated { loader in
                loader.isSuspended = false
                loader.lastActivity = .now
                loader.resumption?.resume()
                loader.resumption = nil
            }
        }

        // MARK: Loading

        private func load() async {
            do {
                try await deliver(try await send())
            } catch SessionError.limit(.timedOut(let peer, .total, _, let setting)) {
                // After a redirect, the session had only the remaining time.
                fail(with: SessionError.limit(.timedOut(peer, .total, after: resourceTimeout, setting: setting)))
            } catch {
                fail(with: error)
            }
        }

        /// Sends the request, and further ones for redirects.
        ///
        /// - Returns: The response to the last request, whose body has yet to be read.
        private func send() async throws -> SessionResponse {
            guard var urlRequest = task.originalRequest else { throw URLError(.badURL) }
            addAdditionalFields(to: &urlRequest)
            let length = urlRequest.value(forHTTPHeaderField: "Content-Length").flatMap(Int.init)
            var request = try SessionRequest(
                urlRequest, body: try body(length: length), excluding: SessionRequest.connectionFields)
            let deadline = ContinuousClock.now + resourceTimeout
            let (firstURL, limit) = (Redaction.url(request.url), session.configuration.redirectLimit)
            var redirectCount = 0
            while true {
                let seen = NIOLockedValueBox<SessionRedirect?>(nil)
                let decide = session.configuration.redirectDecision
                // The redirect is delivered to this loop, which asks the delegate with the fields of the response.
                request.redirectDecision = { redirect in
                    if let decision = try await decide?(redirect), decision != .follow { return decision }
                    seen.withLockedValue { $0 = redirect }
                    return .deliver
                }
                request.totalTimeout = max(deadline - .now, .milliseconds(1))
                // The loader itself ends a task whose server is silent for a shorter timeout.
                request.idleTimeout = idleTimeout.map { max($0, session.configuration.idleTimeout) }
                request.handlers = handlers
                let hadStoredCookies = storedCookies(for: urlRequest.url) != nil
                let response = try await session.send(request)
                lastActivity = .now
                storeCookies(of: response)
                guard let redirect = seen.withLockedValue({ $0 }) else { return response }
                redirectCount += 1
                guard redirectCount <= limit else { throw SessionError.redirect(.tooMany(firstURL, limit: limit)) }
                guard
                    let next = try await follow(
                        redirect, of: urlRequest, hadStoredCookies: hadStoredCookies, after: response)
                else { return response }
                try await response.body.discard()
                (urlRequest, request) = next
            }
        }

        /// Passes a response and its body to the client.
        private func deliver(_ response: SessionResponse) async throws {
            let head = try head(of: response)
            try withClient { $0.urlProtocol($1, didReceive: head, cacheStoragePolicy: .notAllowed) }
            switch parts.delivery {
            case .parts: try await deliverParts(of: response, length: head.expectedContentLength)
            case .complete: try await deliverComplete(response, length: head.expectedContentLength)
            case .file: try await deliverFile(response, length: head.expectedContentLength)
            }
            try withClient { $0.urlProtocolDidFinishLoading($1) }
            end()
        }

        private func deliverParts(of response: SessionResponse, length: Int64) async throws {
            var count: Int64 = 0
            for try await part in response.body where part.readableBytes > 0 {
                await noteReceived(part, &count, of: length)
                try withClient { $0.urlProtocol($1, didLoad: Data(part.readableBytesView)) }
                // A slow delegate slows the server down, instead of filling the memory.
                await delegateQueueIsIdle()
            }
        }

        private func deliverComplete(_ response: SessionResponse, length: Int64) async throws {
            var (body, count) = (Data(), Int64(0))
            for try await part in response.body where part.readableBytes > 0 {
                await noteReceived(part, &count, of: length)
                body.append(contentsOf: part.readableBytesView)
                tellOwnDelegate(received: part)
            }
            guard !body.isEmpty else { return }
            try withClient { $0.urlProtocol($1, didLoad: body) }
        }

        private func deliverFile(_ response: SessionResponse, length: Int64) async throws {
            let (file, handle) = try DownloadFile.create()
            do {
                defer { try? handle.close() }
                var count: Int64 = 0
                for try await part in response.body where part.readableBytes > 0 {
                    await noteReceived(part, &count, of: length)
                    try handle.write(contentsOf: Data(part.readableBytesView))
                    tellDelegate(written: Int64(part.readableBytes), count, of: length)
                    await delegateQueueIsIdle()
                }
                guard try withClient({ $1.store(download: file) }) else { throw URLError(.cannotMoveFile) }
            } catch {
                try? FileManager.default.removeItem(at: file)
                throw error
            }
        }

        /// Passes a part to the task's own delegate, as Foundation's own protocol does.
        private func tellOwnDelegate(received part: ByteBuffer) {
            guard let delegate = parts.ownDelegate as? any URLSessionDataDelegate,
                let task = task as? URLSessionDataTask
            else { return }
            let (urlSession, part) = (parts.urlSession, Data(part.readableBytesView))
            urlSession.delegateQueue.addOperation { delegate.urlSession(urlSession, dataTask: task, didReceive: part) }
        }

        private func tellDelegate(written count: Int64, _ total: Int64, of length: Int64) {
            guard let delegate = parts.delegates.first as? any URLSessionDownloadDelegate,
                let task = task as? URLSessionDownloadTask
            else { return }
            let urlSession = parts.urlSession
            urlSession.delegateQueue.addOperation {
                delegate.urlSession(
                    urlSession, downloadTask: task, didWriteData: count, totalBytesWritten: total,
                    totalBytesExpectedToWrite: length)
            }
        }

        /// Records the arrival of a part, and waits while the task is suspended.
        private func noteReceived(_ part: ByteBuffer, _ count: inout Int64, of length: Int64) async {
            lastActivity = .now
            count += Int64(part.readableBytes)
            task.progress.totalUnitCount = length < 0 ? -1 : sentCount + length
            task.progress.completedUnitCount = sentCount + count
            while isSuspended, urlProtocol != nil { await withCheckedContinuation { resumption = $0 } }
        }

        private func delegateQueueIsIdle() async {
            guard !parts.delegates.isEmpty else { return }
            await withCheckedContinuation { continuation in
                parts.urlSession.delegateQueue.addOperation { continuation.resume() }
            }
        }

        // MARK: The end

        /// Calls the client and the protocol, unless the task has ended.
        private func withClient<Result>(
            _ body: (any URLProtocolClient, URLProtocol) throws -> Result
        ) throws -> Result {
            guard let urlProtocol, let client = urlProtocol.client else { throw CancellationError() }
            return try body(client, urlProtocol)
        }

        private func fail(with error: any Error) {
            let error = URLError(error, for: task.originalRequest?.url)
            try? withClient { $0.urlProtocol($1, didFailWithError: error) }
            end()
        }

        private func end() {
            urlProtocol = nil
            loading?.cancel()
            watchdog?.cancel()
            resumption?.resume()
            resumption = nil
        }

        /// Ends the task if the server is silent for the timeout of the request.
        ///
        /// The idle timeout of a session's request begins with the exchange. Foundation's idle timeout
        /// also covers opening the connection.
        private func watch() async {
            guard let timeout = idleTimeout else { return }
            while !Task.isCancelled {
                if isSuspended || questionCount > 0 { lastActivity = .now }
                let remaining = timeout - (ContinuousClock.now - lastActivity)
                if remaining <= .zero { return fail(with: URLError(silentFor: timeout)) }
                try? await Task.sleep(for: remaining)
            }
        }

        /// The timeout of the request or of the configuration for the silence of the server; `nil` if both have Foundation's
        /// default, so that the timeouts of the session apply.
        private var idleTimeout: Duration? {
            let standard = URLRequest(url: URL(fileURLWithPath: "/")).timeoutInterval
            return [task.originalRequest?.timeoutInterval ?? standard, configuration.timeoutIntervalForRequest]
                .first { $0 != standard }.map(Duration.timeout)
        }

        private var resourceTimeout: Duration { .timeout(configuration.timeoutIntervalForResource) }

        // MARK: The delegate

        nonisolated var configuration: URLSessionConfiguration { parts.urlSession.configuration }

        /// Asks the delegate of the task, on its queue.
        ///
        /// - Parameter question: A call of the delegate; its last argument is the completion handler.
        /// - Returns: The first answer; `nil` if the task ends before it.
        func ask<Answer: Sendable>(
            _ question: @escaping @Sendable (URLSession, @escaping @Sendable (Answer) -> Void) -> Void
        ) async -> Answer? {
            let (answers, continuation) = AsyncStream.makeStream(of: Answer.self)
            let urlSession = parts.urlSession
            questionCount += 1
            defer { (questionCount, lastActivity) = (questionCount - 1, .now) }
            urlSession.delegateQueue.addOperation {
                question(urlSession) {
                    continuation.yield($0)
                    continuation.finish()
                }
            }
            return await answers.first { _ in true }
        }

        // MARK: The request's body

        /// Returns the body of the request, which reports its progress.
        private func body(length: Int?) throws -> SessionRequestBody? {
            let body: SessionRequestBody
            switch parts.body {
            case .none: return nil
            case .bytes(let bytes): body = .bytes(bytes)
            case .file(let file): body = try .file(file)
            case .stream, .delegate:
                body = .stream(length: length) { StreamParts(reader: try await self.nextStream()) }
            }
            return SessionRequestBody(length: body.length) { sink in
                await self.startSending()
                try await body.produce { part in
                    try await sink(part)
                    await self.noteSent(part.readableBytes, of: body.length)
                }
            }
        }

        private func nextStream() async throws -> StreamReader {
            defer { streamCount += 1 }
            if streamCount == 0, case .stream(let reader) = parts.body { return reader }
            let task = task
            for delegate in parts.delegates {
                let reader: StreamReader?? = await ask { urlSession, answer in
                    delegate.urlSession(urlSession, task: task) { stream in answer(stream.map(StreamReader.reading)) }
                }
                if let reader = reader ?? nil { return reader }
            }
            throw URLError.missingStream
        }

        private func startSending() { sentCount = 0 }

        private func noteSent(_ count: Int, of length: Int?) {
            lastActivity = .now
            sentCount += Int64(count)
            task.progress.totalUnitCount = length.map(Int64.init) ?? -1
            task.progress.completedUnitCount = sentCount
            guard let delegate = parts.delegates.first, urlProtocol != nil else { return }
            let (urlSession, task, total) = (parts.urlSession, task, sentCount)
            urlSession.delegateQueue.addOperation {
                delegate.urlSession(
                    urlSession, task: task, didSendBodyData: Int64(count), totalBytesSent: total,
                    totalBytesExpectedToSend: length.map(Int64.init) ?? NSURLSessionTransferSizeUnknown)
            }
        }
    }

    extension Duration {
        /// Returns a timeout in seconds; 31 years, which is no limit, for 0 and for negative and infinite intervals.
        fileprivate static func timeout(_ seconds: TimeInterval) -> Duration {
            .seconds(seconds > 0 ? min(seconds, 1_000_000_000) : 1_000_000_000)
        }
    }

    /// The temporary file of a download, which only its owner may read.
    enum DownloadFile {
        static func create() throws -> (URL, FileHandle) {
            let file = URL(fileURLWithPath: NSTemporaryDirectory()).appendingPathComponent("\(UUID().uuidString).tmp")
            guard
                FileManager.default.createFile(
                    atPath: file.path, contents: nil, attributes: [.posixPermissions: 0o600])
            else { throw URLError(.cannotCreateFile) }
            return (file, try FileHandle(forWritingTo: file))
        }
    }
#endif
