// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
