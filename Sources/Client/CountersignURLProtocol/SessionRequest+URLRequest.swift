// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
import HTTPTypes

#if canImport(FoundationNetworking)
    import EssentialFoundation
    public import FoundationNetworking
#else
    public import EssentialFoundation
#endif

extension SessionRequest {
    /// Makes a request from one of Foundation's URL Loading System.
    ///
    /// The URL, the method, the header fields and the body are carried over. A body stream is read once, while it is
    /// sent; its length is that of the field `Content-Length`, if the request has one.
    ///
    /// The timeout interval becomes ``idleTimeout``. Foundation's default of 60 seconds stands for that of the session.
    ///
    /// A session has no cache, no rules for kinds of networks, and one cookie jar for all requests. `cachePolicy`,
    /// `networkServiceType`, `allowsCellularAccess`, `httpShouldHandleCookies` and similar properties therefore have no
    /// effect.
    ///
    /// - Parameter request: The request to carry over. No other code may use its body stream afterwards.
    /// - Throws: `SessionError` of `RequestError.invalidURL(_:_:)` if there is no URL, and of
    ///   `RequestError.invalidToken(_:)` if the method or the name of a field is not a token. Sending the request fails
    ///   with `RequestError.forbiddenCharacter(_:)` if the value of a field contains CR, LF or NUL.
    public init(_ request: URLRequest) throws(SessionError) {
        try self.init(request, body: request.sentBody)
        let interval = request.timeoutInterval
        // A Duration cannot represent every interval; 10^9 seconds are 31 years.
        if interval > 0, let url = request.url, interval != URLRequest(url: url).timeoutInterval {
            idleTimeout = .seconds(min(interval, 1e9))
        }
    }

    /// Makes a request with the URL, the method and the header fields of one of Foundation, except the excluded fields.
    init(
        _ request: URLRequest, body: SessionRequestBody?, excluding excluded: Set<HTTPField.Name> = []
    ) throws(SessionError) {
        guard let url = request.url else { throw .request(.invalidURL("", .malformed)) }
        let verb = request.httpMethod ?? "GET"
        guard let method = HTTPRequest.Method(verb) else { throw .request(.invalidToken(verb)) }
        self.init(url: url, method: method, body: body)
        for (name, value) in (request.allHTTPHeaderFields ?? [:]).sorted(by: { $0.key < $1.key }) {
            guard let field = HTTPField.Name(name) else { throw .request(.invalidToken(name)) }
            if !excluded.contains(field) { self = header(field, value) }
        }
    }
}

extension URLRequest {
    /// The body as a session sends it.
    fileprivate var sentBody: SessionRequestBody? {
        if let httpBody { return .bytes(httpBody) }
        guard let stream = httpBodyStream else { return nil }
        let length = value(forHTTPHeaderField: "Content-Length").flatMap { Int($0) }
        return .oneShot(length: length, StreamParts(reader: .reading(stream)))
    }
}
