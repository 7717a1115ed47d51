// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import CertificateTrust
import Challenges
import Countersign

extension Failure {
    init(session error: SessionError) {
        switch error {
        case .invalidURL(let url, let reason):
            self.init(.usage, "invalid-url", "\"\(url)\" is no URL to get: \(reason.text).", reason.advice)
        case .forbiddenCharacter(let text):
            self.init(.usage, "forbidden-character", Self.forbiddenCharacter(in: text.words), Self.forbiddenAdvice)
        case .unsupportedScheme(let scheme):
            self.init(.usage, "unsupported-scheme", "\(scheme): is not supported.", "Use http: or https:.")
        case .plainHTTPForbidden(let peer):
            self.init(
                .notTrusted, "plain-http-forbidden", "The policy of \(peer.policyHolder) forbids plain http.",
                "Use https:. If the host cannot, 'plain-http: allowed' in its policy gives up all protection.")
        case .tlsVersionsExcluded(let peer, let minimum):
            self.init(
                .usage, "tls-versions-excluded",
                "The policy of \(peer.policyHolder) asks for TLS \(minimum.rawValue) or later, which is not allowed here.",
                "Leave out --tls-max, or lower 'minimum-tls' in the policy.")
        case .cannotResolve(let peer):
            self.init(
                .failed, "cannot-resolve",
                peer.role == .proxy ? "There is no host for \(peer)." : "There is no host \(peer.host).",
                "Check the spelling, and that you are connected.")
        case .cannotConnect(let peer, let reason):
            self.init(.failed, "cannot-connect", "\(peer.subject) \(reason.text).", reason.advice(for: peer))
        case .cannotConnectToSocket(let path, let reason):
            self.init(
                .failed, "cannot-connect-to-socket", "The socket \(path.printable) \(reason.text).", reason.advice)
        case .connectionLost(let peer, let phase):
            let doubt =
                phase == .handshake ? " If it does so again, the port may not speak TLS: write http: for https:." : ""
            self.init(
                .failed, "connection-lost", "\(peer.subject) closed the connection \(phase.text).", "Try again.\(doubt)"
            )
        case .noSystemAnchors(let paths):
            self.init(
                .notTrusted, "no-system-anchors",
                "This system has no bundle of anchors at \(paths.joined(separator: ", ")).",
                "Install ca-certificates, or use --trust anchors-only with --anchor FILE.")
        case .notTLS(let peer):
            self.init(
                .failed, "not-tls", "\(peer.subject) does not speak TLS.",
                peer.advice(
                    "Try http: instead of https:, or another port.",
                    forProxy: "Try http: instead of https: in the proxy's URL, or another port."))
        case .handshakeFailed(let peer, let reason):
            self.init(handshakeWith: peer, reason)
        case .notTrusted(let peer, _, let verdict):
            self.init(
                .notTrusted, verdict.failure?.code ?? "not-trusted",
                "\(peer.subject) is not trusted. \(verdict.explanation)",
                verdict.failure?.advice ?? "")
            self.verdict = verdict
        case .malformedCertificate(let peer):
            self.init(
                .notTrusted, "malformed-certificate", "\(peer.subject) sent a certificate that cannot be read.",
                "Its owner has to replace it.")
        case .clientCertificateRequired(let peer, let request):
            let issuers = request.issuerWords.map { " \($0)" } ?? ""
            self.init(
                .notAuthenticated, "client-certificate-required",
                "\(peer.subject) wants a client certificate\(issuers).",
                peer.advice(
                    "Give one with --identity FILE; it is presented to the URL's own host only.",
                    forProxy: "The command presents no certificate to a proxy; use a proxy that asks for a password."))
        case .clientCertificateRefused(let peer, let request):
            let issuers = request.issuerWords.map { "It wants one \($0); check" }
            self.init(
                .notAuthenticated, "client-certificate-refused", "\(peer.subject) refused the client certificate.",
                "\(issuers ?? "Ask its owner which authority must have issued it, and check") that it has not expired.")
        case .renegotiationRequired(let peer):
            self.init(
                .notAuthenticated, "renegotiation-required",
                "\(peer.subject) interrupts the connection to ask for a client certificate, and asks again when it has it.",
                "Ask its owner to require the certificate for the whole host.")
        case .postHandshakeAuthenticationRequired(let endpoint):
            self.init(
                .notAuthenticated, "post-handshake-authentication",
                "\(endpoint) wants a client certificate after the handshake of TLS 1.3, which is not supported.",
                "Use --tls-max 1.2, where it can ask; or its owner can require the certificate for the whole host.")
        case .malformedChallenge(let peer, let cause):
            self.init(
                .failed, "malformed-challenge",
                "\(peer.subject) asks for a password in a way that makes no sense: \(cause.text).",
                "Its owner has to mend it; 'curl -i' shows the field.")
        case .unanswerableChallenge(let space, let cause):
            self.init(
                .notAuthenticated, "unanswerable-challenge",
                "\(space.subject) asks for \(space.method), which cannot be answered: \(cause.text).",
                cause.advice(for: space.method))
        case .serverNotProven(let space, let cause):
            self.init(
                .notAuthenticated, "server-not-proven",
                "\(space.subject) could not prove that it knows the password: \(cause.text).",
                "Someone may be posing as it. Check its address, and use https.")
        case .challengeCancelled(let space):
            self.init(
                .notAuthenticated, "cancelled", "\(space.subject) asked for \(space.method), and got no answer.",
                "Run it again, or answer beforehand with --user or --identity.")
        case .proxyAuthenticationRequired(let endpoint, let methods):
            self.init(
                .notAuthenticated, "proxy-authentication-required",
                "The proxy \(endpoint) wants a user and a password (\(methods.map(\.description).joined(separator: ", "))).",
                "Give them with --proxy-user and --proxy-password-file.")
        case .methodsNotAllowed(let endpoint, let offered, let allowed):
            self.init(
                .notAuthenticated, "methods-not-allowed",
                "The proxy \(endpoint) offers \(offered.words), and only \(allowed) is allowed for it. It was given no password.",
                "Allow one of its methods with --proxy-methods or in the policy, if you trust the way to the proxy with it."
            )
        case .proxyRefused(let endpoint, let status):
            self.init(
                .failed, "proxy-refused", "The proxy \(endpoint) refused the tunnel with status \(status).",
                "Ask its owner whether it may reach this host and port.")
        case .socksRefused(let endpoint, let reason):
            self.init(
                .failed, "socks-refused", "The proxy \(endpoint) opened no way to the destination: \(reason.text).",
                reason.advice)
        case .malformedSOCKS(let endpoint, let reason):
            self.init(
                .failed, "malformed-socks", "The proxy \(endpoint) sent a malformed SOCKS 5 message: \(reason.text).",
                "Check the port, and whether it is a proxy of HTTP (http: instead of socks5:).")
        case .invalidProxyVariable(let name, let reason):
            self.init(
                .usage, "invalid-proxy-variable", "The environment's \(name) cannot be used: \(reason.text).",
                "\(reason.advice) Or unset \(name), or go without by --no-proxy '*'.")
        case .invalidProxyException(let place):
            self.init(
                .usage, "invalid-proxy-exception", "\"\(place.printable)\" is no place to be reached without a proxy.",
                SessionError.InvalidProxyVariable.exception(place).advice)
        case .malformedCookieFile(let line):
            self.init(
                .failed, "cookie-file", "Line \(line) is no cookie.",
                "Write seven fields with tabs between: domain, TRUE or FALSE for hosts below it, path, TRUE for https alone, the "
                    + "seconds since 1970 at which it ends or 0, name, value. Or give name=value, which is no file.")
        case .authenticationInterrupted(let space):
            self.init(
                .notAuthenticated, "authentication-interrupted",
                "\(space.subject) ended the connection in the middle of \(space.method), which needs one connection.",
                "Something between here and there may not keep connections; ask the server's owner for another method.")
        case .bodyNotRepeatable(let url):
            self.init(
                .failed, "body-not-repeatable", "\(url) asks for the body again, which can be read only once.",
                "Send it from a file.")
        case .bodyUsedUp:
            self.init(.failed, "body-used-up", "The body was sent before, and can be read only once.", "")
        case .wrongBodyLength(let peer, let announced, let produced):
            self.init(
                .failed, "wrong-body-length",
                "The body for \(peer) was announced with \(announced) bytes and came to \(produced).",
                "Do not change a file while it is sent.")
        case .wrongPartLength(let name, let announced, let produced):
            self.init(
                .failed, "wrong-part-length",
                "The form's part \"\(name)\" was announced with \(announced) bytes and came to \(produced).",
                "Do not change a file while it is sent.")
        case .fileFailed(let path, let operation, let code):
            let error = FileError(.read, path: path, code: code)
            self.init(
                .failed, "file-failed", "\(path) cannot be \(operation.text): \(error.reason).", error.advice)
        case .fileChanged(let path):
            self.init(
                .failed, "file-changed", "\(path) was changed while it was sent.", "Send it when it is complete.")
        case .downloadRefused(let url, let status):
            self.init(
                status == 401 ? .notAuthenticated : .failed, "download-refused",
                "\(url) answered with status \(status).",
                "Get it without a file to see what the server says.")
        case .wrongContentRange(let url, let offset, let field):
            let answer = field.map { "answered with \"\($0)\"" } ?? "did not say what it sent"
            self.init(
                .failed, "wrong-content-range",
                "\(url) was asked for \(offset.map { "what follows byte \($0)" } ?? "everything") and \(answer).",
                "Try again; it will begin anew.")
        case .malformedResponse(let peer, let reason):
            self.init(
                .failed, "malformed-response", "\(peer.subject) sent a malformed HTTP response: \(reason.text).",
                reason.advice(for: peer))
        case .headTooLarge(let peer, let limit):
            self.init(
                .failed, "head-too-large", "The head of the response of \(peer) is larger than \(limit) bytes.",
                "Check that the port is that of a web server; if it is, its owner has to send less.")
        case .truncatedBody(let peer, let received, let expected):
            let promise = expected.map { " of \($0)" } ?? ""
            self.init(
                .failed, "truncated-body", "\(peer.subject) stopped after \(received)\(promise) bytes.", "Try again.")
        case .malformedContentCoding(let peer, let reason):
            self.init(
                .failed, "malformed-content-coding",
                "\(peer.subject) says that it compressed the body, and it cannot be read: \(reason.text).",
                "Try again; if it stays so, its owner has to mend it.")
        case .expansionLimitExceeded(let peer, let received, let decoded):
            self.init(
                .failed, "expansion-limit-exceeded",
                "\(peer.subject) sent \(received) bytes that became more than \(decoded), which looks like an attack.",
                "Get the URL only if you know why its body is so large.")
        case .bodyTooLarge(let limit):
            self.init(.failed, "body-too-large", "The body is larger than \(limit) bytes.", "Check the URL.")
        case .unexpectedStatus(let response):
            self.init(
                .failed, "unexpected-status", "\(response.url) answered with status \(response.status.code).",
                "Check the URL, and what its server asks of a request.")
        case .unexpectedContentType(let response):
            self.init(
                .failed, "unexpected-content-type",
                "\(response.url) answered with \(response.contentType ?? "something of no type"), which is not what was asked for.",
                "Check the URL; what came may be a page that says why.")
        case .undecodableBody(let response, _):
            self.init(
                .failed, "undecodable-body", "What \(response.url) answered is not what it is read as.",
                "Check the URL, and the version of what it serves.")
        case .redirectLoop(let urls):
            self.init(
                .failed, "redirect-loop", "The redirects go round: \(urls.joined(separator: " to ")).",
                "Its owner has to mend it; another URL of the same host may work.")
        case .tooManyRedirects(let limit):
            self.init(
                .failed, "too-many-redirects", "There are more than \(limit) redirects.",
                "'get -v' shows where they lead.")
        case .invalidRedirect(let origin, let location):
            self.init(
                .failed, "invalid-redirect", "\(origin) redirects to \"\(location)\", which cannot be followed.",
                "Get the place that it means by its own URL, without user and password.")
        case .timedOut(let peer, .total):
            self.init(
                .failed, "timed-out", "\(peer.subject) took longer than the request may.",
                "Allow more with --max-time, or try again later.")
        case .redirectRefused(let origin, let destination):
            self.init(
                .failed, "redirect-refused", "\(origin) redirects to \(destination), which is not to be followed.",
                "Get that place by its own URL, if you trust it.")
        case .redirectToPlainHTTP(let origin, let destination):
            self.init(
                .failed, "redirect-to-plain-http", "\(origin) redirects to \(destination), which is not encrypted.",
                "Get that place by its own URL, or follow such redirects with --allow-redirects-to-plain-http.")
        case .timedOut(let peer, let phase):
            self.init(
                .failed, "timed-out", "\(peer.subject) was silent for too long \(phase.text).", "Try again later.")
        case .streamReset(let endpoint, let reset):
            self.init(
                .failed, "stream-reset", "\(endpoint) gave the request up with HTTP/2's code \(reset.code).",
                "Try again; --http1.1 does without HTTP/2.")
        case .httpVersionNotOffered(let peer, let versions):
            self.init(
                .failed, "http-version-not-offered", "\(peer.subject) \(versions.lack).",
                peer.advice(
                    versions.advice, forProxy: "Use another proxy: HTTP/1.1 is all that proxies are spoken to in."))
        case .noConnectionFree(let peer, let waited):
            self.init(
                .failed, "no-connection-free",
                "For \(waited.components.seconds) seconds every connection to \(peer) was busy.",
                "Read or drop responses that are open, or allow more connections.")
        case .sessionClosed:
            self.init(.failed, "session-closed", "The session is closed.")
        }
    }
}

