// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import HTTPTransport

/// An error in the body of a request or of a response.
@nonexhaustive
public enum BodyError: Error, Sendable {
    /// The defect of a compressed body (RFC 9110 section 8.4).
    @nonexhaustive
    public enum MalformedContentCoding: Hashable, Sendable {
        /// The bytes are not valid data of the coding, or do not match their checksum.
        case data
        /// The body arrived completely, but its coded data is incomplete.
        case truncated
        /// More bytes than the limit follow the coded data. Holds the limit, in bytes; fewer trailing bytes are ignored
        /// as padding.
        case trailingData(limit: Int)
        /// The body needs a decoder with a larger window than the limit (RFC 9659). Holds the limit, in bytes.
        case window(limit: Int)
        /// The body has more nested codings than the limit. Holds the limit.
        case tooMany(limit: Int)
    }

    /// The request must be sent again, but its body can be produced only once and has been read already. Holds the URL.
    case notRepeatable(String)
    /// A body that can be produced only once was used for a second request.
    case usedUp
    /// The body of a response was read a second time.
    case alreadyRead
    /// The length of a request body differs from the announced one. Holds byte counts; if the body is too long,
    /// `produced` may count only a part of it.
    case wrongLength(SessionError.Peer, announced: Int, produced: Int)
    /// The length of a form part differs from the announced one. Holds the name of the part, and byte counts.
    case wrongPartLength(name: String, announced: Int, produced: Int)
    /// The body of a response ended early. Holds byte counts; `expected` is `nil` if the response announced no length.
    case truncated(SessionError.Peer, received: Int, expected: Int?)
    /// The body of a response does not match its `Content-Encoding`.
    case malformedContentCoding(SessionError.Peer, MalformedContentCoding)
    /// The body of a response has a coding that the session does not support. Holds the name of the coding.
    case unknownContentCoding(SessionError.Peer, String)
    /// A line of a body cannot be decoded as the caller's type. Holds the number of the line, from 1, the name of the
    /// type, and a `DecodingError` or the error that the type's initializer threw.
    case undecodableLine(Int, as: String, any Error)
}

extension BodyError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .notRepeatable(let url):
            ErrorExplanation(
                redacting: "\(url) requires the request again, and its body can be read only once.",
                "body.not-repeatable",
                reason: "After a challenge or a redirect the body is sent a second time.",
                advice: "Send the body from a file or from memory.")
        case .usedUp:
            ErrorExplanation(
                "body.used-up", "The body was sent before, and can be read only once.",
                reason: "A body that comes from a stream belongs to one request.",
                advice: "Make a new body for each request.")
        case .alreadyRead:
            ErrorExplanation(
                "body.already-read", "The body of the response was read before, and can be read only once.",
                reason: "The bytes of a body are passed on as they arrive, and not stored.",
                advice: "Read the body once, and use the result again.")
        case .wrongLength(let peer, let announced, let produced):
            ErrorExplanation(
                "body.wrong-length",
                "The body for \(peer) was announced with \(announced) bytes and has \(produced).",
                reason: "The server would wait for the missing bytes, or read the rest as another request.",
                advice: "Give the right length, and do not change a file while it is sent.")
        case .wrongPartLength(let name, let announced, let produced):
            ErrorExplanation(
                "body.wrong-part-length",
                "The form part \"\(name)\" was announced with \(announced) bytes and has \(produced).",
                reason: "The length of the whole form was announced from the lengths of its parts.",
                advice: "Give the right length, and do not change a file while it is sent.")
        case .truncated(let peer, let received, let expected):
            ErrorExplanation(
                "body.truncated",
                "\(peer.subject) ended the body after \(received)\(expected.map { " of \($0)" } ?? "") bytes.",
                reason: "The connection was closed before the complete body arrived.", advice: "Try again.")
        case .malformedContentCoding(let peer, let cause):
            ErrorExplanation(
                "body.malformed-content-coding",
                "\(peer.subject) sent a compressed body that cannot be read: \(cause.clause).",
                reason: "The body does not match its Content-Encoding.",
                advice: "Try again. If it happens again, ask the server's operator to correct it.")
        case .unknownContentCoding(let peer, let coding):
            ErrorExplanation(
                "body.unknown-content-coding",
                "\(peer.subject) sent the body in the coding \"\(coding)\", which cannot be decoded.",
                reason: "The request did not ask for that coding (Accept-Encoding).\(Self.note(on: coding))",
                advice: "Have the body delivered as it is sent, and decode it with another program.")
        case .undecodableLine(let number, let type, let cause):
            ErrorExplanation(
                redacting: "Line \(number) of the body cannot be decoded as \(type)\(ResponseError.clause(cause)).",
                "body.undecodable-line", reason: "It does not have the form that the caller expects.",
                advice: "Check the URL and the version of the service.")
        }
    }

    /// Returns a sentence about a coding that another build supports; empty for every other coding.
    private static func note(on coding: String) -> String {
        ["br": "Brotli", "zstd": "Zstd"][coding].map { " A build with the trait \($0) decodes it." } ?? ""
    }

    package static var examples: [BodyError] {
        [
            .notRepeatable("https://localhost:8443/upload"), .usedUp, .alreadyRead,
            .wrongLength(.example, announced: 100, produced: 99),
            .wrongPartLength(name: "file", announced: 100, produced: 99),
            .truncated(.example, received: 512, expected: 1024), .malformedContentCoding(.example, .data),
            .unknownContentCoding(.example, "zstd"), .undecodableLine(3, as: "Item", CancellationError()),
        ]
    }
}

extension BodyError.MalformedContentCoding {
    fileprivate var clause: String {
        switch self {
        case .data: "its data or its checksum is wrong"
        case .truncated: "its end is missing"
        case .trailingData(let limit): "more than \(limit) bytes follow it"
        case .window(let limit): "it needs a window of more than \(limit >> 20) MiB"
        case .tooMany(let limit): "it was compressed more than \(limit) times"
        }
    }
}
