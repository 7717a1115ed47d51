// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes
import NIOHTTP1
import NIOHTTPTypesHTTP1

extension Request {
    /// - Throws: ``HTTPClientError/invalidHeaderFieldNames(_:)``, ``HTTPClientError/invalidMethod(_:)``.
    init(_ request: HTTPClientRequest) throws(HTTPClientError) {
        let invalid = request.headers.map(\.name).filter { HTTPField.Name($0) == nil }
        guard invalid.isEmpty else { throw .invalidHeaderFieldNames(invalid) }
        guard let method = HTTPRequest.Method(request.method.rawValue) else {
            throw .invalidMethod(request.method.rawValue)
        }
        self.init(
            url: request.url, method: method, headerFields: HTTPFields(request.headers, splitCookie: false),
            body: request.body?.content)
        // `HTTPFields` has replaced what could end a line; given again, it makes the request fail.
        for (name, value) in request.headers where !value.isOneLine {
            if let name = HTTPField.Name(name) { self = header(name, value) }
        }
        if let basic = request.basicAuth { self = self.basic(user: basic.username, password: basic.password) }
    }
}
