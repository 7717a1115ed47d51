// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
import NIOCore

extension XMLAttachment {
    /// Creates an attachment that is sent as a request's body is: a file, a stream, or bytes.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - contentType: The media type; `nil`, the default, for that of the body or, where it has none, `application/octet-stream`.
    ///   - contentID: The content ID, without `cid:` and angle brackets; `nil`, the default, for a random one.
    public init(_ body: RequestBody, contentType: String? = nil, contentID: String? = nil) {
        self.init(
            BodyContent(requestBody: body), contentType: contentType ?? body.contentType ?? "application/octet-stream",
            contentID: contentID)
    }

    /// Creates an attachment from a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - path: The path of the file.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - contentID: The content ID, without `cid:` and angle brackets; `nil`, the default, for a random one.
    /// - Throws: `SessionError` of `FileError.failed` where there is no file. It is opened when it is sent.
    public init(
        file path: String, contentType: String = "application/octet-stream", contentID: String? = nil
    ) throws(SessionError) {
        self.init(try RequestBody.file(path), contentType: contentType, contentID: contentID)
    }

    /// The content as the body of a request.
    ///
    /// A content that is neither in memory nor made from such a body is read anew whenever the request is sent.
    public var body: RequestBody {
        if let loaded { return .bytes(loaded).type(contentType) }
        if let content = content as? BodyContent { return content.requestBody.type(contentType) }
        let content = content
        return RequestBody(length: content.size) { sink in
            try await content.read { try await sink(ByteBuffer(bytes: $0)) }
        }.type(contentType)
    }
}
