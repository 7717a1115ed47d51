// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A protocol in which a client asks for TLS on a connection that begins without it.
@nonexhaustive
public enum StartTLS: String, Hashable, Sendable, CaseIterable {
    /// SMTP (RFC 3207).
    case smtp
    /// LMTP (RFC 2033, RFC 3207).
    case lmtp
    /// IMAP (RFC 9051 section 6.2.1).
    case imap
    /// POP3 (RFC 2595 section 4).
    case pop3
    /// FTP (RFC 4217).
    case ftp
    /// XMPP for clients (RFC 6120 section 5).
    case xmpp
    /// LDAP (RFC 4511 section 4.14).
    case ldap
    /// PostgreSQL's frontend/backend protocol (`SSLRequest`).
    case postgres
    /// MySQL's client/server protocol (`SSLRequest`).
    case mysql
    /// NNTP (RFC 4642).
    case nntp
    /// ManageSieve (RFC 5804 section 2.2).
    case sieve

    /// The registered port of the protocol.
    public var defaultPort: Int {
        switch self {
        case .smtp: 25
        case .lmtp: 24
        case .imap: 143
        case .pop3: 110
        case .ftp: 21
        case .xmpp: 5222
        case .ldap: 389
        case .postgres: 5432
        case .mysql: 3306
        case .nntp: 119
        case .sieve: 4190
        }
    }
}

/// The reason why a server did not start TLS.
@nonexhaustive
public enum StartTLSProblem: Hashable, Sendable {
    /// The server refused the request. Holds its reply.
    case refused(String)
    /// The server's reply does not belong to the protocol. Holds its beginning.
    case unexpected(String)
    /// The server's reply exceeds the limit, in bytes.
    case tooLong(limit: Int)
    /// The server sent bytes after its reply, which an attacker could have inserted before the handshake
    /// (https://nostarttls.secvuln.info).
    case excess
}
