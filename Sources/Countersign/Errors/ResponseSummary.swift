// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import HTTPTypes
import NIOCore

/// A response that its caller could not use: its head in short, and how its body begins.
public struct ResponseSummary: Hashable, Sendable {
    /// The number of bytes of a body that a summary keeps.
    public static let limit = 4096

    /// The status.
    public let status: HTTPResponse.Status
    /// Where the response came from, after redirects; a session leaves out the values of parameters whose names look secret.
    public let url: String
    /// The value of `Content-Type`; `nil` where the server said nothing.
    public let contentType: String?
    /// The first bytes of the body, at most ``limit``; never printed with the rest, because a server may repeat what it was sent.
    public let beginning: [UInt8]

    /// Makes a summary.
    ///
    /// - Parameters:
    ///   - status: The status.
    ///   - url: Where the response came from.
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
    /// Status, media type and URL, and nothing of the body.
    public var description: String { "\(status.code) (\(contentType ?? "no type")) from \(url)" }

    /// Shows only the description, because a body may repeat secrets of the request.
    public var customMirror: Mirror { Mirror(self, children: ["response": description]) }
}
