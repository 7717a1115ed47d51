// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// Why there is no usable response of a name server.
public enum DNSClientError: Error, Hashable {
    /// No server was given.
    case noServers
    /// No response came in time, in any of the attempts.
    case noResponse(DNSServer)
    /// The server's computer reported that nothing listens on the port, or no route leads to it.
    case unreachable(DNSServer)
    /// The connection for a response over TCP failed or ended early.
    case connectionFailed(DNSServer)
    /// The server sent bytes over TCP that are no response to the query.
    case malformedResponse(DNSServer)
    /// The server refuses to ask other servers for this computer.
    case noRecursion(DNSServer)
    /// The system gives no socket. Holds the system's error number.
    case noSocket(code: Int32)
}

extension DNSClientError: ExplainedError {
    /// What happened, what that means and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .noServers:
            ErrorExplanation(
                "dns.no-servers", "There is no name server to ask.",
                reason: "None was given, and the system's configuration names none.",
                advice: "Name one by its address.")
        case .noResponse(let server):
            ErrorExplanation(
                "dns.no-response", "The name server \(server) does not respond.",
                reason: "It is down, or something between drops the queries or the responses.",
                advice: "Check the address and the firewalls, for UDP and for TCP.")
        case .unreachable(let server):
            ErrorExplanation(
                "dns.unreachable", "The name server \(server) cannot be reached.",
                reason: "Nothing listens on its port, or no route leads to it.", advice: "Check the address.")
        case .connectionFailed(let server):
            ErrorExplanation(
                "dns.connection", "The connection to the name server \(server) failed.",
                reason: "The response is too long for UDP, and over TCP it did not arrive whole.",
                advice: "Let the server and the firewalls allow TCP (RFC 7766).")
        case .malformedResponse(let server):
            ErrorExplanation(
                "dns.malformed-response", "The response of the name server \(server) cannot be read.",
                reason: "It is no DNS message, or it answers another question.",
                advice: "Ask another server.")
        case .noRecursion(let server):
            ErrorExplanation(
                "dns.no-recursion", "The name server \(server) refuses to ask other servers.",
                reason: "It answers for its own zones only, or is a resolver for other computers.",
                advice: "Name a resolver that serves this computer.")
        case .noSocket(let code):
            ErrorExplanation(
                "dns.no-socket", "The system gives no socket (error \(code)).",
                reason: "Its limit of open files is reached, or the address family is switched off.",
                advice: "Ask fewer questions at a time.")
        }
    }
}

extension DNSClientError {
    /// A value for each code, from which `docs/reference/errors-nearby.md` and `countersign explain` are made.
    package static var examples: [Self] {
        let servers = [DNSServer("192.0.2.53")].compactMap(\.self)
        return [.noServers, .noSocket(code: 24)]
            + servers.flatMap { server -> [Self] in
                [
                    .noResponse(server), .unreachable(server), .connectionFailed(server), .malformedResponse(server),
                    .noRecursion(server),
                ]
            }
    }
}
