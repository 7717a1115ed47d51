// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// Packs an envelope and its attachments into one body (RFC 2387, SOAP Messages with Attachments, MTOM section 3.2).
struct MultipartPacking {
    let version: SOAPVersion
    let action: String
    /// Whether values of the envelope are among the attachments (XOP).
    let isXOP: Bool
    private let boundary: String
    private let root = "envelope@countersign"

    init(version: SOAPVersion, action: String, isXOP: Bool) {
        self.init(version: version, action: action, isXOP: isXOP, boundary: RequestBody.newBoundary())
    }

    /// The same with a boundary that stands in no part.
    init(version: SOAPVersion, action: String, isXOP: Bool, boundary: String) {
        (self.version, self.action, self.isXOP, self.boundary) = (version, action, isXOP, boundary)
    }

    /// The field `Content-Type` of the whole message.
    var contentType: String {
        var parameters = [
            ("type", isXOP ? "application/xop+xml" : version.mediaType), ("start", "<\(root)>"), ("boundary", boundary),
        ]
        if isXOP { parameters.append(("start-info", version.mediaType)) }
        return MediaType.field("multipart/related", parameters + actionParameter)
    }

    /// The parameter of SOAP 1.2; SOAP 1.1 sends the header field `SOAPAction` instead.
    private var actionParameter: [(String, String)] {
        version == .soap12 && !action.isEmpty ? [("action", action)] : []
    }

    private var rootType: String {
        guard isXOP else { return MediaType.field("\(version.mediaType); charset=UTF-8", actionParameter) }
        return MediaType.field(
            "application/xop+xml; charset=UTF-8", [("type", version.mediaType)] + actionParameter)
    }

    /// The parts, each read while it is sent; of known length where all parts' are known.
    ///
    /// A request fails by `RequestError.forbiddenCharacter` where the type or the name of an attachment has CR, LF or NUL.
    func body(of envelope: [UInt8], _ attachments: [XMLAttachment]) -> RequestBody {
        var pieces = [part(type: rootType, contentID: root, encoding: "8bit"), .bytes(envelope)]
        for attachment in attachments {
            pieces.append(part(type: attachment.contentType, contentID: attachment.contentID, encoding: "binary"))
            pieces.append(attachment.body.exact(named: attachment.contentID))
        }
        var body = RequestBody.concatenating(pieces + [.bytes("\r\n--\(boundary)--\r\n".utf8)])
        body.flaw = attachments.lazy.compactMap(\.flaw).first
        return body
    }

    private func part(type: String, contentID: String, encoding: String) -> RequestBody {
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
    /// What of it could end a field of its part.
    fileprivate var flaw: RequestError.Text? {
        if !contentType.isOneLine { return .field("Content-Type") }
        return contentID.isOneLine ? nil : .field("Content-ID")
    }
}
