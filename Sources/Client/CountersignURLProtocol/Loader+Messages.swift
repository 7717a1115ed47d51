// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import Countersign
    import Foundation
    import FoundationNetworking
    import HTTPTypes

    extension Loader {
        /// Decides on a redirect, by the rules of the session and the delegates of the task.
        ///
        /// - Parameters:
        ///   - redirect: The redirect.
        ///   - urlRequest: The request that was redirected.
        ///   - hadStoredCookies: Whether the `Cookie` field of that request came from the storage.
        ///   - response: The response with the redirect.
        /// - Returns: The requests to send next; `nil` if the redirect itself is the response.
        /// - Throws: `SessionError` of `RedirectError.toPlainHTTP(from:to:)`.
        func follow(
            _ redirect: SessionRedirect, of urlRequest: URLRequest, hadStoredCookies: Bool,
            after response: SessionResponse
        ) async throws -> (URLRequest, SessionRequest)? {
            guard let url = URL(string: redirect.request.url) else { return nil }
            guard !redirect.leadsToPlainHTTP || session.configuration.allowsRedirectsToPlainHTTP else {
                throw SessionError.redirect(
                    .toPlainHTTP(from: Redaction.url(redirect.from), to: Redaction.url(redirect.to)))
            }
            var proposal = URLRequest(
                url: url, cachePolicy: urlRequest.cachePolicy, timeoutInterval: urlRequest.timeoutInterval)
            proposal.httpMethod = redirect.request.method.rawValue
            proposal.httpShouldHandleCookies = urlRequest.httpShouldHandleCookies
            if redirect.request.body != nil { proposal.httpBody = urlRequest.httpBody }
            for field in redirect.request.headerFields {
                proposal.addValue(field.value, forHTTPHeaderField: field.name.rawName)
            }
            let cookies = storedCookies(for: url)
            // A cookie that the response deletes leaves no field of the redirected request behind.
            if cookies != nil || hadStoredCookies { proposal.setValue(cookies, forHTTPHeaderField: "Cookie") }
            guard let answer = await permission(for: proposal, after: try head(of: response)) else { return nil }
            return (answer, try request(for: answer, proposed: proposal, redirect))
        }

        /// Returns the request by which to follow a redirect: the proposed one, which each delegate may change; `nil` if one
        /// of them refuses.
        private func permission(for proposal: URLRequest, after response: HTTPURLResponse) async -> URLRequest? {
            let task = task
            var request = proposal
            for delegate in parts.delegates {
                let proposal = request
                let answer: URLRequest?? = await ask { urlSession, answer in
                    delegate.urlSession(
                        urlSession, task: task, willPerformHTTPRedirection: response, newRequest: proposal,
                        completionHandler: answer)
                }
                guard let allowed = answer ?? nil else { return nil }
                request = allowed
            }
            return request
        }

        /// Returns the request for a redirect that the delegate allows, and may have changed.
        private func request(for answer: URLRequest, proposed: URLRequest, _ redirect: SessionRedirect) throws
            -> SessionRequest
        {
            var body = redirect.request.body
            if let bytes = answer.httpBody, bytes != proposed.httpBody { body = .bytes(bytes) }
            if answer.httpMethod != proposed.httpMethod, ["GET", "HEAD"].contains(answer.httpMethod) { body = nil }
            let plain = try SessionRequest(answer, body: body, excluding: SessionRequest.connectionFields)
            var request = redirect.request
            // Another URL gets nothing that was meant for the origin of the redirect.
            if answer.url != proposed.url { request = plain }
            (request.method, request.headerFields, request.body) = (plain.method, plain.headerFields, plain.body)
            return request
        }

        /// Returns the head of a response in Foundation's form.
        nonisolated func head(of response: SessionResponse) throws -> HTTPURLResponse {
            guard let head = HTTPURLResponse(response) else { throw URLError(.badServerResponse) }
            return head
        }

        // MARK: Fields and cookies

        /// Adds the fields of the configuration that the request does not have.
        nonisolated func addAdditionalFields(to request: inout URLRequest) {
            for (name, value) in configuration.httpAdditionalHeaders ?? [:] {
                let name = "\(name)"
                if request.value(forHTTPHeaderField: name) == nil {
                    request.setValue("\(value)", forHTTPHeaderField: name)
                }
            }
            // Foundation's own protocol does the same.
            let isForm = request.httpMethod == "POST" && (request.httpBody != nil || request.httpBodyStream != nil)
            if isForm, request.value(forHTTPHeaderField: "Content-Type") == nil {
                request.setValue("application/x-www-form-urlencoded", forHTTPHeaderField: "Content-Type")
            }
        }

        /// Stores the cookies of a response in the storage of the URL session.
        nonisolated func storeCookies(of response: SessionResponse) {
            guard let storage = configuration.httpCookieStorage, configuration.httpCookieAcceptPolicy != .never,
                let url = URL(string: response.url)
            else { return }
            for value in response.headerFields[values: .setCookie] {
                let cookies = HTTPCookie.cookies(withResponseHeaderFields: ["Set-Cookie": value], for: url)
                storage.setCookies(cookies, for: url, mainDocumentURL: nil)
            }
        }

        /// Returns the `Cookie` field with the cookies of the URL session for a URL; `nil` if there are none.
        ///
        /// Foundation replaces the field of a task's request by it, if there are any.
        nonisolated func storedCookies(for url: URL?) -> String? {
            guard configuration.httpShouldSetCookies, let storage = configuration.httpCookieStorage,
                let cookies = url.flatMap(storage.cookies), !cookies.isEmpty
            else { return nil }
            return HTTPCookie.requestHeaderFields(with: cookies)["Cookie"]
        }
    }

    extension SessionRedirect {
        fileprivate var leadsToPlainHTTP: Bool { from.hasPrefix("https:") && to.hasPrefix("http:") }
    }

    extension SessionRequest {
        /// The fields that describe the message on the connection, which the session writes itself.
        static let connectionFields: Set<HTTPField.Name> = [
            .contentLength, .transferEncoding, .connection, HTTPField.Name("Proxy-Connection"),
        ].reduce(into: []) { if let name = $1 { $0.insert(name) } }
    }

    extension HTTPURLResponse {
        /// Makes the response that the delegate and the completion handler receive.
        ///
        /// Foundation reads the `WWW-Authenticate` field of a 401 itself. If a delegate answers a `Basic` challenge, it
        /// sends the request again by its own protocol, without the session's trust. Such a field is left out.
        convenience init?(_ response: SessionResponse) {
            var fields: [String: String] = [:]
            for field in response.headerFields {
                let value = fields[field.name.rawName].map { "\($0), \(field.value)" } ?? field.value
                fields[field.name.rawName] = value
            }
            if response.status.code == 401 {
                fields = fields.filter { $0.key.lowercased() != "www-authenticate" || !$0.value.offersPassword }
            }
            let version = response.connection.httpVersion == .http2 ? "HTTP/2" : "HTTP/1.1"
            guard let url = URL(string: response.url) else { return nil }
            self.init(url: url, statusCode: response.status.code, httpVersion: version, headerFields: fields)
        }
    }

    extension String {
        /// Whether a `WWW-Authenticate` field may offer a method that takes a password.
        fileprivate var offersPassword: Bool {
            let value = lowercased()
            return ["basic", "digest", "ntlm", "negotiate"].contains(where: value.contains)
        }
    }
#endif
