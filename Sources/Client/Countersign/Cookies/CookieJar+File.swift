// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
public import EssentialFoundation
import PrivateFiles
import Secrets

/// The cookies of a jar in a file, in the format of the Netscape browser, which curl also reads and writes: one line of
/// seven fields for each cookie.
///
/// The fields are separated by tabs: the domain, whether the cookie is also sent to hosts below the domain (`TRUE` or
/// `FALSE`), the path, whether the cookie is sent over https only (`TRUE` or `FALSE`), the expiry time in seconds since
/// 1970 (0 for a cookie that lasts as long as its jar), the name, and the value. `#HttpOnly_` before the domain sets
/// the attribute `HttpOnly`; every other line that begins with `#` is a comment.
extension CookieJar {
    /// Makes a jar with the cookies of a file that ``save(to:)``, curl or a browser's export wrote.
    ///
    /// Expired cookies are left out. The call blocks until the file is read.
    ///
    /// - Parameter file: A file URL; the file has at most 16 MiB.
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)`` if there is no file or the system cannot read it;
    ///   of ``FileError/malformedCookies(path:line:)`` for a line without seven fields, and for a cookie that no server
    ///   could have set; and of ``RequestError/invalidURL(_:_:)`` if the URL does not name a file on this machine.
    public convenience init(contentsOf file: URL) throws(SessionError) {
        self.init()
        let file = try ConfigurationFile(file)
        try insert(contents: try file.read(), of: file.path)
    }

    /// Saves the cookies that have not expired in a file with the permissions 0600, because a cookie can be worth as
    /// much as a password.
    ///
    /// The file is replaced at once, so that a reader or a crash never sees a part of it, and a symbolic link of this
    /// user is followed. The folder must exist. Times are rounded up to whole seconds. The call blocks until the file is
    /// on the disk.
    ///
    /// - Parameter file: A file URL. Another user's file is not replaced in a folder that others can write.
    /// - Throws: ``SessionError`` of ``FileError/failed(path:_:code:)`` if the system cannot write the file, after which
    ///   an existing file is unchanged; of ``FileError/notRegular(path:)`` for a folder or a device; and of
    ///   ``RequestError/invalidURL(_:_:)`` if the URL does not name a file on this machine.
    public func save(to file: URL) throws(SessionError) {
        let path = try PrivateFile<SessionError>.path(of: file)
        let target = OutputTarget(path)
        guard target.state?.isRegular ?? true else { throw .file(.notRegular(path: path)) }
        if let code = target.refusal { throw .file(.failed(path: path, .write, code: code)) }
        try PrivateFile<SessionError>.replace(target.path, with: fileContents)
    }

    /// The contents of a file with the cookies.
    package var fileContents: [UInt8] {
        Array("# Netscape HTTP Cookie File\n".utf8) + cookies.flatMap(\.line)
    }

    /// Inserts the cookies of a file's contents.
    ///
    /// - Throws: ``SessionError`` of ``FileError/malformedCookies(path:line:)``; no cookie is then inserted.
    package func insert(contents: [UInt8], of path: String) throws(SessionError) {
        var cookies: [StoredCookie] = []
        let lines = contents.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)
        for (index, line) in lines.enumerated() {
            let text = String(decoding: line.last == 0x0D ? line.dropLast() : line, as: UTF8.self)
            guard let entry = Self.entry(text[...]) else { continue }
            guard let cookie = StoredCookie(entry.text, isHTTPOnly: entry.isHTTPOnly) else {
                throw .file(.malformedCookies(path: path, line: index + 1))
            }
            cookies.append(cookie)
        }
        for cookie in cookies { insert(cookie) }
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
            expiry: expiry > 0 ? Date(timeIntervalSince1970: Double(expiry)) : nil, isSecure: isSecure,
            isHTTPOnly: isHTTPOnly)
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
        let seconds = expiry.map { Int(exactly: $0.timeIntervalSince1970.rounded(.up)) ?? .max } ?? 0
        let fields = [domain, isForDomain, path, isSecure ? "TRUE" : "FALSE", "\(seconds)", name]
        return Array(((isHTTPOnly ? Self.httpOnlyMark : "") + fields.joined(separator: "\t") + "\t").utf8)
            + value.withUnsafeBytes { Array($0) } + [UInt8(ascii: "\n")]
    }
}
