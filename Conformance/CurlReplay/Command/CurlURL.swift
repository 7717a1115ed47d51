// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A URL as curl takes it, apart where its command line says something about the parts.
struct CurlURL: Hashable, Sendable {
    let scheme: String
    /// What stands before the host.
    let user: UserInfo?
    let host: String
    let port: Int?
    /// All after the authority.
    let rest: String
    /// With a scheme, and as written otherwise.
    let text: String
    /// The same without user and password.
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
