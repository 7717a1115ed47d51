// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign
public import EssentialFoundation
import NIOCore

/// Packs an envelope and its attachments into one body (RFC 2387, SOAP Messages with Attachments, MTOM section 3.2).
struct MultipartPacking {
    let version: SOAPVersion
    let action: String
    /// Whether the attachments include values of the envelope (XOP).
    let isXOP: Bool
    private let boundary: String
    private let root = "envelope@countersign"

    init(version: SOAPVersion, action: String, isXOP: Bool) {
        self.init(version: version, action: action, isXOP: isXOP, boundary: SessionRequestBody.newBoundary())
    }

    /// Creates a packing with a boundary that occurs in no part.
    init(version: SOAPVersion, action: String, isXOP: Bool, boundary: String) {
        (self.version, self.action, self.isXOP, self.boundary) = (version, action, isXOP, boundary)
    }

    /// The `Content-Type` field of the multipart message.
    var contentType: String {
        var parameters = [
            ("type", isXOP ? "application/xop+xml" : version.mediaType), ("start", "<\(root)>"), ("boundary", boundary),
        ]
        if isXOP { parameters.append(("start-info", version.mediaType)) }
        return MediaType.field("multipart/related", parameters + actionParameter)
    }

    /// The `action` parameter of SOAP 1.2; SOAP 1.1 sends the header field `SOAPAction` instead.
    private var actionParameter: [(String, String)] {
        version == .soap12 && !action.isEmpty ? [("action", action)] : []
    }

    private var rootType: String {
        guard isXOP else { return MediaType.field("\(version.mediaType); charset=UTF-8", actionParameter) }
        return MediaType.field(
            "application/xop+xml; charset=UTF-8", [("type", version.mediaType)] + actionParameter)
    }

    /// Returns the body, whose parts are read while it is sent; its length is known if all parts have a known length.
    ///
    /// A request fails with `RequestError.forbiddenCharacter` if the type or the name of an attachment contains CR, LF
    /// or NUL.
    func body(of envelope: [UInt8], _ attachments: [XMLAttachment]) -> SessionRequestBody {
        var pieces = [part(type: rootType, contentID: root, encoding: "8bit"), .bytes(envelope)]
        for attachment in attachments {
            pieces.append(part(type: attachment.contentType, contentID: attachment.contentID, encoding: "binary"))
            pieces.append(attachment.body.exact(named: attachment.contentID))
        }
        var body = SessionRequestBody.concatenating(pieces + [.bytes("\r\n--\(boundary)--\r\n".utf8)])
        body.forbiddenText = attachments.lazy.compactMap(\.forbiddenText).first
        return body
    }

    private func part(type: String, contentID: String, encoding: String) -> SessionRequestBody {
        let head = """
            Content-Type: \(type)\r
            Content-Transfer-Encoding: \(encoding)\r
            Content-ID: <\(contentID)>\r
            \r

            """
        return .bytes("\r\n--\(boundary)\r\n\(head)".utf8)
    }
}

extension XMLAttachment {
    /// The header field that a line break in the attachment's type or identifier would corrupt; otherwise `nil`.
    fileprivate var forbiddenText: RequestError.Text? {
        if !contentType.isOneLine { return .field("Content-Type") }
        return contentID.isOneLine ? nil : .field("Content-ID")
    }
}

extension XMLAttachment {
    /// Creates an attachment from a request body: a file, a stream, or bytes.
    ///
    /// - Parameters:
    ///   - body: The content.
    ///   - contentType: The media type; by default (`nil`) that of the body or, if it
    ///     has none, `application/octet-stream`.
    ///   - contentID: The content ID, without `cid:` and angle brackets; `nil`, the default, for a random one.
    public init(_ body: SessionRequestBody, contentType: String? = nil, contentID: String? = nil) {
        self.init(
            BodyContent(requestBody: body), contentType: contentType ?? body.contentType ?? "application/octet-stream",
            contentID: contentID)
    }

    /// Creates an attachment from a file, which is read while it is sent.
    ///
    /// - Parameters:
    ///   - file: A file URL.
    ///   - contentType: The media type; `application/octet-stream` by default.
    ///   - contentID: The content ID, without `cid:` and angle brackets; `nil`, the default, for a random one.
    /// - Throws: `SessionError` with `FileError.failed` if the file does not exist, and with `RequestError.invalidURL`
    ///   if the URL does not name a file on this machine. The file is opened when it is sent.
    public init(
        contentsOf file: URL, contentType: String = "application/octet-stream", contentID: String? = nil
    ) throws(SessionError) {
        self.init(try SessionRequestBody.file(file), contentType: contentType, contentID: contentID)
    }

    /// The content as a request body.
    ///
    /// Content that is neither in memory nor a request body is read again each time the request is sent.
    public var body: SessionRequestBody {
        if let loaded { return .bytes(loaded).type(contentType) }
        if let content = content as? BodyContent { return content.requestBody.type(contentType) }
        let content = content
        return SessionRequestBody(length: content.size) { sink in
            try await content.read { try await sink(ByteBuffer(bytes: $0)) }
        }.type(contentType)
    }
}

/// The content of an attachment that is a request body: a file, or a sequence of buffers.
private struct BodyContent: XMLAttachmentContent {
    let requestBody: SessionRequestBody

    var size: Int? { requestBody.length }

    /// Collects the entire content first; sending the attachment does not use this function.
    func read(_ body: (ArraySlice<UInt8>) async throws -> Void) async throws {
        let bytes = try await requestBody.collect(upTo: .max)
        try await body(Array(bytes.readableBytesView)[...])
    }
}