extension SessionError.InvalidURL {
    var text: String {
        switch self {
        case .malformed: "it cannot be read"
        case .noHost: "it names no host"
        case .hostName(.malformed): "its host is no host name"
        case .hostName(.notASCII): "its host is not in ASCII"
        case .hostName(.ambiguousAddress): "its host looks like an address, but not like one way to write it"
        case .port: "its port is missing or not between 1 and 65535"
        case .userInfo: "its user or password has a control character, or is no percent-encoded UTF-8"
        case .notAFile: "it names no file"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .malformed, .noHost, .hostName(.malformed): "Write it as https://host/path."
        case .hostName(.notASCII): "Write the host in its xn-- form."
        case .hostName(.ambiguousAddress): "Write it as four decimal numbers."
        case .port: "Write it as host:port."
        case .userInfo: "Give the user with --user; the password is asked for, or read with --password-file."
        case .notAFile: "Use a file: URL."
        }
    }
}

extension SessionError.ConnectFailure {
    fileprivate var text: String {
        switch self {
        case .refused: "refused the connection"
        case .unreachable: "cannot be reached"
        case .timedOut: "did not answer in time"
        case .system(let code): "cannot be connected to: \(FileError(.read, path: "", code: code).reason)"
        }
    }

    fileprivate func advice(for peer: SessionError.Peer) -> String {
        switch self {
        case .refused:
            peer.advice(
                "Check the port, and that the server is running.",
                forProxy: "Check the proxy's port, and that it is running; --no-proxy reaches hosts without it.")
        case .unreachable, .timedOut, .system:
            peer.advice(
                "Check the network, and whether a proxy is needed (--proxy URL).",
                forProxy: "Check the network and the proxy's address; --no-proxy reaches hosts without it.")
        }
    }
}

