// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

/// A parser of curl's options, one operation after the other.
struct OptionParser {
    private let read: (String) -> [UInt8]?
    private var operation = CurlOperation()

    init(read: @escaping (String) -> [UInt8]?) {
        self.read = read
    }

    mutating func take(url: String) {
        operation.urls.append(url)
    }

    mutating func finish() -> CurlOperation {
        defer { operation = CurlOperation() }
        return operation
    }

    mutating func parse(long option: Substring, _ words: inout ArraySlice<String>) {
        let parts = option.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        let name = String(parts[0])
        if parts.count > 1 {
            apply(name, String(parts[1]))
        } else if OptionNames.withValue.contains(name) {
            apply(name, words.popFirst() ?? "")
        } else {
            applyFlag(name)
        }
    }

    /// Parses short options, of which several may share a dash, with the last one's value following directly.
    mutating func parse(short letters: Substring, _ words: inout ArraySlice<String>) {
        var letters = letters
        while let letter = letters.popFirst() {
            guard let name = OptionNames.byLetter[letter] else {
                operation.unsupported.append("-\(letter)")
                continue
            }
            guard OptionNames.withValue.contains(name) else {
                applyFlag(name)
                continue
            }
            return apply(name, letters.isEmpty ? words.popFirst() ?? "" : String(letters))
        }
    }

    private mutating func applyFlag(_ name: String) {
        switch name {
        case "basic", "digest", "ntlm", "negotiate": operation.methods.insert(.init(name))
        case "anyauth": operation.methods = OptionNames.anyMethod
        case "proxy-basic", "proxy-digest", "proxy-ntlm", "proxy-negotiate":
            operation.proxyMethods.insert(.init(String(name.dropFirst("proxy-".count))))
        case "proxy-anyauth": operation.proxyMethods = OptionNames.anyMethod
        case "proxytunnel": operation.tunnelsAlways = true
        case "location": if operation.redirects == .delivered { operation.redirects = .followed }
        case "location-trusted": operation.redirects = .trusted
        case "head": operation.asksForHeadOnly = true
        case "get": operation.putsFormIntoQuery = true
        case "netrc": if operation.netrc == .unread { operation.netrc = .required }
        case "netrc-optional": operation.netrc = .optional
        case "globoff": operation.takesURLsAsTheyAre = true
        case _ where name.hasPrefix("no-"): break
        default: if !OptionNames.flagsWithoutEffect.contains(name) { operation.unsupported.append("--\(name)") }
        }
    }

    private mutating func apply(_ name: String, _ value: String) {
        switch name {
        case "url": take(url: value)
        case "user": operation.user = UserInfo(value)
        case "proxy-user": operation.proxyUser = UserInfo(value)
        case "proxy", "proxy1.0": operation.proxy = value
        case "noproxy": operation.directHosts = value.split { $0 == "," || $0 == " " }.map(String.init)
        case "max-redirs": operation.redirectLimit = Int(value).flatMap { $0 < 0 ? nil : $0 } ?? 1000
        case "header": takeHeader(value)
        case "data", "data-ascii", "data-binary", "data-raw", "data-urlencode", "json": takeData(value, as: name)
        case "form", "form-string": operation.multipart.append(value)
        case "upload-file":
            operation.uploads += (operation.takesURLsAsTheyAre ? [value] : URLPattern.expand(value))
                .map { $0 == "-" || $0 == "." ? .standardInput : .file(path: $0) }
        case "request": operation.method = value
        case "netrc-file":
            operation.netrcPath = value
            if operation.netrc == .unread { operation.netrc = .required }
        case "oauth2-bearer": operation.bearerToken = value
        case "cookie": operation.cookies.append(value)
        case "continue-at": operation.resumesAt = Int(value)
        case "resolve", "connect-to": takeConnectTarget(value, isConnectTo: name == "connect-to")
        default: if !OptionNames.valuesWithoutEffect.contains(name) { operation.unsupported.append("--\(name)") }
        }
    }

    private mutating func takeHeader(_ line: String) {
        if line.hasPrefix("@") {
            String(decoding: read(String(line.dropFirst())) ?? [], as: UTF8.self).split(whereSeparator: \.isNewline)
                .forEach { takeHeader(String($0)) }
        } else if let colon = line.firstIndex(of: ":") {
            let value = line[line.index(after: colon)...].trimmingPrefix { $0 == " " }
            operation.headerLines.append(
                .init(name: line[..<colon].filter { $0 != " " }, value: value.isEmpty ? nil : String(value)))
        } else if line.hasSuffix(";") {
            operation.headerLines.append(.init(name: String(line.dropLast()), value: ""))
        }
    }

    private mutating func takeData(_ value: String, as name: String) {
        var bytes = Array(value.utf8)
        if value.hasPrefix("@"), name != "data-raw", name != "data-urlencode" {
            bytes = read(String(value.dropFirst())) ?? []
            if name == "data" || name == "data-ascii" { bytes.removeAll { $0 == 13 || $0 == 10 || $0 == 0 } }
        }
        let type = name == "json" ? "application/json" : "application/x-www-form-urlencoded"
        if var form = operation.form {
            form.bytes += (name == "json" ? [] : [UInt8(ascii: "&")]) + bytes
            operation.form = form
        } else {
            operation.form = .init(bytes: bytes, type: type)
        }
    }

