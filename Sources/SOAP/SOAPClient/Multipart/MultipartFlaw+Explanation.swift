// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

extension MultipartFlaw: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation { sizeExplanation ?? syntaxExplanation }

    private var sizeExplanation: ErrorExplanation? {
        let reason = "The rest is not read, so that no server can exhaust the program."
        return switch self {
        case .longPreamble(let most):
            ErrorExplanation(
                "multipart.long-preamble", "More than \(most) bytes come before the first part.", reason: reason,
                advice: "See whether the boundary in Content-Type is the one in the body.")
        case .longHead(let part, let lines, let bytes):
            ErrorExplanation(
                "multipart.long-head", "The head of part \(part) has more than \(lines) lines or \(bytes) bytes.",
                reason: reason, advice: "Raise mostHeadLines and mostHeadBytes in the limits where heads are this long."
            )
        case .tooManyParts(let most):
            ErrorExplanation(
                "multipart.too-many-parts", "The message has more than \(most) parts.", reason: reason,
                advice: "Raise mostParts in the limits where messages have this many.")
        case .largePart(let part, let most):
            ErrorExplanation(
                "multipart.large-part", "Part \(part) has more than \(most) bytes.", reason: reason,
                advice: "Raise mostPartBytes in the limits where attachments are this large.")
        case .largeTotal(let most):
            ErrorExplanation(
                "multipart.large-total", "The parts together have more than \(most) bytes.", reason: reason,
                advice: "Raise mostTotalBytes in the limits where messages are this large.")
        default: nil
        }
    }

    private var syntaxExplanation: ErrorExplanation {
        let advice = "Report it to the operator of the service."
        return switch self {
        case .noBoundary:
            ErrorExplanation(
                "multipart.no-boundary", "The message of several parts names no boundary that can be used.",
                reason: "Its parts cannot be found.", advice: advice)
        case .noFinalBoundary:
            ErrorExplanation(
                "multipart.no-final-boundary", "The message of several parts ends before its last boundary.",
                reason: "A part of it is missing.", advice: "Try again; the server or a proxy cut the response.")
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
                reason: "Its head says that it is.", advice: advice)
        case .duplicateContentID(let identifier):
            ErrorExplanation(
                "multipart.duplicate-content-id", "Two parts have the content ID \(identifier).",
                reason: "A reference to it could mean either.", advice: advice)
        default:
            ErrorExplanation(
                "multipart.no-root-part", "No part of the message is its envelope.",
                reason:
                    "The parameter start names another part than those that came, or the first part is no envelope.",
                advice: advice)
        }
    }

    package static var examples: [Self] {
        [
            .noBoundary, .noFinalBoundary, .longPreamble(mostBytes: 16 << 10), .malformedHead(part: 2),
            .longHead(part: 2, mostLines: 300, mostBytes: 16 << 10), .tooManyParts(most: 50),
            .largePart(part: 2, mostBytes: 256 << 20), .largeTotal(mostBytes: 1 << 30),
            .unknownTransferEncoding(part: 2, "x-uuencode"), .malformedContent(part: 2, encoding: "base64"),
            .duplicateContentID("photo@example.com"), .noRootPart,
        ]
    }
}
