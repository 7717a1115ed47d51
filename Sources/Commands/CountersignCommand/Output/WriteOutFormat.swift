// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import HTTPTypes
import PolicyFiles

/// The format of `--write-out`, which is parsed before anything is sent.
struct WriteOutFormat: Hashable, Sendable {
    enum Part: Hashable, Sendable {
        case text(String)
        case variable(WriteOutVariable)
        /// The first value of a response field.
        case header(HTTPField.Name)
        case headerJSON
        case json
        case standardError
        case standardOutput
        /// A marker after which text is printed only if the transfer failed.
        case onError
    }

    private(set) var parts: [Part] = []

    /// Parses the value of `--write-out`: the text, or `@FILE`, or `@-` for standard input.
    ///
    /// - Throws: ``UsageError/writeOut(_:nearest:)``, ``FileError``.
    init(argument: String) throws {
        guard argument.first == "@" else {
            try self.init(argument)
            return
        }
        let bytes = try InputFile.readArgument(String(argument.dropFirst()))
        try self.init(String(decoding: bytes, as: UTF8.self))
    }

    init(_ text: String) throws(UsageError) {
        var rest = text[...]
        while let character = rest.popFirst() {
            switch (character, rest.first) {
            case ("\\", let escape?):
                rest.removeFirst()
                append(Self.escapes[escape] ?? "\\\(escape)")
            case ("%", "%"):
                rest.removeFirst()
                append("%")
            case ("%", "{"):
                parts.append(try Self.variable(try Self.take(from: &rest, opening: "%{")))
            case ("%", "h") where rest.hasPrefix("header{"):
                rest = rest.dropFirst("header".count)
                parts.append(try Self.header(try Self.take(from: &rest, opening: "%header{")))
            default:
                append(String(character))
            }
        }
    }

    private static let escapes: [Character: String] = ["n": "\n", "r": "\r", "t": "\t"]

    private mutating func append(_ text: String) {
        if case .text(let before)? = parts.last {
            parts[parts.count - 1] = .text(before + text)
        } else {
            parts.append(.text(text))
        }
    }

    /// Removes `{name}` from the front.
    private static func take(from rest: inout Substring, opening: String) throws(UsageError) -> String {
        guard let end = rest.firstIndex(of: "}") else { throw .writeOut("\(opening) has no }", nearest: nil) }
        defer { rest = rest[rest.index(after: end)...] }
        return String(rest[..<end].dropFirst())
    }

    private static let directives: [String: Part] = [
        "json": .json, "header_json": .headerJSON, "stderr": .standardError, "stdout": .standardOutput,
        "onerror": .onError,
    ]

    private static func variable(_ name: String) throws(UsageError) -> Part {
        if let variable = WriteOutVariable(rawValue: name) { return .variable(variable) }
        if let directive = directives[name] { return directive }
        let names = WriteOutVariable.allCases.map(\.rawValue) + directives.keys.sorted()
        throw .writeOut("there is no variable %{\(name)}", nearest: Spelling.nearest(to: name, among: names))
    }

    private static func header(_ name: String) throws(UsageError) -> Part {
        guard let field = HTTPField.Name(name) else { throw .writeOut("\"\(name)\" is no field", nearest: nil) }
        return .header(field)
    }
}

/// A variable of `--write-out`, by its curl name.
enum WriteOutVariable: String, CaseIterable, Sendable {
    case contentType = "content_type"
    case errorMessage = "errormsg"
    case exitCode = "exitcode"
    case fileName = "filename_effective"
    case httpCode = "http_code"
    case httpVersion = "http_version"
    case localPort = "local_port"
    case method
    case connectCount = "num_connects"
    case fieldCount = "num_headers"
    case redirectCount = "num_redirects"
    case redirectURL = "redirect_url"
    case referer
    case remoteAddress = "remote_ip"
    case remotePort = "remote_port"
    case responseCode = "response_code"
    case scheme
    case downloadSize = "size_download"
    case uploadSize = "size_upload"
    case downloadSpeed = "speed_download"
    case uploadSpeed = "speed_upload"
    case verifyResult = "ssl_verify_result"
    case appConnectTime = "time_appconnect"
    case connectTime = "time_connect"
    case nameLookupTime = "time_namelookup"
    case preTransferTime = "time_pretransfer"
    case redirectTime = "time_redirect"
    case startTransferTime = "time_starttransfer"
    case totalTime = "time_total"
    case url
    case effectiveURL = "url_effective"
    case urlNumber = "urlnum"

    static var names: String { allCases.map(\.rawValue).joined(separator: ", ") }
}

/// The text that `--write-out` prints after one transfer.
struct WriteOutText {
    /// The text for standard output.
    private(set) var output = ""
    /// The text for standard error.
    private(set) var errors = ""

    init(_ format: WriteOutFormat, _ facts: TransferMetrics) {
        var goesToErrors = false
        for part in format.parts {
            switch part {
            case .standardError: goesToErrors = true
            case .standardOutput: goesToErrors = false
            case .onError where facts.status == .done: return
            case .onError: break
            default:
                let text = Self.text(part, facts)
                if goesToErrors { errors += text } else { output += text }
            }
        }
    }

    private static func text(_ part: WriteOutFormat.Part, _ facts: TransferMetrics) -> String {
        switch part {
        case .text(let text): text
        case .variable(.httpCode), .variable(.responseCode): padded(facts[.httpCode].text)
        case .variable(let variable): facts[variable].text
        case .header(let name): facts.response?.headerFields[values: name].first?.printable ?? ""
        case .headerJSON: headers(facts)
        case .json: json(facts)
        case .standardError, .standardOutput, .onError: ""
        }
    }

    /// Returns the code with three digits; a missing response has `000`.
    private static func padded(_ code: String) -> String {
        String(repeating: "0", count: max(3 - code.count, 0)) + code
    }

    private static func json(_ facts: TransferMetrics) -> String {
        let pairs = WriteOutVariable.allCases.map { "\"\($0.rawValue)\":" + facts[$0].json }
        return "{" + pairs.joined(separator: ",") + "}"
    }

    /// Returns the response fields as JSON, with each name in lower case and all its values.
    private static func headers(_ facts: TransferMetrics) -> String {
        var names: [String] = []
        var values: [String: [String]] = [:]
        for field in facts.response?.headerFields ?? [:] {
            let name = field.name.canonicalName
            if values[name] == nil { names.append(name) }
            values[name, default: []].append(WriteOutValue.quoted(field.value))
        }
        let lines = names.map { "\(WriteOutValue.quoted($0)):[\((values[$0] ?? []).joined(separator: ","))]" }
        return "{" + lines.joined(separator: ",\n") + "}"
    }
}
