// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTransport
import HTTPTypes

extension HTTPFields {
    /// Says what the body is, and what may be done with the response's, where the user did not.
    mutating func describeContent(of request: Request, decodes: Bool, asksForCompression: Bool) {
        if let type = request.body?.contentType { complete(HTTPField(name: .contentType, value: type)) }
        guard decodes else { return }
        // A part of coded bytes cannot be decoded.
        complete(contains(.range) || !asksForCompression ? .acceptIdentity : .acceptCodings)
    }
}

extension HTTPField {
    fileprivate static let acceptIdentity = Self(name: .acceptEncoding, value: "identity")
    fileprivate static let acceptCodings = Self(name: .acceptEncoding, value: ContentCoding.accepted)
}
