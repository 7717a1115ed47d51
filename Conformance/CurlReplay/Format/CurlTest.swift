// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A test of curl's suite: the replies, the command and the expected requests.
struct CurlTest: Sendable {
    /// A file that is created before the command runs.
    struct File: Sendable {
        let path: String
        let content: [UInt8]
    }

    let number: Int
    private let file: TestFile

    init(number: Int, file: TestFile) {
        (self.number, self.file) = (number, file)
    }

    var command: String { file.section("command", in: "client")?.text ?? "" }
    var standardInput: [UInt8] { file.section("stdin", in: "client")?.content ?? [] }
    var serverCommands: Set<ServerCommand> {
        Set((file.section("servercmd", in: "reply")?.words ?? []).compactMap(ServerCommand.init))
    }

    var environment: [String: String] {
        let pairs = (file.section("setenv", in: "client")?.words ?? []).map { $0.split(separator: "=", maxSplits: 1) }
        return Dictionary(
            pairs.filter { !$0.isEmpty }.map { (String($0[0]), $0.count > 1 ? String($0[1]) : "") }
        ) { _, last in last }
    }

    var files: [File] {
        file.sections("file", in: "client").compactMap { section in
            section.attributes["name"].map { File(path: $0, content: section.content) }
        }
    }

    /// Returns a server's reply; `nil` if the test has none with the name.
    func reply(_ name: String) -> [UInt8]? {
        file.section(name, in: "reply")?.content
    }

    /// - Returns: The expected requests; `nil` if the test does not specify them.
    func expectedRequests(at role: ServerRole) -> ExpectedRequests? {
        file.section(role == .origin ? "protocol" : "proxy", in: "verify").map(ExpectedRequests.init)
    }

    /// The patterns of lines that differ between runs.
    var strippedLines: [String] { file.section("strip", in: "verify")?.words ?? [] }
}

/// The features of the curl for which a test file is processed, which `%if` queries.
struct Features: Sendable {
    private let names: Set<String>

    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Returns whether a condition holds: the name of a feature, or `!` and a name.
    func satisfy(_ condition: some StringProtocol) -> Bool {
        let condition = condition.trimmingPrefix { $0 == " " }
        return condition.first == "!"
            ? !names.contains(condition.dropFirst().lowercased()) : names.contains(condition.lowercased())
    }

    /// A curl for Unix with the features that its authentication tests require; tests for SSPI need Windows.
    static let unix = Features([
        "alt-svc", "AsynchDNS", "basic", "bearer-auth", "cookies", "crypto", "Debug", "digest", "file", "getrlimit",
        "GSS-API", "hsts", "http", "http-auth", "https", "HTTPS-proxy", "IPv6", "Kerberos", "large-time", "large-size",
        "large_file", "libz", "Mime", "negotiate-auth", "netrc", "NTLM", "NTLM_WB", "OpenSSL", "proxy", "sha512-256",
        "SPNEGO", "SSL", "threaded-resolver", "Unicode", "unittest", "UnixSockets", "verbose-strings", "xattr",
    ])
}

/// The host names in test files, which may end in the number of the test.
enum HostLabels {
    private static let number = Array(".%TESTNUMBER".utf8)
    private static let letters = Array(".test".utf8)

    /// Appends a label of letters to host names that end in the number.
    static func appendLetters(to file: [UInt8]) -> [UInt8] {
        var (changed, rest) = ([UInt8](), file[...])
        while let start = rest.firstIndex(of: ".%TESTNUMBER") {
            changed += rest[..<start] + number
            rest = rest[(start + number.count)...]
            guard let next = rest.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) else { continue }
            changed += letters
        }
        return changed + rest
    }
}

/// A test's instruction to the server.
enum ServerCommand: Hashable, Sendable {
    /// Requests without credentials are answered before their body is read.
    case requiresAuthorization
    /// The server does not wait for this number of body bytes.
    case skips(Int)
    /// The server does not wait for a body with an `Expect` field.
    case ignoresExpectation
    /// The server sends no responses.
    case staysSilent
    /// The server closes each connection after one response.
    case closes

    /// - Returns: The command; `nil` if it does not affect the comparison.
    init?(_ line: String) {
        let words = line.split { $0 == ":" || $0 == " " }
        switch words.first {
        case "auth_required": self = .requiresAuthorization
        case "skip": self = .skips(words.dropFirst().first.flatMap { Int($0) }.map { max($0, 0) } ?? 0)
        case "no-expect": self = .ignoresExpectation
        case "idle": self = .staysSilent
        case "close": self = .closes
        default: return nil
        }
    }
}

/// The role of a test's server: the origin, which may also act as a proxy, or the proxy before it.
enum ServerRole: CaseIterable, Sendable {
    case origin
    case proxy
}

/// The requests that a server must receive, from a test's `<protocol>` or `<proxy>`.
struct ExpectedRequests: Sendable {
    let heads: [RequestHead]

    init(_ section: TestFile.Section) {
        var (heads, lines) = ([RequestHead](), section.content.lines[...])
        while let line = lines.first {
            // A line that does not start a request belongs to the previous request's body.
            guard Self.startsRequest(line) else {
                lines = lines.dropFirst()
                continue
            }
            let head = lines.prefix { $0.contains { $0 != 13 && $0 != 10 } }
            if let head = RequestHead(head) { heads.append(head) }
            lines = lines.dropFirst(head.count)
        }
        self.heads = heads
    }

    private static func startsRequest(_ line: ArraySlice<UInt8>) -> Bool {
        RequestHead.requestLine(String(decoding: line.filter { $0 != 13 && $0 != 10 }, as: UTF8.self)) != nil
    }
}
