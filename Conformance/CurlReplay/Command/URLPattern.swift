// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The URLs that one word of curl's command line stands for: `{one,two}`, `[1-3]`, `[a-c]` and `[01-10:2]`.
enum URLPattern {
    static func expand(_ pattern: String) -> [String] {
        guard let opening = pattern.firstIndex(where: { $0 == "{" || $0 == "[" }) else { return [pattern] }
        let rest = pattern[pattern.index(after: opening)...]
        guard let closing = rest.firstIndex(of: pattern[opening] == "{" ? "}" : "]") else { return [pattern] }
        let inner = rest[..<closing]
        guard let choices = pattern[opening] == "{" ? inner.split(separator: ",").map(String.init) : range(inner)
        else { return [pattern] }
        let tails = expand(String(rest[rest.index(after: closing)...]))
        return choices.flatMap { choice in tails.map { pattern[..<opening] + choice + $0 } }
    }

    /// - Returns: `nil` for what is no range, such as an IPv6 address.
    private static func range(_ text: Substring) -> [String]? {
        guard let match = text.wholeMatch(of: /(\d+|[a-zA-Z])-(\d+|[a-zA-Z])(?::(\d+))?/) else { return nil }
        let step = match.3.flatMap { Int($0) } ?? 1
        guard step > 0 else { return nil }
        if let first = Int(match.1), let last = Int(match.2), first <= last {
            return stride(from: first, through: last, by: step).map { number in
                let digits = String(number)
                return String(repeating: "0", count: max(0, match.1.count - digits.count)) + digits
            }
        }
        guard let first = match.1.utf8.first, let last = match.2.utf8.first, first <= last else { return nil }
        return stride(from: Int(first), through: Int(last), by: step).map {
            String(decoding: [UInt8($0)], as: UTF8.self)
        }
    }
}
