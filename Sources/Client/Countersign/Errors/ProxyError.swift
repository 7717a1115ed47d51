// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import ErrorExplanations
public import HTTPTransport

/// An error of a proxy, or in the setting that names one.
@nonexhaustive
public enum ProxyError: Error, Sendable {
    /// The defect of an environment variable.
    @nonexhaustive
    public enum InvalidVariable: Hashable, Sendable {
        /// The proxy's URL is malformed or incomplete.
        case url(RequestError.InvalidURL)
        /// The scheme of the proxy's URL is not supported. Holds the scheme.
        case unsupportedScheme(String)
        /// An entry in the list of directly reached hosts is not a host name, address or address block. Holds
        /// the entry.
        case exception(String)
    }

    /// The proxy refused to open a tunnel to the destination (RFC 9110 section 9.3.6). Holds the status code, and the
    /// proxy's request for a client certificate if none was presented.
    case refused(
        HostEndpoint, destination: HostEndpoint, status: Int, unansweredCertificateRequest: ClientCertificateRequest?)
    /// The proxy requires authentication, and no credential was sent. Holds the methods that it offers.
    case authenticationRequired(HostEndpoint, [AuthenticationMethod])
    /// The proxy rejected every credential that was sent, such as a wrong password. Holds the methods that it offers.
    case credentialRejected(HostEndpoint, [AuthenticationMethod])
    /// The proxy offers no authentication method that is allowed for it (``Proxy/methods``, `ServerPolicy.methods`). No
    /// credential was sent.
    case methodsNotAllowed(HostEndpoint, offered: [AuthenticationMethod], allowed: AllowedMethods)
    /// The SOCKS proxy did not open a connection to the destination.
    case socksRefused(HostEndpoint, destination: HostEndpoint, SessionError.SOCKSRefusal)
    /// The proxy sent a message that is not valid in SOCKS 5 (RFC 1928).
    case malformedSOCKS(HostEndpoint, SessionError.MalformedSOCKS)
    /// An environment variable for proxies, or for the directly reached hosts, is invalid. Holds the variable's name.
    case invalidVariable(String, InvalidVariable)
    /// An entry in the list of directly reached hosts is not a host name, address or address block. Holds the entry.
    case invalidException(String)
}

extension ProxyError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .refused(let proxy, let destination, let status, _):
            ErrorExplanation(
                "proxy.refused", "The proxy \(proxy) refused to connect to \(destination): status \(status).",
                reason: missingCertificate?.reason(for: "proxy")
                    ?? "The proxy's rules forbid the host or the port, or the proxy cannot reach it.",
                advice: missingCertificate == nil
                    ? "Ask the proxy's operator whether it may connect to that host and port." : .presentIdentity)
        case .authenticationRequired(let proxy, let methods):
            ErrorExplanation(
                .notAuthenticated, "proxy.authentication-required",
                "The proxy \(proxy) requires authentication\(methods.clause).",
                reason: "No credential was given for the proxy.",
                advice: "Give the user and the password of the proxy.")
        case .credentialRejected(let proxy, let methods):
            ErrorExplanation(
                .notAuthenticated, "proxy.credential-rejected",
                "The proxy \(proxy) rejected the credential\(methods.clause).",
                reason: "The user or the password is wrong, or the user may not use the proxy.",
                advice: "Check the user and the password of the proxy.")
        case .methodsNotAllowed(let proxy, let offered, let allowed):
            ErrorExplanation(
                .notAuthenticated, "proxy.methods-not-allowed",
                "The proxy \(proxy) offers \(offered.map(\.description).joined(separator: ", ")), and only \(allowed) is allowed for it.",
                reason: "None of its methods is allowed, so no password was sent.",
                advice: "Allow one of its methods if you trust the network between here and the proxy.")
        case .socksRefused(let proxy, let destination, let refusal):
            ErrorExplanation(
                "proxy.socks-refused",
                "The proxy \(proxy) did not connect to \(destination): \(refusal.clause).",
                reason: refusal.reason, advice: refusal.advice)
        case .malformedSOCKS(let proxy, let cause):
            ErrorExplanation(
                "proxy.malformed-socks", "The proxy \(proxy) sent a malformed SOCKS 5 message: \(cause.clause).",
                reason: "The server on that port may not be a SOCKS proxy.",
                advice: "Check the port. If it is an HTTP proxy, use http: instead of socks5:.")
        case .invalidVariable(let name, let cause):
            ErrorExplanation(
                redacting: "The environment variable \(name) cannot be used: \(cause.clause).",
                .usage, "proxy.invalid-variable",
                reason: "It names the proxy, or the hosts that are reached without one.",
                advice: "\(cause.advice) Or unset \(name).")
        case .invalidException(let place):
            ErrorExplanation(
                redacting: "\"\(place)\" is not a host name, an address or a block of addresses.",
                .usage, "proxy.invalid-exception",
                reason: "It is in the list of hosts that are reached without a proxy.",
                advice: InvalidVariable.exception(place).advice)
        }
    }

    /// The proxy's request for a client certificate, if its absence may explain the refusal; `nil` otherwise.
    private var missingCertificate: ClientCertificateRequest? {
        if case .refused(_, _, 400..<500, let request) = self { request } else { nil }
    }

    package static var examples: [ProxyError] {
        [
            .refused(.exampleProxy, destination: .example, status: 403, unansweredCertificateRequest: nil),
            .authenticationRequired(.exampleProxy, [.digest, .basic]),
            .credentialRejected(.exampleProxy, [.digest]),
            .methodsNotAllowed(.exampleProxy, offered: [.basic], allowed: .only([.digest])),
            .socksRefused(.exampleProxy, destination: .example, .notAllowed),
            .malformedSOCKS(.exampleProxy, .version(72)),
            .invalidVariable("https_proxy", .unsupportedScheme("ftp")), .invalidException("10.0.0.0/64"),
        ]
    }
}

