// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// A defect of a multipart message (RFC 2046 section 5.1, RFC 2387), or a limit that it exceeds.
///
/// Parts are numbered from 1. A value whose label begins with `limit` is the exceeded limit.
@nonexhaustive
public enum MultipartError: Error, Hashable, Sendable {
    /// `Content-Type` contains no boundary, or one that RFC 2046 does not allow.
    case noBoundary
    /// The body ends before the last boundary.
    case noFinalBoundary
    /// The text before the first boundary is longer than the limit for a part's head.
    case longPreamble(maximumByteCount: Int)
    /// A line in the head of a part has no colon, or is not UTF-8.
    case malformedHead(part: Int)
    /// The head of a part exceeds the limit for lines or bytes.
    case longHead(part: Int, maximumLineCount: Int, maximumByteCount: Int)
    /// The message has more parts than the limit.
    case tooManyParts(limit: Int)
    /// A part, after decoding its transfer encoding, is larger than the limit.
    case largePart(part: Int, maximumByteCount: Int)
    /// The entire body is larger than the limit.
    case largeTotal(maximumByteCount: Int)
    /// A part has an unsupported transfer encoding, given by its name.
    case unknownTransferEncoding(part: Int, String)
    /// The content of a part is not valid in its transfer encoding.
    case malformedContent(part: Int, encoding: String)
    /// Two parts have the same content ID.
    case duplicateContentID(String)
    /// No part is the envelope: the message has no parts, or lacks the part that the parameter `start` names.
    case noRootPart
}

extension MultipartError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let reason = "The rest is not read, so that no server can exhaust the program."
        let advice = "Report it to the operator of the service."
        return switch self {
        case .longPreamble(let limit):
            ErrorExplanation(
                "multipart.long-preamble", "More than \(limit) bytes come before the first part.", reason: reason,
                advice: "Check that the boundary in Content-Type matches the body.")
        case .longHead(let part, let lines, let bytes):
            ErrorExplanation(
                "multipart.long-head", "The head of part \(part) has more than \(lines) lines or \(bytes) bytes.",
                reason: reason,
                advice: "Raise maximumHeadLineCount and maximumHeadSize in the limits if heads are this long."
            )
        case .tooManyParts(let limit):
            ErrorExplanation(
                "multipart.too-many-parts", "The message has more than \(limit) parts.", reason: reason,
                advice: "Raise maximumPartCount in the limits if messages have this many.")
        case .largePart(let part, let limit):
            ErrorExplanation(
                "multipart.large-part", "Part \(part) has more than \(limit) bytes.", reason: reason,
                advice: "Raise maximumPartSize in the limits if attachments are this large.")
        case .largeTotal(let limit):
            ErrorExplanation(
                "multipart.large-total", "The parts together have more than \(limit) bytes.", reason: reason,
                advice: "Raise maximumTotalSize in the limits if messages are this large.")
        case .noBoundary:
            ErrorExplanation(
                "multipart.no-boundary", "The multipart message has no usable boundary.",
                reason: "Its parts cannot be found.", advice: advice)
        case .noFinalBoundary:
            ErrorExplanation(
                "multipart.no-final-boundary", "The multipart message ends before its last boundary.",
                reason: "A part of it is missing.", advice: "Try again; the server or a proxy truncated the response.")
        case .malformedHead(let part):
            ErrorExplanation(
                "multipart.malformed-head", "The head of part \(part) is malformed.",
                reason: "Each line has a name, a colon and a value.", advice: advice)
        case .unknownTransferEncoding(let part, let name):
            ErrorExplanation(
                "multipart.unknown-encoding", "Part \(part) has the unknown transfer encoding \"\(name)\".",
                reason: "7bit, 8bit, binary, base64 and quoted-printable are known.", advice: advice)
        case .malformedContent(let part, let encoding):
            ErrorExplanation(
                "multipart.malformed-content", "The content of part \(part) is not in \(encoding).",
                reason: "Its head specifies this encoding.", advice: advice)
        case .duplicateContentID(let identifier):
            ErrorExplanation(
                "multipart.duplicate-content-id", "Two parts have the content ID \(identifier).",
                reason: "A reference to it could mean either.", advice: advice)
        case .noRootPart:
            ErrorExplanation(
                "multipart.no-root-part", "No part of the message is its envelope.",
                reason:
                    "The parameter start names a missing part, or the first part is not an envelope.",
                advice: advice)
        }
    }

    package static var examples: [Self] {
        [
            .noBoundary, .noFinalBoundary, .longPreamble(maximumByteCount: 16 << 10), .malformedHead(part: 2),
            .longHead(part: 2, maximumLineCount: 300, maximumByteCount: 16 << 10), .tooManyParts(limit: 50),
            .largePart(part: 2, maximumByteCount: 256 << 20), .largeTotal(maximumByteCount: 1 << 30),
            .unknownTransferEncoding(part: 2, "x-uuencode"), .malformedContent(part: 2, encoding: "base64"),
            .duplicateContentID("photo@example.com"), .noRootPart,
        ]
    }
}

/// The limits of a multipart message and its attachments.
public struct MultipartLimits: Hashable, Sendable {
    /// The maximum number of parts, including the envelope; 50 by default.
    public var maximumPartCount = 50
    /// The maximum size of one part's head in bytes; 16 KiB by default.
    public var maximumHeadSize = 16 << 10
    /// The maximum number of lines in one part's head; 300 by default.
    public var maximumHeadLineCount = 300
    /// The maximum size of one attachment in bytes, after decoding its transfer encoding; 256 MiB by default.
    public var maximumPartSize = 256 << 20
    /// The maximum size of the entire body in bytes; 1 GiB by default.
    public var maximumTotalSize = 1 << 30
    /// The maximum size of an attachment in memory, in bytes; 1 MiB by default.
    ///
    /// A larger attachment is written to a temporary file.
    public var maximumBytesInMemory = 1 << 20

    /// Creates the default limits.
    public init() {}
}
