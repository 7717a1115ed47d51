// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

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
