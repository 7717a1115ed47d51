// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Foundation
import Turns

/// The time to parse fields of a hostile server, by their size.
enum Growth {
    private static let sizes = [4, 16, 64].map { $0 * 1_024 }

    /// The shapes of fields: a unit that is repeated up to the size, between a start and an end.
    private static let shapes: [(name: String, start: String, unit: String, end: String)] = [
        ("a quoted string", "Basic realm=\"", "a", "\""),
        ("escapes", "Basic realm=\"", "\\\"", "\""),
        ("a string without end", "Basic realm=\"", "\\\\", ""),
        ("a token68", "Negotiate ", "A", "="),
        ("a token68 that is none", "Negotiate ", "A", " !"),
        ("commas and spaces", "", " ,", "Basic"),
        ("commas within a challenge", "Digest", " ,", "realm=a"),
        ("a scheme", "", "a", ""),
        ("one parameter again and again", "Digest ", "realm=\"a\",", "nonce=b"),
        ("parameters of one long name", "Digest ", String(repeating: "n", count: 1_000) + "=1 ", ""),
        ("long equal values", "Digest ", "a=\"\(String(repeating: "v", count: 1_000))\",", ""),
        ("quotes that are not escaped", "Basic realm=\"", "\"a ", ""),
        ("strings that swallow parameters", "", "Digest a=\"b, ", ""),
        ("words without quotes", "Digest ", "a=b c ", ""),
        ("bare schemes, more than are read", "", "a, ", ""),
        ("an unquoted list of qop", "Digest realm=r, nonce=n, qop=\"", "auth ,", "auth\""),
    ]

    static func lines(turns: Turns) async throws -> [String] {
        var lines: [String] = []
        for shape in shapes {
            var times: [Double] = []
            for size in sizes {
                let capacity = size - shape.start.utf8.count - shape.end.utf8.count
                let field =
                    shape.start + String(repeating: shape.unit, count: capacity / shape.unit.utf8.count) + shape.end
                let contender = Contender.brief(shape.name) { read(field) }
                times.append(try await turns.median(of: contender) / Double(field.utf8.count))
            }
            lines.append(
                "  " + shape.name.padding(toLength: 34, withPad: " ", startingAt: 0)
                    + times.map { String(format: "%9.2f", $0) }.joined())
        }
        return lines
    }

    private static func read(_ field: String) {
        for challenge in (try? HTTPChallenge.parse([field])) ?? [] {
            _ = try? AuthenticatorRegistry().authenticator(for: challenge)
        }
        _ = try? HTTPAuthenticationInfo([field])
    }
}
