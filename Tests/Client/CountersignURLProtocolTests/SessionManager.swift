// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import Foundation
    import FoundationNetworking
    import Synchronization

    /// A client as programs for URLSession have it, which knows nothing of Countersign: a session with a delegate,
    /// uploads, downloads with progress, decoding, cancellation, and answers to challenges.
    final class SessionManager: NSObject, URLSessionDataDelegate, URLSessionDownloadDelegate {
        struct StatusError: Error { let status: Int }

        private struct Work {
            var body = Data()
            var file: URL?
            var progress: @Sendable (Double) -> Void = { _ in }
            let finish: CheckedContinuation<(Data, URL?), any Error>
        }

        private let works = Mutex<[Int: Work]>([:])
        private let user: URLCredential
        private let configuration: URLSessionConfiguration

        init(configuration: URLSessionConfiguration, user: URLCredential) {
            (self.configuration, self.user) = (configuration, user)
        }

        func start() -> URLSession { URLSession(configuration: configuration, delegate: self, delegateQueue: nil) }

        func get<Value: Decodable>(_ type: Value.Type, _ url: URL, in session: URLSession) async throws -> Value {
            try JSONDecoder().decode(type, from: try await run(session.dataTask(with: url)).0)
        }

        func upload(_ file: URL, to url: URL, in session: URLSession) async throws -> String {
            var request = URLRequest(url: url)
            request.httpMethod = "PUT"
            return String(decoding: try await run(session.uploadTask(with: request, fromFile: file)).0, as: UTF8.self)
        }

        func download(
            _ url: URL, in session: URLSession, progress: @escaping @Sendable (Double) -> Void
        ) async throws -> URL? {
            try await run(session.downloadTask(with: url), progress: progress).1
        }

        private func run(
            _ task: URLSessionTask, progress: @escaping @Sendable (Double) -> Void = { _ in }
        ) async throws -> (Data, URL?) {
            try await withTaskCancellationHandler {
                try await withCheckedThrowingContinuation { continuation in
                    works.withLock { $0[task.taskIdentifier] = Work(progress: progress, finish: continuation) }
                    task.resume()
                }
            } onCancel: {
                task.cancel()
            }
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let isFirst = challenge.previousFailureCount == 0
            completionHandler(isFirst ? .useCredential : .cancelAuthenticationChallenge, isFirst ? user : nil)
        }

        func urlSession(_ session: URLSession, dataTask: URLSessionDataTask, didReceive data: Data) {
            works.withLock { $0[dataTask.taskIdentifier]?.body.append(data) }
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didWriteData bytesWritten: Int64,
            totalBytesWritten: Int64, totalBytesExpectedToWrite: Int64
        ) {
            let progress = works.withLock { $0[downloadTask.taskIdentifier]?.progress }
            progress?(Double(totalBytesWritten) / Double(totalBytesExpectedToWrite))
        }

        func urlSession(
            _ session: URLSession, downloadTask: URLSessionDownloadTask, didFinishDownloadingTo location: URL
        ) {
            let file = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
            try? FileManager.default.moveItem(at: location, to: file)
            works.withLock { $0[downloadTask.taskIdentifier]?.file = file }
        }

        func urlSession(_ session: URLSession, task: URLSessionTask, didCompleteWithError error: (any Error)?) {
            guard let work = works.withLock({ $0.removeValue(forKey: task.taskIdentifier) }) else { return }
            let status = (task.response as? HTTPURLResponse)?.statusCode ?? 0
            if let error { return work.finish.resume(throwing: error) }
            guard (200...299).contains(status) else { return work.finish.resume(throwing: StatusError(status: status)) }
            work.finish.resume(returning: (work.body, work.file))
        }
    }
#endif
