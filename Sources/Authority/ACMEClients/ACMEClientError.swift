// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ACME
public import ErrorExplanations

/// An error in a request to an authority, or in an order that results in no usable certificate.
@nonexhaustive
public enum ACMEClientError: Error, Hashable, Sendable {
    /// The response is not one that an ACME server sends for the URL. Holds the HTTP status too.
    case unexpectedResponse(url: String, status: Int)
    /// The authority refused a request. Holds the seconds after which the client may retry; `nil` if the authority does
    /// not give them.
    case refused(ACMEProblem, retryAfter: Int?)
    /// The account must agree to the terms of service at the URL.
    case termsNotAgreed(url: String)
    /// The authority offers no challenge for the identifier that a responder can answer. Holds the offered kinds.
    case noUsableChallenge(ACMEIdentifier, offered: [ACMEChallenge.Kind])
    /// The authority did not find the answer to a challenge. Holds the authority's reason; `nil` if it gives none.
    case challengeFailed(ACMEIdentifier, ACMEChallenge.Kind, ACMEProblem?)
    /// The authorization is neither pending nor valid.
    case authorizationLost(ACMEIdentifier, ACMEAuthorization.Status)
    /// The authority did not issue the certificate. Holds the authority's reason; `nil` if it gives none.
    case orderFailed(ACMEProblem?)
    /// The authority did not finish an authorization or an order in time. Holds the timeout in seconds.
    case timedOut(seconds: Int)
    /// The order or the certificate has other names than requested. Holds the names found.
    case otherIdentifiers([ACMEIdentifier])
    /// The certificate has another key than the certificate request.
    case otherKey
    /// The authority's response is not a certificate chain in PEM.
    case malformedCertificate
    /// The directory has no such resource.
    case notOffered(Resource)

    /// A feature that an authority may lack.
    @nonexhaustive
    public enum Resource: String, Hashable, Sendable, CaseIterable {
        /// Renewal information, which suggests a time for renewing a certificate (RFC 9773).
        case renewalInfo
    }
}

extension ACMEClientError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .unexpectedResponse(let url, let status):
            ErrorExplanation(
                "acme.unexpected-response",
                "The answer of \(url), with status \(status), is not that of an ACME server.",
                reason: "The URL is not that of an ACME server's directory, or an intermediary responds.",
                advice: "Give the URL of the directory, which ends in /directory at most authorities.")
        case .refused(let problem, let seconds):
            ErrorExplanation(
                "acme.refused", "The authority refused the request: \(Self.text(problem))",
                reason: "The authority reports the problem \(problem.type.name).",
                advice: seconds.map { "Try again after \(Duration.seconds($0).text)." }
                    ?? "Change the request as the authority says.")
        case .termsNotAgreed(let url):
            ErrorExplanation(
                "acme.terms-not-agreed", "The authority requires agreement to its terms of service: \(url).",
                reason: "It creates no account without it.", advice: "Read them, and agree if you do.")
        case .noUsableChallenge(let identifier, let offered):
            ErrorExplanation(
                "acme.no-usable-challenge", "No challenge for \(identifier.value) can be answered here.",
                reason: "The authority offers \(Self.list(offered)), and a wildcard needs dns-01 everywhere.",
                advice: "Set up an answer to one of them.")
        case .challengeFailed(let identifier, let kind, let problem):
            ErrorExplanation(
                "acme.challenge-failed",
                "The authority did not find the answer to \(kind.rawValue) for \(identifier.value): \(Self.text(problem))",
                reason: Self.place(of: kind, identifier),
                advice: "Check the answer from outside, and try again.")
        case .authorizationLost(let identifier, let status):
            ErrorExplanation(
                "acme.authorization-lost", "The authorization for \(identifier.value) is \(status.rawValue).",
                reason: "It ended before the order was complete.", advice: "Order again.")
        case .orderFailed(let problem):
            ErrorExplanation(
                "acme.order-failed", "The authority did not issue the certificate: \(Self.text(problem))",
                reason: "The order has failed, and cannot be continued.", advice: "Order again, or ask the authority."
            )
        case .timedOut(let seconds):
            ErrorExplanation(
                "acme.took-too-long", "The authority did not finish within \(Duration.seconds(seconds).text).",
                reason: "It is slow, or cannot reach the server that it validates.", advice: "Order again later.")
        case .otherIdentifiers(let found):
            ErrorExplanation(
                "acme.other-identifiers",
                "The authority responded with other names than were ordered: \(found.map(\.value).joined(separator: ", ")).",
                reason: "A certificate for them is not valid for the ordered names.",
                advice: "Order the names as the authority writes them, or ask the authority.")
        case .otherKey:
            ErrorExplanation(
                "acme.other-key", "The certificate has another key than the request.",
                reason: "It is not the one that was ordered.", advice: "Order again, and ask the authority.")
        case .malformedCertificate:
            ErrorExplanation(
                "acme.malformed-certificate", "The authority's response is not a certificate chain.",
                reason: "A chain is in PEM, the certificate first.", advice: "Ask the authority.")
        case .notOffered(let resource):
            ErrorExplanation(
                "acme.not-offered", "The authority has no \(resource.rawValue).",
                reason: "Its directory does not list it.", advice: "Use the certificate's expiry date.")
        }
    }

    private static func text(_ problem: ACMEProblem?) -> String {
        guard let problem else { return "it does not say why." }
        let parts = (problem.subproblems ?? []).compactMap { part in
            part.detail.map { "\(part.identifier.map { "\($0.value): " } ?? "")\($0)" }
        }
        let text = ([problem.detail ?? problem.type.name] + parts).joined(separator: " ")
        return text.hasSuffix(".") ? text : text + "."
    }

    private static func list(_ kinds: [ACMEChallenge.Kind]) -> String {
        kinds.isEmpty ? "none" : kinds.map(\.rawValue).joined(separator: ", ")
    }

    private static func place(of kind: ACMEChallenge.Kind, _ identifier: ACMEIdentifier) -> String {
        switch kind {
        case .http01: "It requests http://\(identifier.value)/.well-known/acme-challenge/ on port 80."
        case .dns01: "It checks the TXT records of \(KeyAuthorization.recordName(for: identifier.value))."
        case .tlsALPN01: "It checks the certificate of \(identifier.value) on port 443 for acme-tls/1."
        default: "It checks the location that the challenge specifies."
        }
    }

    package static var examples: [Self] {
        let name = ACMEIdentifier(type: .dns, value: "www.home.example")
        let problem = ACMEProblem(.connection, "Connection refused.")
        return [
            .unexpectedResponse(url: "https://ca.home.example/", status: 404),
            .refused(ACMEProblem(.rateLimited, "Too many orders."), retryAfter: 3_600),
            .termsNotAgreed(url: "https://ca.home.example/terms"), .noUsableChallenge(name, offered: [.dns01]),
            .challengeFailed(name, .http01, problem), .authorizationLost(name, .deactivated),
            .orderFailed(problem), .timedOut(seconds: 300), .otherIdentifiers([name]), .otherKey,
            .malformedCertificate, .notOffered(.renewalInfo),
        ]
    }
}
