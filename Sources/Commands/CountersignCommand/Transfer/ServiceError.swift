// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations

/// The reason for which a service of the local network cannot be used or announced.
enum ServiceError: Error, Hashable {
    /// The program `countersign-discover` is missing.
    case notInstalled
    /// The program exited before it answered.
    case ended
    /// The program exited during an announcement.
    case announcementEnded
    /// The program's own error.
    case discovery(ErrorExplanation)
    /// The name is in a domain other than `local`.
    case notLocal(String)
    /// The service is not a web server.
    case notWeb(String)
    /// The name is empty, or longer than 63 bytes.
    case malformed(String)
    case notFound(String)
    /// Several hosts or ports have the name. Holds the name, and the hosts and ports.
    case ambiguous(String, [String])
    /// The discovered host is not in the domain `local`. Holds the name and the host.
    case foreignHost(String, host: String)
    /// The discovered host has no usable address. Holds the name and the host.
    case noAddress(String, host: String)
    /// No option identifies the certificate of the service.
    case trustNeeded(String)
    /// A credential would be sent without TLS. Holds the service name, and the option that supplies the credential.
    case credentialWithoutTLS(String, option: String)
}

extension ServiceError: CataloguedError {
    var explanation: ErrorExplanation {
        switch self {
        case .notInstalled:
            ErrorExplanation(
                "service.not-installed", "The program countersign-discover was not found.",
                reason: "It finds and announces services, and must be in the folder of countersign or in PATH.",
                advice:
                    "Build it with 'swift build --package-path Nearby --product countersign-discover', and add its folder to PATH."
            )
        case .ended:
            ErrorExplanation(
                "service.program-ended", "The program countersign-discover ended before it answered.",
                reason: "It was ended from outside, or failed.", advice: "Try 'countersign discover --timeout 5'.")
        case .announcementEnded:
            ErrorExplanation(
                "service.announcement-ended",
                "The program countersign-discover ended, so nothing is announced any more.",
                reason: "It was ended from outside, or failed.",
                advice: "Read what it printed above, or try 'countersign discover --timeout 5'.")
        case .discovery(let explanation): explanation
        case .notLocal(let name):
            ErrorExplanation(
                .usage, "service.not-local", "\"\(name)\" is no service of the local network.",
                reason: "Names are looked up in the domain local alone, by multicast DNS.",
                advice: "Write it as 'My web._https._tcp.local', or write a URL that begins with https://.")
        case .notWeb(let name):
            ErrorExplanation(
                .usage, "service.not-web", "\"\(name)\" is no web server.",
                reason: "A service can be fetched if its type is _https._tcp or _http._tcp.",
                advice: "List web servers with 'countersign discover _https._tcp'.")
        case .malformed(let name):
            ErrorExplanation(
                .usage, "service.malformed-name", "\"\(name)\" cannot be the name of a service.",
                reason: "The part before the type has 1 to 63 bytes of UTF-8.",
                advice: "Copy the name from 'countersign discover _https._tcp'.")
        case .notFound(let name):
            ErrorExplanation(
                "service.not-found", "The service \"\(name)\" was not found.",
                reason: "No computer on this network has answered for it in time.",
                advice:
                    "List the services with 'countersign discover _https._tcp', and check that both computers are on one network."
            )
        case .ambiguous(let name, let places):
            ErrorExplanation(
                "service.ambiguous", "Several servers are called \"\(name)\": \(places.joined(separator: ", ")).",
                reason: "Any computer can take any name, so it is not known which of them is meant.",
                advice: "Write the URL of the one that is meant.")
        case .foreignHost(let name, let host):
            ErrorExplanation(
                "service.foreign-host",
                "The service \"\(name)\" names the host \(host), which is not in the domain local.",
                reason: "What is found is not authenticated, and may lead only to hosts of the local network.",
                advice: "Write the URL of the host, if that is what is meant.")
        case .noAddress(let name, let host):
            ErrorExplanation(
                "service.no-address", "The service \"\(name)\" is on \(host), which has no address that can be used.",
                reason: "It has none, or only link-local addresses of IPv6, which are not supported.",
                advice: "Write a URL with the host, and its address in --resolve HOST:PORT:ADDRESS.")
        case .trustNeeded(let name):
            ErrorExplanation(
                .notTrusted, "service.trust-needed", "Nothing says which certificate \"\(name)\" must have.",
                reason:
                    "Discovery is not authenticated: any computer on the network can take the name. The system's anchors, and a key that is seen first, prove nothing about it.",
                advice:
                    "Name the authority that issues the service's certificate, its key, or the host that its certificate is for."
            )
        case .credentialWithoutTLS(let name, let option):
            ErrorExplanation(
                .usage, "service.credential-without-tls",
                "\(option) cannot be used with \"\(name)\", which does not use TLS.",
                reason: "Any computer on the network can take the name, and would receive the credential.",
                advice: "Use a service of the type _https._tcp, or write the URL of a server that you trust.")
        }
    }

    static var examples: [ServiceError] {
        let name = "Lab basic._https._tcp.local"
        return [
            .notInstalled, .ended, .announcementEnded, .notLocal("Web._https._tcp.example.com"),
            .notWeb("Printer._ipp._tcp.local"), .malformed("._https._tcp.local"), .notFound(name),
            .ambiguous(name, ["a.local:8443", "b.local:8443"]), .foreignHost(name, host: "www.example.com"),
            .noAddress(name, host: "lab.local"), .trustNeeded(name),
            .credentialWithoutTLS("Lab basic._http._tcp.local", option: "--user"),
        ]
    }
}
