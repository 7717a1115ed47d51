// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// The reason for which a redirect was not followed.
@nonexhaustive
public enum RedirectError: Error, Sendable {
    /// The redirects form a loop. Holds every URL of the chain in order; the last one also occurs earlier.
    case loop([String])
    /// There were more redirects than the limit. Holds the URL of the request, before all redirects, and the limit.
    case tooMany(String, limit: Int)
    /// The redirect's destination is not an `http` or `https` URL, or the response names several destinations.
    case invalid(from: String, location: String)
    /// A redirect decision refused to follow the redirect.
    case refused(from: String, to: String)
    /// The redirect leads from `https` to `http`, which ``HTTPSession/Configuration/allowsRedirectsToPlainHTTP`` forbids.
    case toPlainHTTP(from: String, to: String)
}

extension RedirectError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .loop(let urls):
            ErrorExplanation(
                redacting: "The redirects form a loop: \(urls.joined(separator: " to ")).", "redirect.loop",
                reason: "The last URL redirects to one that was requested before.",
                advice: "Ask the server's operator to correct it, or request another URL of the host.")
        case .tooMany(let url, let limit):
            ErrorExplanation(
                redacting: "The request for \(url) was redirected more than \(limit) times.", "redirect.too-many",
                reason: "The limit protects against endless chains of redirects.",
                advice: "Look where the redirects lead, and request the last URL itself.")
        case .invalid(let origin, let location):
            ErrorExplanation(
                redacting: "\(origin) redirects to \"\(location)\", which cannot be followed.", "redirect.invalid",
                reason: "It is not a URL of http or https with a valid host, or the response names two locations.",
                advice: "Request the intended page by its URL.")
        case .refused(let origin, let destination):
            ErrorExplanation(
                redacting: "\(origin) redirects to \(destination), and the redirect was refused.", "redirect.refused",
                reason: "The program or its user decided not to follow it.",
                advice: "Request that URL itself if you trust it.")
        case .toPlainHTTP(let origin, let destination):
            ErrorExplanation(
                redacting: "\(origin) redirects to \(destination), which is not encrypted.",
                "redirect.to-plain-http", reason: "Following it would give up the protection of https.",
                advice: "Request that URL itself, or allow redirects to plain http.")
        }
    }

    package static var examples: [RedirectError] {
        let (first, second) = ("https://localhost:8443/a", "https://localhost:8443/b")
        return [
            .loop([first, second, first]), .tooMany(first, limit: 20),
            .invalid(from: first, location: "mailto:a@localhost"), .refused(from: first, to: second),
            .toPlainHTTP(from: first, to: "http://localhost:8080/a"),
        ]
    }
}
