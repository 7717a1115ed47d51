// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A defect of a multipart message (RFC 2046 section 5.1, RFC 2387), or a limit that it exceeds.
///
/// Parts are numbered from 1. A value whose label begins with `most` is the limit that was exceeded.
public enum MultipartFlaw: Error, Hashable, Sendable {
    /// `Content-Type` names no boundary, or one that RFC 2046 does not allow.
    case noBoundary
    /// The body ends before the last boundary.
    case noFinalBoundary
    /// The text before the first boundary has more bytes than the head of a part may have.
    case longPreamble(mostBytes: Int)
    /// A line in the head of a part has no colon, or is not UTF-8.
    case malformedHead(part: Int)
    /// The head of a part has more lines or bytes than the limits.
    case longHead(part: Int, mostLines: Int, mostBytes: Int)
    /// The message has more parts than the limit.
    case tooManyParts(most: Int)
    /// A part has more bytes than the limit, after its transfer encoding was decoded.
    case largePart(part: Int, mostBytes: Int)
    /// The whole body has more bytes than the limit.
    case largeTotal(mostBytes: Int)
    /// A part has a transfer encoding, given by its name, that is not supported.
    case unknownTransferEncoding(part: Int, String)
    /// The content of a part is not valid in the transfer encoding that the part names.
    case malformedContent(part: Int, encoding: String)
    /// Two parts have the same content ID.
    case duplicateContentID(String)
    /// No part holds the envelope: the message has no part, or not the one that the parameter `start` names.
    case noRootPart
}
