// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A web server by the name that it has announced on the local network, such as `Lab basic._https._tcp.local` (RFC 6763 section 4.1).
struct ServiceName: Hashable, Sendable {
    /// As it was written.
    let text: String
    /// The name that people see, which may have dots in it.
    let label: String
    /// Whether the service speaks TLS.
    let isSecure: Bool

    /// Reads an argument.
    ///
    /// - Returns: `nil` for what is a URL, or has no label of a protocol: that is never a service's name.
    /// - Throws: ``ServiceError`` for the name of a service that cannot be got.
    init?(_ text: String) throws(ServiceError) {
        var labels = text.split(separator: ".", omittingEmptySubsequences: false).map(String.init)
        let isProtocol = { (label: String) in ["_tcp", "_udp"].contains(label.lowercased()) }
        guard !text.contains("://"), labels.contains(where: isProtocol) else { return nil }
        if labels.last == "" { labels.removeLast() }
        if labels.last?.lowercased() == "local" { labels.removeLast() }
        guard let last = labels.popLast(), isProtocol(last) else { throw .notLocal(text) }
        let type = labels.popLast() ?? ""
        guard last.lowercased() == "_tcp", ["_http", "_https"].contains(type.lowercased()), labels.last != "_sub" else {
            throw .notWeb(text)
        }
        label = labels.joined(separator: ".")
        guard (1...63).contains(label.utf8.count) else { throw .malformed(text) }
        (self.text, isSecure) = (text, type.lowercased() == "_https")
    }
}
