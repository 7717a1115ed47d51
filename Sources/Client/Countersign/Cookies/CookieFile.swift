// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Secrets

/// A cookie file in the format of the Netscape browser, which curl writes too: one line of seven fields for each
/// cookie.
///
/// The fields are separated by tabs: the domain, whether the cookie is also sent to hosts below the domain (`TRUE` or
/// `FALSE`), the path, whether the cookie is sent over https only (`TRUE` or `FALSE`), the expiry time in seconds since
/// 1970 (0 for a cookie that lasts as long as its jar), the name, and the value. `#HttpOnly_` before the domain sets
/// the attribute `HttpOnly`; every other line that begins with `#` is a comment.
public struct CookieFile: Hashable, Sendable {
    /// The cookies, in the order of the file.
    public let cookies: [StoredCookie]

    /// Makes a cookie file with these cookies.
    public init(_ cookies: [StoredCookie]) {
        self.cookies = cookies
    }

    /// Reads the contents of a cookie file.
    ///
    /// - Parameter bytes: The contents of the file.
    /// - Throws: ``SessionError`` of ``FileError/malformedCookies(line:)`` for a line without seven fields, and for a
    ///   cookie that no server could have set.
    public init(reading bytes: some Collection<UInt8>) throws(SessionError) {
        var cookies: [StoredCookie] = []
        let lines = Array(bytes).split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            guard let entry = Self.entry(text[...]) else { continue }
            guard let cookie = StoredCookie(entry.text, isHTTPOnly: entry.isHTTPOnly) else {
                throw .file(.malformedCookies(line: index + 1))
            }
            cookies.append(cookie)
        }
        self.cookies = cookies
    }

    /// The contents of the file.
    ///
    /// They include every cookie value, so the file should be readable by its owner only.
    public var bytes: [UInt8] {
        Array("# Netscape HTTP Cookie File\n".utf8) + cookies.flatMap(\.line)
    }

    /// Returns the cookie entry of a line; `nil` for an empty line or a comment.
    private static func entry(_ line: Substring) -> (text: Substring, isHTTPOnly: Bool)? {
        if line.hasPrefix(StoredCookie.httpOnlyMark) { return (line.dropFirst(StoredCookie.httpOnlyMark.count), true) }
        return line.hasPrefix("#") || line.allSatisfy(\.isWhitespace) ? nil : (line, false)
    }
}

extension StoredCookie {
    fileprivate static let httpOnlyMark = "#HttpOnly_"

    /// Parses the cookie of a line; `nil` if the line is malformed.
    fileprivate init?(_ line: Substring, isHTTPOnly: Bool) {
        let fields = line.split(separator: "\t", maxSplits: 6, omittingEmptySubsequences: false)
        guard fields.count == 7,
            let host = try? HostName(String(fields[0].first == "." ? fields[0].dropFirst() : fields[0])),
            let isForDomain = Self.flag(fields[1]), let isSecure = Self.flag(fields[3]), let expiry = Int(fields[4])
        else { return nil }
        self.init(
            name: String(fields[5]), value: Secret(String(fields[6])),
            scope: isForDomain && !host.isAddress ? .domain(host) : .host(host), path: String(fields[2]),
            expiry: expiry > 0 ? expiry : nil, isSecure: isSecure, isHTTPOnly: isHTTPOnly)
    }

    private static func flag(_ text: Substring) -> Bool? {
        switch text.uppercased() {
        case "TRUE": true
        case "FALSE": false
        default: nil
        }
    }

    fileprivate var line: [UInt8] {
        let (domain, isForDomain) =
            switch scope {
            case .host(let name): ("\(name)", "FALSE")
            case .domain(let name): (".\(name)", "TRUE")
            }
        let fields = [domain, isForDomain, path, isSecure ? "TRUE" : "FALSE", "\(expiry ?? 0)", name]
        return Array(((isHTTPOnly ? Self.httpOnlyMark : "") + fields.joined(separator: "\t") + "\t").utf8)
            + value.withUnsafeBytes { Array($0) } + [UInt8(ascii: "\n")]
    }
}