extension SessionError.Phase {
    fileprivate var text: String {
        switch self {
        case .handshake: "during the TLS handshake"
        case .proxyTunnel: "while the tunnel was opened"
        case .request: "before the request was sent"
        case .response: "before its response"
        case .body: "within the body"
        case .total: "altogether"
        }
    }
}

extension SessionError.MalformedResponse {
    fileprivate var text: String {
        switch self {
        case .statusLine: "its status line is malformed"
        case .headerField: "a header field is malformed"
        case .bareLineFeed: "a line of its head ends in LF instead of CR LF"
        case .bareLineFeedInChunk: "a line of its chunks or of its trailer ends in LF instead of CR LF"
        case .framing: "its parts do not fit together"
        case .chunk: "a chunk's size cannot be read"
        case .http2: "its frames or fields break HTTP/2"
        case .other(let reason): reason
        }
    }

    fileprivate func advice(for peer: SessionError.Peer) -> String {
        switch self {
        case .bareLineFeed: "If that is an old device that you trust, --allow-bare-line-feeds accepts it in heads."
        case .bareLineFeedInChunk: "Its owner has to mend it."
        case .statusLine, .headerField, .framing, .chunk, .http2, .other:
            peer.advice(
                "Check that the port is that of a web server.",
                forProxy: "Check that the port is that of an HTTP proxy."
            )
        }
    }
}

