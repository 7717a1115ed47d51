// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import Challenges
public import HTTPTransport

/// Why a request came to nothing.
@nonexhaustive
public enum SessionError: Error, Sendable {
    /// What is wrong with a URL.
    public enum InvalidURL: Hashable, Sendable {
        case malformed
        case noHost
        case hostName(HostNameError)
        case port
        /// The user or the password in it cannot be decoded, or has a control character.
        case userInfo
        /// A file is wanted, and it has another scheme than `file`, or names another host (RFC 8089).
        case notAFile
    }

    /// What was tried with a file.
    public enum FileOperation: Hashable, Sendable {
        case read
        case create
        case write
        case rename
        /// Another transfer has it.
        case lock
    }

    /// What is wrong with a body that was compressed for its transfer.
    public enum MalformedContentCoding: Hashable, Sendable {
        /// The bytes are not what the coding produces, or do not match their checksum.
        case data
        /// The body came whole and its coded data did not.
        case truncated
        /// More bytes follow the coded data than padding explains.
        case trailingData(limit: Int)
        /// More codings on top of each other than are taken off.
        case tooMany(limit: Int)
    }

    /// A text that goes into a request.
    public enum RequestText: Hashable, Sendable {
        case url
        /// A header field, by its name.
        case field(String)
        case user
        case password
        case token
        case formName
        case fileName
        case contentType
    }

