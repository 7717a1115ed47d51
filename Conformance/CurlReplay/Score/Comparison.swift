// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation

/// What was received beside what must have been.
struct Comparison: Sendable {
    struct Sequences: Hashable, Sendable {
        let expected: [ComparedRequest]
        let received: [ComparedRequest]
    }

    private let sequences: [Sequences]

    init(_ outcome: ReplayOutcome) {
        let rules = ComparisonRules(outcome.test)
        sequences = ServerRole.allCases.compactMap { role in
            guard let expected = outcome.test.expectedRequests(at: role) else { return nil }
            return Sequences(
                expected: expected.heads.map { ComparedRequest($0, rules: rules, isProven: true) },
                received: (outcome.received[role] ?? []).map { ComparedRequest($0, rules: rules, isProven: false) })
        }
    }

    var isSame: Bool { sequences.allSatisfy { $0.expected == $0.received } }

    /// All that was compared, the origin's first.
    var received: [String] { sequences.flatMap { $0.received.map(\.description) } }

    /// For a person, where they differ.
    var differences: [String] {
        sequences.filter { $0.expected != $0.received }.flatMap { sequences in
            sequences.expected.map { "  expected \($0)" } + sequences.received.map { "  received \($0)" }
        }
    }
}

/// What is compared of a request: method and target, and the fields that hold credentials.
///
/// Curl's recordings are of NTLMv1, and Digest answers hold a nonce of the client's: of NTLM the kind of the message is compared, of Digest the
/// parameters and whether the answer is right. The version is not: a session speaks HTTP/1.1 where curl can be told to speak 1.0.
struct ComparedRequest: Hashable, Sendable, CustomStringConvertible {
    let line: String
    /// In the order of their names.
    let credentials: [String]

    var description: String { ([line] + credentials).joined(separator: " | ") }

    /// - Parameters:
    ///   - head: As received or expected.
    ///   - rules: What the test says of comparing.
    ///   - isProven: Whether Digest answers are to be right; those of a recording are.
    init(_ head: RequestHead, rules: ComparisonRules, isProven: Bool) {
        line = "\(head.method) \(head.target)"
        credentials = head.fields.filter { rules.compares($0) }.sorted { $0.name.lowercased() < $1.name.lowercased() }
            .map { field in
                "\(field.name.lowercased()): "
                    + Self.normalized(field.value, of: head, rules: rules, isProven: isProven)
            }
    }

    private static func normalized(
        _ value: String, of head: RequestHead, rules: ComparisonRules, isProven: Bool
    ) -> String {
        let parts = value.split(separator: " ", maxSplits: 1)
        switch parts.first {
        case "NTLM" where parts.count > 1: return "NTLM \(messageType(parts[1]))"
        case "Negotiate": return "Negotiate"
        case "Digest" where parts.count > 1:
            let terms = DigestTerms(parts[1])
            let isRight =
                isProven || rules.users.contains { DigestProof(user: $0, method: head.method).holds(for: terms) }
            return "Digest \(terms.comparable)" + (isRight ? "" : ", with a wrong response")
        default: return value
        }
    }

    private static func messageType(_ token: some StringProtocol) -> String {
        let start = Data("NTLMSSP\0".utf8)
        guard let message = Data(base64Encoded: String(token)), message.starts(with: start), message.count > start.count
        else { return "that is no message" }
        return "message \(message[message.startIndex + start.count])"
    }
}

/// What a test says of comparing its requests.
struct ComparisonRules: Sendable {
    /// Everyone whose password the test tells.
    let users: [UserInfo]
    private let comparesCookies: Bool
    private let stripped: [String]

    init(_ test: CurlTest) {
        let operations = CurlCommand(test.command) { _ in nil }.operations
        users = operations.flatMap(Self.users) + test.files.flatMap { Self.users(ofNetrc: $0.content) }
        comparesCookies = operations.contains { operation in
            operation.cookies.contains { $0.contains("=") }
                || operation.headerLines.contains { $0.name.lowercased() == "cookie" && $0.value != nil }
        }
        stripped = test.strippedLines
    }

    private static func users(of operation: CurlOperation) -> [UserInfo] {
        let urls = operation.urls + [operation.proxy].compactMap(\.self)
        return [operation.user, operation.proxyUser].compactMap(\.self) + urls.compactMap { try? CurlURL($0).user }
    }

    private static func users(ofNetrc content: [UInt8]) -> [UserInfo] {
        let words = String(decoding: content, as: UTF8.self).split { $0.isWhitespace || $0.isNewline }
        return words.indices.compactMap { index in
            guard words[index] == "login", index + 3 < words.count, words[index + 2] == "password" else { return nil }
            return UserInfo(name: String(words[index + 1]), password: String(words[index + 3]))
        }
    }

    /// Whether a field holds a credential of the user's, and one that is the same in every run.
    func compares(_ field: RequestHead.Field) -> Bool {
        switch field.name.lowercased() {
        case "authorization", "proxy-authorization": break
        case "cookie" where comparesCookies: break
        default: return false
        }
        // Those are compared by what they mean.
        guard !field.value.hasPrefix("Digest "), !field.value.hasPrefix("NTLM ") else { return true }
        let line = "\(field.name): \(field.value)"
        return !stripped.contains { pattern in
            (try? Regex(pattern)).map { line.firstMatch(of: $0) != nil } ?? false
        }
    }
}