extension SessionError.FileOperation {
    fileprivate var text: String {
        switch self {
        case .read: "read"
        case .create: "made"
        case .write: "written"
        case .rename: "given its name"
        case .lock: "written, because another download does"
        }
    }
}

extension SessionError.MalformedContentCoding {
    fileprivate var text: String {
        switch self {
        case .data: "its bytes make no sense"
        case .truncated: "its end is missing"
        case .trailingData(let limit): "more than \(limit) bytes follow it"
        case .tooMany(let limit): "it was compressed more than \(limit) times"
        }
    }
}

extension HTTPChallengeError {
    fileprivate var text: String {
        switch self {
        case .malformed(let offset): "nothing of the kind can stand at byte \(offset)"
        case .unterminatedString(let offset): "the string that starts at byte \(offset) has no end"
        case .repeatedParameter(let name): "it gives \(name) twice"
        case .tooLarge(let limit): "it is larger than \(limit) bytes"
        case .tooMany(let limit): "it asks in more than \(limit) ways"
        case .tooManyParameters(let limit): "it gives more than \(limit) parameters"
        }
    }
}

extension HTTPAuthenticatorError {
    fileprivate func advice(for method: AuthenticationMethod) -> String {
        switch (self, method) {
        case (.needsTLS, _):
            "Use https; or, if whoever listens may guess the password, --allow-ntlm-over-plain-http."
        case (.iterationCount(let count, let allowed), _) where count > allowed.upperBound:
            "Each iteration costs time here. If you trust the server, raise the limit with --max-scram-iterations \(count)."
        case (_, .negotiate): "'klist' shows the tickets that are there, and 'kinit' gets one."
        default: "Use another user, or ask the server's owner for another method."
        }
    }

