// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Identities
public import Secrets
public import X509

/// The secret of an item.
public enum ItemSecret: Hashable, Sendable {
    /// Of a generic or an internet password; a token's too.
    case password(Secret)
    case certificate(Certificate)
    case identity(Identity)
    /// A note's text, and what is attached to it.
    case note(Secret, attachments: [AttachmentFacts])

    /// The description of a note's attachment.
    public struct AttachmentFacts: Hashable, Sendable {
        /// The file name of the attachment.
        public let name: String
        /// The media type, such as `image/png` (RFC 6838); may be empty.
        public let mediaType: String
        /// The size in bytes.
        public let size: Int
        /// SHA-256 of its bytes.
        let digest: [UInt8]
        /// The number of its first chunk among those of the note.
        let firstChunk: Int64
    }
}
