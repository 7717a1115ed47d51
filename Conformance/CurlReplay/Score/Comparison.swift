// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation

/// A comparison of the received requests with the expected ones.
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

    /// The compared requests as text, first those of the origin.
    var received: [String] { sequences.flatMap { $0.received.map(\.description) } }

    /// The differing requests as text for the user.
    var differences: [String] {
        sequences.filter { $0.expected != $0.received }.flatMap { sequences in
            sequences.expected.map { "  expected \($0)" } + sequences.received.map { "  received \($0)" }
        }
    }
}

/// The compared parts of a request: method and target, and the fields with credentials.
///
/// Curl's recordings use NTLMv1, and Digest responses contain a client nonce. Therefore, of NTLM messages only the type
/// is compared, and of Digest responses the parameters and whether the response is right. The HTTP version is not
/// compared, because a session uses HTTP/1.1 when curl is told to use 1.0.
struct ComparedRequest: Hashable, Sendable, CustomStringConvertible {
    let line: String
    /// The credential fields, sorted by name.
    let credentials: [String]

    var description: String { ([line] + credentials).joined(separator: " | ") }

    /// - Parameters:
    ///   - head: The received or expected head.
    ///   - rules: The test's rules for comparisons.
    ///   - isProven: Whether Digest responses are considered right, as those of a recording are.
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

/// A test's rules for comparing requests.
struct ComparisonRules: Sendable {
    /// The users whose passwords occur in the test.
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

    /// Returns whether a field contains a user's credential that is the same in every run.
    func compares(_ field: RequestHead.Field) -> Bool {
        switch field.name.lowercased() {
        case "authorization", "proxy-authorization": break
        case "cookie" where comparesCookies: break
        default: return false
        }
        // Digest and NTLM fields are compared by their parsed content.
        guard !field.value.hasPrefix("Digest "), !field.value.hasPrefix("NTLM ") else { return true }
        let line = "\(field.name): \(field.value)"
        return !stripped.contains { pattern in
            (try? Regex(pattern)).map { line.firstMatch(of: $0) != nil } ?? false
        }
    }
}