    /// Parses `--resolve` (a host and port with an address) or
    /// `--connect-to` (a host and port with another host and port).
    private mutating func takeConnectTarget(_ value: String, isConnectTo: Bool) {
        let text = value.hasPrefix("+") ? value.dropFirst() : value[...]
        let parts = text.split(separator: ":", maxSplits: isConnectTo ? 3 : 2, omittingEmptySubsequences: false).map(
            String.init)
        guard parts.count > 2 else { return }
        operation.connectTargets.append(
            .init(host: parts[0], port: parts[1], newHost: parts[2], newPort: parts.count > 3 ? parts[3] : ""))
    }
}

/// The supported options of curl, which are all that its authentication tests use, including long forms of short ones.
enum OptionNames {
    static let anyMethod: Set<AuthenticationMethod> = [.basic, .digest, .ntlm, .negotiate, .bearer]

    static let byLetter: [Character: String] = [
        "u": "user", "U": "proxy-user", "x": "proxy", "p": "proxytunnel", "L": "location", "n": "netrc", "d": "data",
        "T": "upload-file", "X": "request", "H": "header", "F": "form", "I": "head", "G": "get", "b": "cookie",
        "c": "cookie-jar", "C": "continue-at", "r": "range", "e": "referer", "g": "globoff", "o": "output",
        "w": "write-out", "A": "user-agent", "m": "max-time", "D": "dump-header", "K": "config", "z": "time-cond",
        "E": "cert", "y": "speed-time", "Y": "speed-limit", "0": "http1.0", "f": "fail", "s": "silent",
        "S": "show-error", "i": "include", "k": "insecure", "v": "verbose", "O": "remote-name",
        "J": "remote-header-name",
        "N": "no-buffer", "q": "disable", "4": "ipv4", "6": "ipv6", "j": "junk-session-cookies", "a": "append",
        "Z": "parallel",
        "#": "progress-bar", "1": "tlsv1",
    ]

    static let withValue = valuesWithoutEffect.union([
        "url", "user", "proxy-user", "proxy", "proxy1.0", "noproxy", "max-redirs", "header", "data", "data-ascii",
        "data-binary", "data-raw", "data-urlencode", "json", "form", "form-string", "upload-file", "request",
        "netrc-file",
        "oauth2-bearer", "cookie", "continue-at", "resolve", "connect-to", "preproxy", "socks4", "socks4a", "socks5",
        "socks5-hostname", "config", "unix-socket", "abstract-unix-socket", "request-target", "interface", "doh-url",
        "url-query", "aws-sigv4", "haproxy-clientip", "variable",
    ])

    /// The options with values that affect neither request lines nor credentials.
    static let valuesWithoutEffect: Set<String> = [
        "output", "output-dir", "write-out", "user-agent", "max-time", "connect-timeout", "expect100-timeout",
        "dump-header",
        "trace", "trace-ascii", "stderr", "speed-time", "speed-limit", "limit-rate", "retry", "retry-delay",
        "retry-max-time", "cookie-jar", "range", "referer", "time-cond", "proxy-header", "cacert", "capath", "cert",
        "key",
        "cert-type", "key-type", "pass", "ciphers", "etag-save", "etag-compare", "keepalive-time", "tls-max", "proto",
        "proto-default", "proto-redir", "libcurl", "happy-eyeballs-timeout-ms", "max-filesize", "service-name",
        "proxy-service-name", "delegation", "login-options", "sasl-authzid", "hsts", "alt-svc", "rate", "parallel-max",
        "dns-servers", "local-port", "create-file-mode", "pinnedpubkey", "proxy-cacert",
    ]

    /// The flags for output, and those that match a session's behaviour, which uses HTTP/1.1 even if 1.0 is requested.
    static let flagsWithoutEffect: Set<String> = [
        "http1.0", "http1.1", "http2", "http2-prior-knowledge", "fail", "fail-with-body", "fail-early", "silent",
        "show-error", "no-show-error", "include", "no-include", "show-headers", "insecure", "verbose", "no-verbose",
        "remote-name", "remote-header-name", "no-buffer", "disable", "ipv4", "ipv6", "junk-session-cookies", "append",
        "progress-bar", "no-progress-meter", "suppress-connect-headers", "keepalive", "no-keepalive", "compressed",
        "raw", "tr-encoding", "ssl-reqd", "tlsv1", "tlsv1.2", "tlsv1.3", "path-as-is", "no-sessionid",
        "remove-on-error", "create-dirs", "trace-time", "trace-ids", "styled-output", "no-styled-output",
        "tcp-nodelay", "no-clobber", "clobber", "xattr", "remote-time", "crlf", "parallel", "parallel-immediate",
        "disallow-username-in-url", "no-location", "no-netrc", "no-remote-name", "retry-connrefused",
        "retry-all-errors", "remote-name-all", "no-npn", "no-alpn", "haproxy-protocol", "proxy-http2", "proxy-insecure",
    ]
}
