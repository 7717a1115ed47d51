// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error that prevents a usable response from a name server.
public enum DNSClientError: Error, Hashable {
    /// No server was configured.
    case noServers
    /// No response arrived before the timeout in any attempt.
    case noResponse(DNSServer)
    /// The server's host reported that the port is closed, or there is no route to it.
    case unreachable(DNSServer)
    /// The TCP connection for a response failed or closed early.
    case connectionFailed(DNSServer)
    /// The server sent bytes over TCP that are not a response to the query.
    case malformedResponse(DNSServer)
    /// The server refuses recursion for this client.
    case noRecursion(DNSServer)
    /// The system could not create a socket. Holds the system's error number.
    case noSocket(code: Int32)
}

extension DNSClientError: ExplainedError {
    /// An explanation of the error: its cause, its meaning and a remedy.
    public var explanation: ErrorExplanation {
        switch self {
        case .noServers:
            ErrorExplanation(
                "dns.no-servers", "There is no name server to query.",
                reason: "None was specified, and the system's configuration contains none.",
                advice: "Specify one by its address.")
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
                reason: "The response is too long for UDP, and did not arrive completely over TCP.",
                advice: "Let the server and the firewalls allow TCP (RFC 7766).")
        case .malformedResponse(let server):
            ErrorExplanation(
                "dns.malformed-response", "The response of the name server \(server) cannot be read.",
                reason: "It is not a DNS message, or it answers another question.",
                advice: "Ask another server.")
        case .noRecursion(let server):
            ErrorExplanation(
                "dns.no-recursion", "The name server \(server) refuses recursion.",
                reason: "It answers only for its own zones, or is a resolver for other computers.",
                advice: "Name a resolver that serves this computer.")
        case .noSocket(let code):
            ErrorExplanation(
                "dns.no-socket", "The system could not create a socket (error \(code)).",
                reason: "The limit of open files is reached, or the IP version is disabled.",
                advice: "Reduce the number of concurrent queries.")
        }
    }
}

extension DNSClientError {
    /// An example of each error code, for `docs/reference/errors-nearby.md` and `countersign explain`.
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
