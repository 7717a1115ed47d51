// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Identities
public import Secrets
public import X509

/// The secret of an item.
public enum ItemSecret: Hashable, Sendable {
    /// The password of a generic or an internet password, or the token of the latter.
    case password(Secret)
    /// The certificate of an item of ``KeychainItem/Class/certificate``.
    case certificate(Certificate)
    /// The certificate chain and the key of an item of ``KeychainItem/Class/identity``.
    case identity(Identity)
    /// The text of a note, and descriptions of its attachments.
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
