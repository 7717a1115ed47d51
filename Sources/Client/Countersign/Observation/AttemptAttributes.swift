// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import HTTPTypes

/// The attributes of an attempt and its outcome that spans and metrics share, without those of the server.
struct AttemptAttributes {
    enum Value: CustomStringConvertible {
        case text(String)
        case number(Int)

        var description: String {
            switch self {
            case .text(let text): text
            case .number(let number): "\(number)"
            }
        }
    }

    private(set) var list: [(name: String, value: Value)]
    /// Whether the attempt failed or its status is an error.
    private(set) var isFailed = false

    private init(_ method: HTTPRequest.Method) {
        list = [("http.request.method", .text(method.conventionalName))]
    }

    init(of response: SessionResponse, to method: HTTPRequest.Method) {
        self.init(method)
        let version = response.connection.httpVersion == .http2 ? "2" : "1.1"
        list += [
            ("http.response.status_code", .number(response.status.code)), ("network.protocol.version", .text(version)),
        ]
        if response.status.code >= 400 { fail("\(response.status.code)") }
    }

    init(of error: any Error, to method: HTTPRequest.Method) {
        self.init(method)
        fail(ErrorExplanation.code(of: error))
    }

    private mutating func fail(_ type: String) {
        list.append(("error.type", .text(type)))
        isFailed = true
    }
}

extension HTTPRequest.Method {
    /// The methods of RFC 9110 and RFC 5789; a program may choose others freely.
    private static let known: Set<Self> = [.get, .head, .post, .put, .delete, .connect, .options, .trace, .patch]

    /// The value of `http.request.method`, which is the same for all unknown methods.
    var conventionalName: String { Self.known.contains(self) ? rawValue : "_OTHER" }

    /// The name of a span, which is `HTTP` for all unknown methods.
    var spanName: String { Self.known.contains(self) ? rawValue : "HTTP" }
}
