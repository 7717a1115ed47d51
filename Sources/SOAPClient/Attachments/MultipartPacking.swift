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
        // The author of an attachment cannot predict the boundary and put it into the content (RFC 2046 section 5.1.1).
        let words = (0..<2).map { _ in String(UInt64.random(in: .min ... .max), radix: 36) }
        self.init(version: version, action: action, isXOP: isXOP, boundary: "countersign-\(words.joined())")
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
    func body(of envelope: [UInt8], _ attachments: [XMLAttachment]) -> RequestBody {
        var pieces = [part(type: rootType, contentID: root, encoding: "8bit"), .bytes(envelope)]
        for attachment in attachments {
            pieces.append(part(type: attachment.contentType, contentID: attachment.contentID, encoding: "binary"))
            pieces.append(attachment.body)
        }
        return .concatenating(pieces + [.bytes("\r\n--\(boundary)--\r\n".utf8)])
    }

    private func part(type: String, contentID: String, encoding: String) -> RequestBody {
        let head = """
            Content-Type: \(type.onOneLine)\r
            Content-Transfer-Encoding: \(encoding)\r
            Content-ID: <\(contentID.onOneLine)>\r
            \r

            """
        return .bytes("\r\n--\(boundary)\r\n\(head)".utf8)
    }
}

extension String {
    /// Without what would end a field.
    fileprivate var onOneLine: String {
        String(String.UnicodeScalarView(unicodeScalars.filter { $0.value >= 0x20 && $0.value != 0x7F }))
    }
}