    fileprivate var text: String {
        switch self {
        case .unsuitableCredential: "another kind of credential is needed"
        case .missingParameter(let name): "its \(name) is missing"
        case .wrongLength(let part, let limit): "the \(part) is empty or longer than \(limit) bytes"
        case .colonInUser: "Basic cannot carry a user name with a colon"
        case .controlCharacter(let part): "the \(part) has a control character"
        case .unknownBody: "it wants a body vouched for that is not known beforehand"
        case .nonceExhausted: "its nonce was used too often"
        case .malformedToken: "the token has characters that none can have"
        case .unpreparable(let part, let reason): "the \(part) \(reason.text)"
        case .ntlm(let error): error.text
        case .needsTLS: "without TLS it would be too weak"
        case .mechanism(let words): words.isEmpty ? "the system gives no reason" : words
        case .malformedServerMessage: "its message makes no sense"
        case .iterationCount(let count, let allowed):
            "its iteration count is \(count); \(allowed.lowerBound) to \(allowed.upperBound) are allowed"
        case .wrongServerProof: "its proof is wrong"
        }
    }
}

extension HTTPAuthenticatorError.Unpreparable {
    fileprivate var text: String {
        switch self {
        case .notUTF8: "is not UTF-8"
        case .prohibitedCharacter: "has a character that SCRAM prohibits"
        case .unassignedCharacter: "has a character that SCRAM does not know, because it is younger than Unicode 3.2"
        case .mixedDirections: "mixes right-to-left with left-to-right characters, which SCRAM prohibits"
        case .nothingLeft: "has only characters that SCRAM leaves out"
        }
    }
}
