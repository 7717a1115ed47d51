// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The attachments that a writer takes out of a message (MTOM).
package struct XMLAttachmentCollector: Sendable {
    /// From how many bytes on a binary value is an attachment.
    package let threshold: Int
    /// What was taken out, in the message's order.
    package private(set) var attachments: [XMLAttachment] = []

    package init(threshold: Int) { self.threshold = threshold }

    /// Takes an attachment, and names it.
    mutating func collect(_ attachment: XMLAttachment) {
        if !attachments.contains(where: { $0.contentID == attachment.contentID }) { attachments.append(attachment) }
    }
}
