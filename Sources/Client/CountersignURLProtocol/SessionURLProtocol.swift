// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// Apple's platforms have these features in URLSession; the module is empty there.
#if canImport(FoundationNetworking)
    public import Countersign
    import Foundation
    public import FoundationNetworking

    /// A URL protocol that sends the `http` and `https` requests of a `URLSession` through a Countersign session.
    ///
    /// A subclass names the session, and is the first of the configuration's protocol classes:
    ///
    /// ```swift
    /// final class IntranetProtocol: SessionURLProtocol {
    ///     private static let intranet = HTTPSession(trust: TrustPolicy(anchors: .systemAnd(roots)))
    ///
    ///     override class func session(for task: URLSessionTask) -> HTTPSession { intranet }
    /// }
    ///
    /// let configuration = URLSessionConfiguration.default
    /// configuration.protocolClasses = [IntranetProtocol.self]
    /// ```
    ///
    /// Foundation creates the instances, one for each task.
    open class SessionURLProtocol: URLProtocol {
        /// Returns the session that sends the request of a task; a subclass overrides the method.
        ///
        /// Foundation knows a protocol only by its class, so the class chooses the session. A task has its delegate, its
        /// request and its description, by which a program can choose among several sessions. The method must not make a
        /// session for each task, because a session has its own connections and credentials.
        ///
        /// - Parameter task: The task, which has not been started yet.
        /// - Returns: The session.
        /// - Throws: An error that fails the task. The default implementation throws `URLError.resourceUnavailable`.
        open class func session(for task: URLSessionTask) throws -> HTTPSession {
            throw URLError(
                .resourceUnavailable,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "\(self) has no session. Override its class method 'session(for:)', and use the subclass."
                ])
        }

        private var loader: Loader?

        /// Returns whether the request has an `http` or `https` URL.
        override open class func canInit(with request: URLRequest) -> Bool {
            ["http", "https"].contains(request.url?.scheme?.lowercased())
        }

        /// Returns the request unchanged.
        override open class func canonicalRequest(for request: URLRequest) -> URLRequest { request }

        /// Returns `false`, because responses are not cached.
        override open class func requestIsCacheEquivalent(_ a: URLRequest, to b: URLRequest) -> Bool { false }

        /// Sends the request, or continues after a suspension; called by Foundation.
        override open func startLoading() {
            if let loader { return loader.resume() }
            do {
                guard let task, let parts = TaskParts(task) else { throw URLError(unknownFoundation: task) }
                // Foundation and the loader use the protocol only on the queue of the task.
                nonisolated(unsafe) let urlProtocol = self
                let loader = Loader(urlProtocol, task, parts, try type(of: self).session(for: task))
                self.loader = loader
                loader.start()
            } catch {
                client?.urlProtocol(self, didFailWithError: URLError(error, for: request.url))
            }
        }

        /// Suspends or cancels the request, by the state of the task; called by Foundation.
        override open func stopLoading() {
            switch task?.state {
            case .canceling, .completed, nil: loader?.cancel()
            default: loader?.suspend()
            }
        }
    }

    extension URLError {
        /// Creates the error for a version of Foundation whose tasks lack a part that a URL protocol needs.
        fileprivate init(unknownFoundation task: URLSessionTask?) {
            self.init(
                .unknown,
                userInfo: [
                    NSLocalizedDescriptionKey:
                        "This version of Foundation has other parts in a task than CountersignURLProtocol knows, so the "
                        + "request was not sent. Use another version of Countersign, or HTTPSession without URLSession."
                ])
        }
    }
#endif
