// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The paths of cookies (RFC 6265 section 5.1.4).
enum CookiePath {
    /// What a cookie is for that names no path: the folder of the resource that set it.
    ///
    /// - Parameter target: Path and query of the request.
    /// - Returns: A path that begins with a slash, and ends with none unless it is no more than that.
    static func folder(of target: String) -> String {
        let path = path(of: target)
        guard path.first == "/", let last = path.lastIndex(of: "/"), last > path.startIndex else { return "/" }
        return String(path[..<last])
    }

    /// Whether a request for a target is at or below a cookie's path.
    static func matches(_ target: String, _ cookiePath: String) -> Bool {
        let (path, prefix) = (path(of: target).utf8, cookiePath.utf8)
        guard path.starts(with: prefix) else { return false }
        return path.count == prefix.count || prefix.last == UInt8(ascii: "/")
            || path.dropFirst(prefix.count).first == UInt8(ascii: "/")
    }

    private static func path(of target: String) -> Substring {
        target.prefix { $0 != "?" }
    }
}
