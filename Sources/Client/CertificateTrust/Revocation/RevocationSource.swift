// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations

/// The source of a revocation list or an OCSP response.
public struct EvidenceOrigin: Hashable, Sendable {
    /// The kind of a source.
    @nonexhaustive
    public enum Kind: String, Hashable, Sendable, Codable {
        /// An OCSP responder (RFC 6960).
        case responder
        /// A distribution point of a revocation list (RFC 5280 section 4.2.1.13).
        case list
        /// The handshake, in which the server stapled the response (RFC 6066 section 8).
        case staple
        /// A file.
        case file
        /// The caller of the evaluation, which did not name a source.
        case caller
    }

    /// The kind of the source.
    public let kind: Kind
    /// The URL of a responder or list, or the path of a file; `nil` for the other kinds.
    public let place: String?
    let parsed: ParsedCertificate?

    init(_ kind: Kind, at place: String?, aboutParsed certificate: ParsedCertificate?) {
        (self.kind, self.place, parsed) = (kind, place, certificate)
    }

    /// The origin of evidence without a named source.
    public static let caller = EvidenceOrigin(.caller, at: nil, aboutParsed: nil)
}

extension EvidenceOrigin {
    /// The source, as the subject of a sentence.
    fileprivate var title: String {
        let place = place.map { " " + $0.printable } ?? ""
        return switch kind {
        case .responder: "The OCSP responder\(place)"
        case .list: "The revocation list\(place)"
        case .staple: "The OCSP response of the handshake"
        case .file: "The file\(place)"
        case .caller: "The given revocation information"
        }
    }
}

/// The answer of one source about one certificate.
public struct RevocationSourceAnswer: Hashable, Sendable {
    /// The source.
    public let origin: EvidenceOrigin
    /// The answer; ``RevocationAnswer/unknown(_:)`` holds the reason why the source shows nothing.
    public let answer: RevocationAnswer

    /// The answer, in one or two sentences.
    public var explanation: String {
        switch answer {
        case .good(let until): "\(origin.title) says that it is not revoked, valid until \(until.dayText)."
        case .revoked(let time, let reason):
            "\(origin.title) says that it was revoked on \(time.dayText) (\(reason.text))."
        case .unknown(let problem): "\(origin.title) cannot be used: \(problem?.reason ?? "it gave no answer")."
        case .notAsked, .outOfScope: "\(origin.title) was not asked."
        }
    }
}

/// The answer about one certificate, and those of the single sources.
struct CertificateAnswers: Hashable {
    var answer: RevocationAnswer
    var sources: [RevocationSourceAnswer] = []
}

/// The reason why a list, a response or an issuer's certificate could not be fetched.
@nonexhaustive
public enum EvidenceFetchProblem: Hashable, Sendable {
    /// The response has another HTTP status than 200.
    case status(Int)
    /// The body is not the requested evidence, and its media type is another one too.
    case contentType(String)
    /// The body is not the requested evidence.
    case unreadable
    /// The body is empty.
    case empty
    /// The body is larger than the limit, in bytes.
    case tooLarge(limit: Int)
    /// No complete answer arrived within the evidence timeout.
    case timedOut
    /// The host name of the URL cannot be resolved.
    case cannotResolve
    /// The host does not accept connections, or cannot be reached.
    case cannotConnect
    /// The connection ended before the complete answer had arrived.
    case lost
    /// The redirects form a loop, or there are too many.
    case redirects
    /// The server of an https URL is not trusted, or the TLS handshake failed.
    case notSecure
    /// The URL is in the local network, and the server that presented the chain is not (``TrustPolicy/LocalEvidence``).
    case localAddress
    /// Another error. Holds its stable code.
    case failed(code: String)
}

extension EvidenceFetchProblem {
    /// The last part of the stable code, such as `fetch-status`.
    var codeSuffix: String {
        switch self {
        case .status: "fetch-status"
        case .contentType: "fetch-content-type"
        case .unreadable: "fetch-unreadable"
        case .empty: "fetch-empty"
        case .tooLarge: "fetch-too-large"
        case .timedOut: "fetch-timeout"
        case .cannotResolve: "fetch-unresolved"
        case .cannotConnect: "fetch-not-connected"
        case .lost: "fetch-lost"
        case .redirects: "fetch-redirects"
        case .notSecure: "fetch-not-secure"
        case .localAddress: "fetch-local-address"
        case .failed: "fetch-failed"
        }
    }

    /// The problem as a clause whose subject is the source.
    var clause: String {
        switch self {
        case .status(let code): "it answered with the HTTP status \(code)"
        case .contentType(let type): "it answered with \(type.printable), which is not the requested information"
        case .unreadable: "it answered with bytes that are not the requested information"
        case .empty: "it answered with an empty body"
        case .tooLarge(let limit): "it answered with more than \(limit) bytes"
        case .timedOut: "it did not answer in time"
        case .cannotResolve: "its host name cannot be resolved"
        case .cannotConnect: "no connection to it could be opened"
        case .lost: "the connection to it ended early"
        case .redirects: "it redirects in a loop, or too often"
        case .notSecure: "the TLS connection to it failed"
        case .localAddress: "it is in the local network, and the server is not, so it was not asked"
        case .failed(let code): "it could not be asked (\(code))"
        }
    }

    private var reason: String {
        switch self {
        case .status: "Only an answer with the status 200 holds evidence."
        case .contentType: "A web page or a captive portal may have answered instead."
        case .unreadable: "A list is a CRL (RFC 5280), and the answer of a responder an OCSP response (RFC 6960)."
        case .empty: "The answer holds no information."
        case .tooLarge: "The size is limited, because a hostile source could otherwise use up the memory."
        case .timedOut: "The time for evidence is limited."
        case .cannotResolve: "The name does not exist, or the name server is unreachable."
        case .cannotConnect: "The host refused the connection, or is unreachable."
        case .lost: "The server or the network ended it."
        case .redirects: "The number of redirects is limited."
        case .notSecure: "Its server is not trusted, or the handshake failed."
        case .localAddress: "A certificate could otherwise make this program send requests into its own network."
        case .failed: "The request failed."
        }
    }

    private var advice: String {
        switch self {
        case .timedOut: "Try again later, or raise the limit of the time for evidence."
        case .localAddress: "If the source is known, allow evidence from local addresses."
        default: "Check the URL, and that it can be reached from here; or report it to the issuer of the certificate."
        }
    }

    /// Returns the explanation for a URL.
    func parts(for place: String) -> ClausedExplanation {
        ClausedExplanation(
            "revocation.\(codeSuffix)", "the source \(place.printable) cannot be used: \(clause)", reason: reason,
            advice: advice)
    }

    /// An example value for each code.
    static var examples: [EvidenceFetchProblem] {
        [
            .status(404), .contentType("text/html"), .unreadable, .empty, .tooLarge(limit: 262_144), .timedOut,
            .cannotResolve, .cannotConnect, .lost, .redirects, .notSecure, .localAddress,
            .failed(code: "request.invalid-url"),
        ]
    }
}
