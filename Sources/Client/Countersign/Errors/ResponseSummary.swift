// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
import NIOCore

/// A summary of a response that the caller could not use: parts of its head, and the beginning of its body.
public struct ResponseSummary: Hashable, Sendable {
    /// The largest number of bytes of a body that a summary keeps.
    public static let limit = 4096

    /// The status.
    public let status: HTTPResponse.Status
    /// The URL of the response, after redirects; a session leaves out the values of parameters whose names look secret.
    public let url: String
    /// The value of `Content-Type`; `nil` without that field.
    public let contentType: String?
    /// The first bytes of the body, at most ``limit``.
    ///
    /// The description leaves them out, because a server may repeat secrets of the request.
    public let beginning: [UInt8]

    /// Makes a summary.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - url: The URL of the response.
    ///   - contentType: The value of `Content-Type`; `nil` for none.
    ///   - beginning: The beginning of the body. Bytes beyond ``limit`` are left out.
    public init(
        status: HTTPResponse.Status, url: String = "", contentType: String? = nil, beginning: some Sequence<UInt8> = []
    ) {
        self.status = status
        self.url = url
        self.contentType = contentType
        self.beginning = Array(beginning.prefix(Self.limit))
    }

    /// The beginning of the body as text.
    ///
    /// Bytes that are not UTF-8 are replaced.
    public var text: String { String(decoding: beginning, as: UTF8.self) }
}

extension ResponseSummary: CustomStringConvertible, CustomReflectable {
    /// The status, the media type and the URL, without the body.
    public var description: String { "\(status.code) (\(contentType ?? "no type")) from \(url)" }

    /// Shows only the description, because a body may repeat secrets of the request.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
