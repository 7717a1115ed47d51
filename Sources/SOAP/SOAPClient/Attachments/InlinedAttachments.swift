// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings
package import XMLDocuments

/// Puts the attachments that an envelope refers to back into it (XOP 1.0 section 3.2), so that a signature covers them, or that they are
/// printed with it.
///
/// A signature over the reference alone would let a relay between client and service change the bytes.
package enum InlinedAttachments {
    /// The envelope with its attachments.
    ///
    /// - Parameters:
    ///   - bytes: The envelope.
    ///   - attachments: What came beside it.
    ///   - limits: What is refused for its size; the attachments count too.
    /// - Returns: The same bytes where nothing is referred to.
    /// - Throws: ``SOAPClientError``, also for a reference to anything but an attachment of the message, and what reading an attachment throws.
    package static func envelope(_ bytes: [UInt8], _ attachments: [XMLAttachment], limits: XMLLimits) async throws
        -> [UInt8]
    {
        let tree: XMLTree
        do throws(XMLDocumentError) { tree = try XMLTree(parsing: bytes, limits: limits) } catch {
            // The page of an error can be anything; it refers to nothing.
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
        var room = limits.mostBytes - bytes.count
        // Replacing one frees what it holds, so those within others come first.
        for include in includes.reversed() {
            let href = include[XMLName("href")] ?? ""
            guard let id = XMLContentID.id(href) else {
                throw SOAPClientError.unreadable(operation: "Envelope", .attachmentReference(href, at: include.place))
            }
            guard let attachment = attachments.first(where: { $0.contentID == id }) else {
                throw SOAPClientError.unreadable(operation: "Envelope", .missingAttachment(id, at: include.place))
            }
            let mostBytes = max(0, room / 4 * 3)
            let content: [UInt8]
            do {
                content = try await attachment.bytes(upTo: mostBytes)
                // Bytes in memory come whatever their number, and an envelope may refer to them many times.
                guard content.count <= mostBytes else {
                    throw XMLValueError.attachmentTooLarge(mostBytes: mostBytes, at: include.place)
                }
            } catch let error as XMLValueError {
                throw SOAPClientError.unreadable(operation: "Envelope", error)
            }
            let text = Base64.encode(content)
            room -= text.utf8.count
            do throws(XMLDocumentError) { try include.replace(byText: text) } catch {
                throw SOAPClientError.document(error)
            }
        }
        do throws(XMLDocumentError) { return try tree.bytes } catch { throw SOAPClientError.document(error) }
    }
}