    case invalidURL(String, InvalidURL)
    /// A text has CR, LF or NUL, which could end a line of the request and begin another one. Nothing was sent.
    case forbiddenCharacter(RequestText)
    /// The scheme is neither `http` nor `https`.
    case unsupportedScheme(String)
    /// The policy of the origin or of the proxy forbids plain http; nothing was sent.
    case plainHTTPForbidden(Peer)
    /// The host's policy asks for a newer version of TLS than the session allows.
    case tlsVersionsExcluded(Peer, minimum: ServerPolicy.TLSVersion)
    case cannotResolve(Peer)
    case cannotConnect(Peer, ConnectFailure)
    /// No connection to a socket of the file system was made. Holds its path.
    case cannotConnectToSocket(String, SocketFailure)
    /// The peer closed or reset the connection before it was done.
    case connectionLost(Peer, Phase)
    /// The operating system has no bundle of anchors at any of these paths.
    case noSystemAnchors([String])
    /// The peer does not speak TLS.
    case notTLS(Peer)
    /// The TLS handshake failed for a reason of the protocol. Holds BoringSSL's name for it, which is never empty.
    case handshakeFailed(Peer, String)
    /// The chain did not satisfy the policy, and no handler accepted it.
    case notTrusted(Peer, PresentedChain, Verdict)
    /// The server's own certificate is missing or cannot be read.
    case malformedCertificate(Peer)
    /// The server insists on a client certificate and got none.
    case clientCertificateRequired(Peer, CertificateRequest)
    /// The server got a client certificate and refused it.
    case clientCertificateRefused(Peer, CertificateRequest)
    /// The server asks for a client certificate in mid-connection (TLS 1.2, RFC 5246 section 7.4.1.1), and again when it has one.
    case renegotiationRequired(Peer)
    /// The server would ask for a client certificate after the handshake of TLS 1.3 (RFC 8446 section 4.6.2), which cannot be
    /// answered here; in TLS 1.2 it can.
    case postHandshakeAuthenticationRequired(Endpoint)
    /// A challenge field, or the field that comes with acceptance (RFC 7615), makes no sense.
    case malformedChallenge(Peer, HTTPChallengeError)
    /// An answer could not be made from the credential.
    case unanswerableChallenge(ProtectionSpace, HTTPAuthenticatorError)
    /// What the server said with its acceptance does not show that it knows the secret; nothing of the response is delivered.
    case serverNotProven(ProtectionSpace, HTTPAuthenticatorError)
    /// A handler cancelled.
    case challengeCancelled(ProtectionSpace)
    /// The proxy wants a credential and got none that it accepts. Holds the methods that it offers.
    case proxyAuthenticationRequired(Endpoint, [AuthenticationMethod])
    /// A proxy offers no authentication method that is allowed for it (``Proxy/methods``, `ServerPolicy.methods`); nothing was sent.
    case methodsNotAllowed(Endpoint, offered: [AuthenticationMethod], allowed: AllowedMethods)
    /// The proxy would not open a tunnel. Holds its status.
    case proxyRefused(Endpoint, Int)
    /// The proxy of SOCKS opened no way to the destination.
    case socksRefused(Endpoint, SOCKSRefusal)
    /// What answered for the proxy does not speak SOCKS 5.
    case malformedSOCKS(Endpoint, MalformedSOCKS)
    /// A variable of the environment that is to name a proxy, or what is reached without one, cannot be read. Holds its name.
    case invalidProxyVariable(String, InvalidProxyVariable)
    /// A place to be reached without a proxy is no name, no address and no block of addresses.
    case invalidProxyException(String)
    /// A line of a file of cookies, counted from 1, holds no cookie that a server could have set.
    case malformedCookieFile(line: Int)
    /// The connection ended between two messages of a scheme that needs one connection for all of them.
    case authenticationInterrupted(ProtectionSpace)
    /// The server asks for the request again, and its body can be produced only once and has been read. Holds the URL.
    case bodyNotRepeatable(String)
    /// A body that can be produced only once was given to a second request.
    case bodyUsedUp
    /// The body has another length than was announced, in bytes; `produced` may be less than all of a body that is too long.
    case wrongBodyLength(Peer, announced: Int, produced: Int)
    /// A part of a form has another length than its body announced, in bytes.
    case wrongPartLength(name: String, announced: Int, produced: Int)
    /// The system refused something with a file, by its `errno`.
    case fileFailed(path: String, FileOperation, code: Int32)
    /// A file was changed between the making of its body and the end of its upload.
    case fileChanged(path: String)
    /// What was to be downloaded was not delivered. Holds the URL and the status.
    case downloadRefused(String, status: Int)
    /// The server sent another range than was asked for, or one when none was, or none that can be read. Holds the URL, the offset
    /// asked for and the field `Content-Range`.
    case wrongContentRange(String, offset: Int?, field: String?)
    case malformedResponse(Peer, MalformedResponse)
    /// The head of a response is larger than the limit, in bytes.
    case headTooLarge(Peer, limit: Int)
    /// The body ended early. Byte counts; `expected` is `nil` where it was sent in chunks.
    case truncatedBody(Peer, received: Int, expected: Int?)
    /// The body is larger than the caller allowed, in bytes.
    case bodyTooLarge(limit: Int)
    /// The response has another status than its caller takes.
    case unexpectedStatus(ResponseSummary)
    /// The server names another media type for the body than its caller can read.
    case unexpectedContentType(ResponseSummary)
    /// The body is not what its caller reads it as. Holds a `DecodingError`, or what the type's own initialiser threw.
    case undecodableBody(ResponseSummary, any Error)
    case malformedContentCoding(Peer, MalformedContentCoding)
    /// A body became larger when it was decoded than ``ExpansionLimit`` allows. Byte counts, as far as it was read.
    case expansionLimitExceeded(Peer, received: Int, decoded: Int)
    /// Every URL of the loop, in order; the last is one of the others.
    case redirectLoop([String])
    case tooManyRedirects(limit: Int)
    /// A redirect to something that is no URL of http or https.
    case invalidRedirect(from: String, location: String)
    /// A redirect that a decision of the user's refused to follow.
    case redirectRefused(from: String, to: String)
    /// A redirect from `https` to `http`, which ``Session/Configuration/allowsRedirectsToPlainHTTP`` does not allow.
    case redirectToPlainHTTP(from: String, to: String)
    case timedOut(Peer, Phase)
    /// The server reset the stream of HTTP/2 that the request went over.
    case streamReset(Endpoint, StreamReset)
    /// The peer speaks none of the versions of HTTP that the session allows. Holds those versions.
    ///
    /// Over TLS the peer says so by ALPN (RFC 7301); in plain text it answers the preface of HTTP/2 with something else (RFC 9113
    /// section 3.4).
    case httpVersionNotOffered(Peer, Session.HTTPVersions)
    /// Every connection that the limits allow was busy for as long as a request waits for one.
    case noConnectionFree(Peer, waited: Duration)
    case sessionClosed
}
