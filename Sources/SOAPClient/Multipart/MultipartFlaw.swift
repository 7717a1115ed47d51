// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The defect of a multipart message (RFC 2046 section 5.1, RFC 2387).
public enum MultipartFlaw: Error, Hashable, Sendable {
    /// `Content-Type` names no boundary, or one that the standard does not allow.
    case noBoundary
    /// The body ends before the last boundary.
    case noFinalBoundary
    /// The text before the first boundary is longer than the limit of a part's head.
    case longPreamble(mostBytes: Int)
    /// A line in the head of a part has no colon, or is not text.
    case malformedHead(part: Int)
    /// The head of a part has more lines or bytes than are read.
    case longHead(part: Int, mostLines: Int, mostBytes: Int)
    /// The message has more parts than the limit.
    case tooManyParts(most: Int)
    /// A part has more bytes than are read, after its transfer encoding was taken off.
    case largePart(part: Int, mostBytes: Int)
    /// All parts together have more bytes than the limit.
    case largeTotal(mostBytes: Int)
    /// A part has a transfer encoding that is not known.
    case unknownTransferEncoding(part: Int, String)
    /// A part is not in the transfer encoding that it names.
    case malformedContent(part: Int, encoding: String)
    /// Two parts have the same content ID.
    case duplicateContentID(String)
    /// No part has the envelope.
    case noRootPart
}
