// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// One test of curl's suite: what is served, what is called, and what must have been received.
struct CurlTest: Sendable {
    /// A file that is there before the command is called.
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

    /// What a server answers with; `nil` where the test has nothing of the name.
    func reply(_ name: String) -> [UInt8]? {
        file.section(name, in: "reply")?.content
    }

    /// - Returns: `nil` where the test does not say.
    func expectedRequests(at role: ServerRole) -> ExpectedRequests? {
        file.section(role == .origin ? "protocol" : "proxy", in: "verify").map(ExpectedRequests.init)
    }

    /// Lines that differ from run to run.
    var strippedLines: [String] { file.section("strip", in: "verify")?.words ?? [] }
}

/// What the curl that a test is written for can do: `%if` asks for it in tests that are not prepared for one curl.
struct Features: Sendable {
    private let names: Set<String>

    init(_ names: some Sequence<String>) {
        self.names = Set(names.map { $0.lowercased() })
    }

    /// Whether a condition holds: a name, or `!` and a name.
    func satisfy(_ condition: some StringProtocol) -> Bool {
        let condition = condition.trimmingPrefix { $0 == " " }
        return condition.first == "!"
            ? !names.contains(condition.dropFirst().lowercased()) : names.contains(condition.lowercased())
    }

    /// A curl on a Unix, built with what its authentication tests ask for; those for SSPI are about Windows.
    static let unix = Features([
        "alt-svc", "AsynchDNS", "basic", "bearer-auth", "cookies", "crypto", "Debug", "digest", "file", "getrlimit",
        "GSS-API", "hsts", "http", "http-auth", "https", "HTTPS-proxy", "IPv6", "Kerberos", "large-time", "large-size",
        "large_file", "libz", "Mime", "negotiate-auth", "netrc", "NTLM", "NTLM_WB", "OpenSSL", "proxy", "sha512-256",
        "SPNEGO", "SSL", "threaded-resolver", "Unicode", "unittest", "UnixSockets", "verbose-strings", "xattr",
    ])
}

/// The names of hosts in test files, which may end in the number of the test.
enum HostLabels {
    private static let number = Array(".%TESTNUMBER".utf8)
    private static let letters = Array(".test".utf8)

    /// Puts a label of letters after those that are the number alone.
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

/// What a test tells the server about how to serve.
enum ServerCommand: Hashable, Sendable {
    /// Who brings no credential is answered before the body is read.
    case requiresAuthorization
    /// So many bytes of a body are not waited for.
    case skips(Int)
    /// A body that is announced by `Expect` is not waited for.
    case ignoresExpectation
    /// Nothing is answered at all.
    case staysSilent
    /// Every connection serves one request.
    case closes

    /// - Returns: `nil` for what changes nothing of what is compared here.
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

/// Whether it is the server of a test, or the proxy before it; the first is a proxy too where it is asked to be.
enum ServerRole: CaseIterable, Sendable {
    case origin
    case proxy
}

/// The requests that a server must have received, out of a test's `<protocol>` or `<proxy>`.
struct ExpectedRequests: Sendable {
    let heads: [RequestHead]

    init(_ section: TestFile.Section) {
        var (heads, lines) = ([RequestHead](), section.content.lines[...])
        while let line = lines.first {
            // Whatever is not the start of a request belongs to the body of the one before.
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
