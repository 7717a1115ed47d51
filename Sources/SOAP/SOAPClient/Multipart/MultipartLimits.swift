// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The limits of a multipart message, the attachments of which are parts.
public struct MultipartLimits: Hashable, Sendable {
    /// The most parts, the envelope included; 50 by default.
    public var mostParts = 50
    /// The most bytes of one part's head; 16 KiB by default.
    public var mostHeadBytes = 16 << 10
    /// The most lines of one part's head; 300 by default.
    public var mostHeadLines = 300
    /// The most bytes of one attachment, after its transfer encoding was decoded; 256 MiB by default.
    public var mostPartBytes = 256 << 20
    /// The most bytes of the whole body; 1 GiB by default.
    public var mostTotalBytes = 1 << 30
    /// The most bytes of an attachment that are held in memory; 1 MiB by default.
    ///
    /// A larger one is written to a temporary file.
    public var mostBytesInMemory = 1 << 20

    /// Creates the default limits.
    public init() {}
}
