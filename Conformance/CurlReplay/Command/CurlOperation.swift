// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// What curl is told to do with some URLs: everything up to the next `--next`.
struct CurlOperation: Sendable {
    enum Redirects: Hashable, Sendable {
        case delivered
        case followed
        /// With the credentials, wherever they lead.
        case trusted
    }

    enum Netrc: Hashable, Sendable {
        case unread
        /// What stands in the URL counts for more.
        case optional
        case required
    }

    enum Upload: Hashable, Sendable {
        case file(path: String)
        case standardInput
    }

    /// Data of `-d` and its kin.
    struct Form: Hashable, Sendable {
        var bytes: [UInt8]
        var type: String
    }

    struct HeaderLine: Hashable, Sendable {
        let name: String
        /// `nil` takes a field away.
        let value: String?
    }

    /// `host:port` and where to connect instead; empty parts stand for any, or for no change.
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
    /// What the session has nothing for.
    var unsupported: [String] = []

    /// One by one.
    var expandedURLs: [String] { takesURLsAsTheyAre ? urls : urls.flatMap(URLPattern.expand) }
}

/// A user and a password, as `-u` takes them.
struct UserInfo: Hashable, Sendable {
    let name: String
    /// `nil` where there is none, for which a person would be asked.
    let password: String?

    init(name: String, password: String?) {
        (self.name, self.password) = (name, password)
    }

    init(_ text: some StringProtocol) {
        let parts = text.split(separator: ":", maxSplits: 1, omittingEmptySubsequences: false)
        self.init(name: String(parts[0]), password: parts.count > 1 ? String(parts[1]) : nil)
    }

    /// As it stands in a URL, percent-encoded.
    init(encoded text: some StringProtocol) {
        let plain = UserInfo(text)
        self.init(name: PercentCode.decode(plain.name), password: plain.password.map { PercentCode.decode($0) })
    }
}
