// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
import NIOCore

extension XMLAttachment {
    /// An attachment that is sent as a request's body is: a file, a stream, or bytes.
    ///
    /// - Parameters:
    ///   - body: The content; its own content type counts where none is given.
    ///   - contentType: The media type.
    ///   - contentID: The name within the message; a random one by default.
    public init(_ body: RequestBody, contentType: String? = nil, contentID: String? = nil) {
        self.init(
            BodyContent(requestBody: body), contentType: contentType ?? body.contentType ?? "application/octet-stream",
            contentID: contentID)
    }

    /// A file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - path: Where the file is.
    ///   - contentType: The media type.
    ///   - contentID: The name within the message; a random one by default.
    /// - Throws: `SessionError` of `FileError.failed` where there is no file.
    public init(
        file path: String, contentType: String = "application/octet-stream", contentID: String? = nil
    ) throws(SessionError) {
        self.init(try RequestBody.file(path), contentType: contentType, contentID: contentID)
    }

    /// The content as a request's body, which a request can send on.
    ///
    /// A content of another target than this one is read anew whenever it is sent.
    public var body: RequestBody {
        if let loaded { return .bytes(loaded).type(contentType) }
        if let content = content as? BodyContent { return content.requestBody.type(contentType) }
        let content = content
        return RequestBody(length: content.size) { sink in
            try await content.read { try await sink(ByteBuffer(bytes: $0)) }
        }.type(contentType)
    }
}
