// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// An operation of curl with some URLs, up to the next `--next`.
struct CurlOperation: Sendable {
    enum Redirects: Hashable, Sendable {
        case delivered
        case followed
        /// Redirects are followed, and credentials are sent to any host.
        case trusted
    }

    enum Netrc: Hashable, Sendable {
        case unread
        /// A user and password in the URL take precedence.
        case optional
        case required
    }

    enum Upload: Hashable, Sendable {
        case file(path: String)
        case standardInput
    }

    /// The data of `-d` and related options.
    struct Form: Hashable, Sendable {
        var bytes: [UInt8]
        var type: String
    }

    struct HeaderLine: Hashable, Sendable {
        let name: String
        /// The value; `nil` removes the field.
        let value: String?
    }

    /// A host and port, with the host and port to connect to instead; empty parts match any, or change nothing.
    struct ConnectTarget: Hashable, Sendable {
        let host: String
        let port: String
        let newHost: String
        let newPort: String
    }

    var urls: [String] = []
    var user: UserInfo?
    var methods: Set<AuthenticationMethod> = []
    var proxy: String?
    var proxyUser: UserInfo?
    var proxyMethods: Set<AuthenticationMethod> = []
    var tunnelsAlways = false
    var directHosts: [String] = []
    var redirects = Redirects.delivered
    var redirectLimit = 50
    var headerLines: [HeaderLine] = []
    var form: Form?
    var multipart: [String] = []
    var uploads: [Upload] = []
    var method: String?
    var asksForHeadOnly = false
    var putsFormIntoQuery = false
    var netrc = Netrc.unread
    var netrcPath: String?
    var bearerToken: String?
    var cookies: [String] = []
    var resumesAt: Int?
    var takesURLsAsTheyAre = false
    var connectTargets: [ConnectTarget] = []
    /// The options that the session does not support.
    var unsupported: [String] = []

    /// The URLs after pattern expansion.
    var expandedURLs: [String] { takesURLsAsTheyAre ? urls : urls.flatMap(URLPattern.expand) }
}

/// A user and a password in the form of `-u`.
struct UserInfo: Hashable, Sendable {
    let name: String
    /// The password; `nil` if there is none, for which curl prompts.
    let password: String?

    init(name: String, password: String?) {
        (self.name, self.password) = (name, password)
    }

    init(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(name: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// Decodes the percent-encoded form in a URL.
    init(encoded text: some StringProtocol) {
        let plain = UserInfo(text)
        self.init(name: PercentCode.decode(plain.name), password: plain.password.map { PercentCode.decode($0) })
    }
}

/// A URL that curl accepts, split into the parts that options can change.
struct CurlURL: Hashable, Sendable {
    let scheme: String
    /// The user information before the host.
    let user: UserInfo?
    let host: String
    let port: Int?
    /// The text after the authority.
    let rest: String
    /// The URL as written, with the default scheme if there is none.
    let text: String
    /// The URL without user and password.
    let bare: String

    var defaultPort: Int { scheme == "https" ? 443 : 80 }

    /// - Throws: ``ReplayError/unreadableURL(_:)``.
    init(_ written: String) throws(ReplayError) {
        text = written.contains("://") ? written : "http://" + written
        guard let separator = text.firstRange(of: "://") else { throw .unreadableURL(written) }
        scheme = text[..<separator.lowerBound].lowercased()
        let afterScheme = text[separator.upperBound...]
        var authority = afterScheme.prefix { !"/?#".contains($0) }
        rest = String(afterScheme[authority.endIndex...])
        if let at = authority.lastIndex(of: "@") {
            user = UserInfo(encoded: authority[..<at])
            authority = authority[authority.index(after: at)...]
        } else {
            user = nil
        }
        bare = "\(scheme)://\(authority)\(rest)"
        let colon = authority.lastIndex(of: ":").flatMap { authority[$0...].contains("]") ? nil : $0 }
        host = String(authority[..<(colon ?? authority.endIndex)])
        port = colon.flatMap { Int(authority[authority.index(after: $0)...]) }
    }
}

/// The expansion of URL patterns on curl's command line: `{one,two}`, `[1-3]`, `[a-c]` and `[01-10:2]`.
enum URLPattern {
    static func expand(_ pattern: String) -> [String] {
        guard let opening = pattern.firstIndex(where: { $0 == "{" || $0 == "[" }) else { return [pattern] }
        let rest = pattern[pattern.index(after: opening)...]
        guard let closing = rest.firstIndex(of: pattern[opening] == "{" ? "}" : "]") else { return [pattern] }
        let inner = rest[..<closing]
        guard let choices = pattern[opening] == "{" ? inner.split(separator: ",").map(String.init) : range(inner)
        else { return [pattern] }
        let tails = expand(String(rest[rest.index(after: closing)...]))
        return choices.flatMap { choice in tails.map { pattern[..<opening] + choice + $0 } }
    }

    /// - Returns: The values; `nil` if the text is not a range, such as an IPv6 address.
    private static func range(_ text: Substring) -> [String]? {
        guard let match = text.wholeMatch(of: /(\d+|[a-zA-Z])-(\d+|[a-zA-Z])(?::(\d+))?/) else { return nil }
        let step = match.3.flatMap { Int($0) } ?? 1
        guard step > 0 else { return nil }
        if let first = Int(match.1), let last = Int(match.2), first <= last {
            return stride(from: first, through: last, by: step).map { number in
                let digits = String(number)
                return String(repeating: "0", count: max(0, match.1.count - digits.count)) + digits
            }
        }
        guard let first = match.1.utf8.first, let last = match.2.utf8.first, first <= last else { return nil }
        return stride(from: Int(first), through: Int(last), by: step).map {
            String(decoding: [UInt8($0)], as: UTF8.self)
        }
    }
}
