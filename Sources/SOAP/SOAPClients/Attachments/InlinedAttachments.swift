// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
package import XMLDocuments

/// Replaces the attachment references in an envelope by the attachments' content (XOP 1.0 section 3.2), for
/// verification or printing.
///
/// A signature over the reference alone would let an intermediary change the bytes of the attachment.
package enum InlinedAttachments {
    /// Returns the envelope with its attachments inlined.
    ///
    /// - Parameters:
    ///   - bytes: The envelope.
    ///   - attachments: The attachments of the message.
    ///   - limits: The document limits, which also apply to the inlined attachments.
    /// - Returns: The envelope with its attachments inlined; unchanged if it contains no references.
    /// - Throws: ``SOAPClientError``, including for a reference to something other than an attachment of the message,
    ///   and errors of reading an attachment.
    package static func envelope(_ bytes: [UInt8], _ attachments: [XMLAttachment], limits: XMLLimits) async throws
        -> [UInt8]
    {
        let tree: XMLTree
        do throws(XMLDocumentError) { tree = try XMLTree(parsing: bytes, limits: limits) } catch {
            // An error response may be any document, such as an HTML page without references.
            if attachments.isEmpty { return bytes }
            throw SOAPClientError.document(error)
        }
        var includes: [XMLElement] = []
        tree.root.forEach { element in
            if element != tree.root, element.name == XMLName("Include", in: XMLNamespace.include) {
                includes.append(element)
            }
        }
        guard !includes.isEmpty else { return bytes }
        var remainingBytes = limits.maximumByteCount - bytes.count
        // Replacing an element frees its descendants, so nested elements are replaced first.
        for include in includes.reversed() {
            let href = include[XMLName("href")] ?? ""
            guard let id = XMLContentID.id(href) else {
                throw SOAPClientError.unreadable(operation: "Envelope", .attachmentReference(href, at: include.place))
            }
            guard let attachment = attachments.first(where: { $0.contentID == id }) else {
                throw SOAPClientError.unreadable(operation: "Envelope", .missingAttachment(id, at: include.place))
            }
            let maximumByteCount = max(0, remainingBytes / 4 * 3)
            let content: [UInt8]
            do {
                content = try await attachment.bytes(upTo: maximumByteCount)
                // The limit does not apply to bytes already in memory, and an envelope may refer to an
                // attachment many times.
                guard content.count <= maximumByteCount else {
                    throw XMLValueError.attachmentTooLarge(maximumByteCount: maximumByteCount, at: include.place)
                }
            } catch let error as XMLValueError {
                throw SOAPClientError.unreadable(operation: "Envelope", error)
            }
            let text = Base64.encode(content)
            remainingBytes -= text.utf8.count
            do throws(XMLDocumentError) { try include.replace(byText: text) } catch {
                throw SOAPClientError.document(error)
            }
        }
        do throws(XMLDocumentError) { return try tree.bytes } catch { throw SOAPClientError.document(error) }
    }
}
