// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

extension HTTPURL {
    /// Reads a URL as most are: its scheme in lower case, no user, and in the rest no character that stands for another.
    ///
    /// Every request has its URL read, and a reader of all URLs takes ten times as long.
    ///
    /// - Returns: `nil` for every other text, which may be a URL all the same.
    init?(plain text: String) {
        guard let scheme: Scheme = text.hasPrefix("https://") ? .https : text.hasPrefix("http://") ? .http : nil,
            let url = text.utf8.withContiguousStorageIfAvailable({ Self(plain: $0, scheme, text) }) ?? nil
        else { return nil }
        self = url
    }

    private init?(plain bytes: UnsafeBufferPointer<UInt8>, _ scheme: Scheme, _ text: String) {
        let authority = bytes.dropFirst(scheme.rawValue.utf8.count + 3)
        let name = authority.prefix(while: \.isInHostName)
        let rest = authority[name.endIndex...]
        let written = rest.first == .colon ? rest.dropFirst().prefix(while: \.isDigit) : rest.prefix(0)
        let port = written.isEmpty ? scheme.defaultPort : Int(String(decoding: written, as: UTF8.self))
        let target = written.isEmpty ? rest : rest[written.endIndex...]
        guard let port, (1...65_535).contains(port), Self.isPlain(target),
            let host = try? HostName(String(decoding: name, as: UTF8.self))
        else { return nil }
        let path = target.first == .slash ? "" : "/"
        let isCanonical =
            path.isEmpty
            && (rest.startIndex == target.startIndex || port != scheme.defaultPort && written.first != .zero)
            && name.elementsEqual(host.description.utf8)
        let endpoint = Endpoint(host: host, port: port)
        guard isCanonical else {
            self.init(scheme: scheme, endpoint: endpoint, target: path + String(decoding: target, as: UTF8.self))
            return
        }
        self.init(
            scheme: scheme, endpoint: endpoint, target: String(decoding: target, as: UTF8.self),
            authority: String(decoding: authority[..<target.startIndex], as: UTF8.self), description: text)
    }

    /// Whether it is a path and a query without a fragment (RFC 3986 sections 3.3 and 3.4).
    private static func isPlain(_ target: Slice<UnsafeBufferPointer<UInt8>>) -> Bool {
        guard let first = target.first else { return true }
        guard first == .slash || first == .questionMark else { return false }
        return target.allSatisfy(\.isInTarget)
    }
}

extension UInt8 {
    fileprivate static let slash = UInt8(ascii: "/")
    fileprivate static let questionMark = UInt8(ascii: "?")
    fileprivate static let colon = UInt8(ascii: ":")
    fileprivate static let zero = UInt8(ascii: "0")

    fileprivate var isDigit: Bool { (0x30...0x39).contains(self) }

    private var isLetterOrDigit: Bool {
        switch self {
        case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
        default: isDigit
        }
    }

    fileprivate var isInHostName: Bool {
        isLetterOrDigit || self == UInt8(ascii: ".") || self == UInt8(ascii: "-") || self == UInt8(ascii: "_")
    }

    /// RFC 3986 section 3.3, `pchar` without what is percent-encoded, and what divides path and query.
    fileprivate var isInTarget: Bool {
        isLetterOrDigit || "/?-._~!$&'()*+,;=:@".utf8.contains(self)
    }
}