extension [AuthenticationMethod] {
    /// The methods in parentheses; empty if there are none.
    fileprivate var clause: String { isEmpty ? "" : " (\(map(\.description).joined(separator: ", ")))" }
}

extension SOCKSRefusal {
    fileprivate var clause: String {
        switch self {
        case .noAcceptableMethod: "it accepts neither a user with a password nor a client without a login"
        case .generalFailure: "it reported a general failure"
        case .notAllowed: "its rules forbid it"
        case .networkUnreachable: "it cannot reach the network"
        case .hostUnreachable: "it cannot reach the host"
        case .connectionRefused: "the destination refused the connection"
        case .timeToLiveExpired: "the route to the destination is too long"
        case .commandNotSupported: "it does not open connections"
        case .addressTypeNotSupported: "it does not support this kind of address"
        case .unassigned(let code): "it gave the unassigned reason \(code)"
        }
    }

    fileprivate var reason: String {
        switch self {
        case .noAcceptableMethod: "The proxy requires another login method (RFC 1928 section 3)."
        case .notAllowed: "The proxy is configured not to connect to this host, port or user."
        case .hostUnreachable: "The proxy resolves the name itself, and may not know it."
        case .networkUnreachable, .connectionRefused, .timeToLiveExpired:
            "The failure is between the proxy and the destination."
        case .commandNotSupported, .addressTypeNotSupported:
            "The proxy supports only a part of SOCKS 5 (RFC 1928 section 6)."
        case .generalFailure, .unassigned: "The proxy gave no specific reason."
        }
    }

    fileprivate var advice: String {
        switch self {
        case .noAcceptableMethod, .notAllowed:
            "Ask the proxy's operator whether it may reach this host and port, and for which user."
        case .hostUnreachable: "Check the spelling of the host, and whether the proxy can resolve it."
        case .networkUnreachable, .connectionRefused, .timeToLiveExpired: "Check the host and the port of the URL."
        case .commandNotSupported, .addressTypeNotSupported: "Use another address of the host, or another proxy."
        case .generalFailure, .unassigned: "Try again later, or ask the proxy's operator."
        }
    }
}

extension MalformedSOCKS {
    fileprivate var clause: String {
        switch self {
        case .version(let version): "a message begins with \(version)"
        case .method(let method): "it chose login method \(method), which was not offered"
        case .reserved(let byte): "a byte that must be 0 is \(byte)"
        case .addressType(let type): "it contains an address of the unknown type \(type)"
        case .excess: "it sent more than was requested"
        }
    }
}

extension ProxyError.InvalidVariable {
    /// The description of the defect, as the end of a sentence.
    package var clause: String {
        switch self {
        case .url(.malformed):
            "it is not a host and a port without a path; '/', '?' and '#' in a password are written as %2F, %3F and %23"
        case .url(let cause): cause.clause
        case .unsupportedScheme(let scheme): "\(scheme) is not a supported kind of proxy"
        case .exception(let place): "\"\(place)\" is not a host name, an address or a block of addresses"
        }
    }

    /// The advice for a correct value.
    package var advice: String {
        switch self {
        case .url, .unsupportedScheme: "Write it as http://host:port, https://host:port or socks5://host:port."
        case .exception: "Write names, addresses, or blocks such as 10.0.0.0/8, separated by commas."
        }
    }
}
