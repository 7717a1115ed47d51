// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import ErrorExplanations

/// The reason for which a request was not sent.
@nonexhaustive
public enum RequestError: Error, Sendable {
    /// The defect of a URL.
    @nonexhaustive
    public enum InvalidURL: Hashable, Sendable {
        /// The URL breaks the syntax of RFC 3986.
        case malformed
        /// The URL has no scheme, such as `localhost:8443`.
        case noScheme
        /// The URL names no host.
        case noHost
        /// The URL's host is neither a valid host name nor an address.
        case hostName(HostNameError)
        /// The port of the URL is not a number from 1 to 65,535, or a required port is missing.
        case port
        /// The user name or the password in the URL cannot be decoded, or contains a control character.
        case userInfo
        /// The URL is not a file URL, or names another host (RFC 8089 section 2), although a file URL is required.
        case notAFile
    }

    /// A text in a request.
    @nonexhaustive
    public enum Text: Hashable, Sendable {
        /// The URL of the request.
        case url
        /// A header field, by its name.
        case field(String)
        /// The user name of a credential.
        case user
        /// The password of a credential.
        case password
        /// A bearer token.
        case token
        /// The name of a form part.
        case formName
        /// The file name of a form part.
        case fileName
        /// The media type of a form part.
        case contentType
    }

    /// A text is not a URL of the required kind. Holds the text without secrets.
    case invalidURL(String, InvalidURL)
    /// A text contains CR, LF or NUL, which could end a line of the request and inject another one.
    case forbiddenCharacter(Text)
    /// A method or the name of a header field is not a token (RFC 9110 section 5.6.2). Holds the text.
    case invalidToken(String)
    /// The scheme of a URL is not supported; a request supports only `http` and `https`. Holds the scheme.
    case unsupportedScheme(String)
    /// A server without TLS presents no chain to inspect. Holds the URL.
    case notEncrypted(String)
    /// The policy of the origin or of the proxy forbids plain http.
    case plainHTTPForbidden(SessionError.Peer)
}

extension RequestError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .invalidURL(let url, let cause):
            ErrorExplanation(
                redacting: "\"\(url)\" is not a usable URL: \(cause.clause).", .usage, "request.invalid-url",
                reason: "The request needs a URL with a scheme and a host (RFC 3986).", advice: cause.advice)
        case .forbiddenCharacter(let text):
            ErrorExplanation(
                .usage, "request.forbidden-character",
                "\(text.subject) contains a line break or a NUL byte.",
                reason: "Such a byte could end a line of the request and forge the next one. Nothing was sent.",
                advice: "Remove the byte.")
        case .invalidToken(let text):
            ErrorExplanation(
                redacting: "\"\(text)\" cannot be the name of a method or of a header field.", .usage,
                "request.invalid-token",
                reason:
                    "Such a name consists of letters, digits and a few other characters (RFC 9110 section 5.6.2). Nothing was sent.",
                advice: "Remove the other characters.")
        case .unsupportedScheme(let scheme):
            ErrorExplanation(
                .usage, "request.unsupported-scheme", "The URL scheme \"\(scheme)\" is not supported.",
                reason: "Requests are sent over http and https only.", advice: "Use http: or https:.")
        case .notEncrypted(let url):
            ErrorExplanation(
                redacting: "\(url) is not an https URL.", .usage, "request.not-encrypted",
                reason: "Only a server with TLS presents a certificate to inspect.",
                advice: "Use https:, and the port for it.")
        case .plainHTTPForbidden(let peer):
            ErrorExplanation(
                .notTrusted, "request.plain-http-forbidden", "The policy of \(peer.policyHolder) forbids plain http.",
                reason: "Plain http can be read and changed in transit. Nothing was sent.",
                advice: "Use https:. If the host does not support it, allow plain http in its policy.")
        }
    }

    package static var examples: [RequestError] {
        [
            .invalidURL("https://", .noHost), .forbiddenCharacter(.field("X-Name")), .invalidToken("GE T"),
            .unsupportedScheme("ftp"), .notEncrypted("http://localhost:8080/"),
            .plainHTTPForbidden(.example),
        ]
    }
}

extension RequestError.InvalidURL {
    /// The description of the defect, as the end of a sentence.
    package var clause: String {
        switch self {
        case .malformed: "it cannot be parsed"
        case .noScheme: "it does not begin with https:// or http://"
        case .noHost: "it has no host"
        case .hostName(.malformed): "its host is not a valid host name"
        case .hostName(.notASCII): "its host is not in ASCII, and this system has no library that converts it"
        case .hostName(.ambiguousAddress): "its host looks like an IP address in an unusual form"
        case .port: "its port is missing or not between 1 and 65535"
        case .userInfo: "its user or password has a control character or is not percent-encoded UTF-8"
        case .notAFile: "it does not name a file"
        }
    }

    var advice: String {
        switch self {
        case .malformed, .noScheme, .noHost, .hostName(.malformed): "Write it as https://host/path."
        case .hostName(.notASCII): "Install libidn2 (Debian: libidn2-0), or write the host in its xn-- form."
        case .hostName(.ambiguousAddress): "Write the address as four decimal numbers."
        case .port: "Write it as host:port."
        case .userInfo: "Leave the user out of the URL and give the credential separately."
        case .notAFile: "Use a file: URL."
        }
    }
}

extension RequestError.Text {
    /// The name of the text, for the beginning of a sentence.
    var subject: String {
        switch self {
        case .url: "The URL"
        case .field(let name): "The field \(name)"
        case .user: "The user name"
        case .password: "The password"
        case .token: "The token"
        case .formName: "The name of a form part"
        case .fileName: "The file name of a form part"
        case .contentType: "The content type"
        }
    }
}
