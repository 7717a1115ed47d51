// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing
import TrustRecipes

@testable import Challenges

/// Challenge fields of servers, with the challenges that each plainly means.
@Suite struct ChallengeHeadTests {
    /// A row of the file.
    struct Head: Sendable, CustomTestStringConvertible {
        let fields: [String]
        /// The challenges, as ``ChallengeHeadTests/summary(_:)`` returns them.
        let challenges: String
        /// The first problem; "-" for none.
        let problem: String
        /// The scheme that a password answers; "none" if there is none.
        let answered: String
        let testDescription: String

        init(_ line: Substring) throws {
            let columns = line.split(separator: "\t", omittingEmptySubsequences: false).map(String.init)
            try #require(columns.count == 6)
            fields = columns[1].components(separatedBy: " <LF> ").map(Self.unescaped)
            (challenges, problem, answered) = (columns[2], columns[3], columns[4])
            testDescription = "\(columns[1]): \(columns[5])"
        }

        /// Returns a field with its control characters, which the file writes as escapes.
        private static func unescaped(_ text: String) -> String {
            let escapes = ["\\t": "\t", "\\v": "\u{b}", "\\0": "\0", "\\x01": "\u{1}", "\\x7f": "\u{7f}"]
            return escapes.reduce(text) { $0.replacingOccurrences(of: $1.key, with: $1.value) }
        }
    }

    static let heads: Result<[Head], any Error> = Result {
        let file = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "challenge-heads.tsv")
        return try String(contentsOf: file, encoding: .utf8).split(separator: "\n").dropFirst().map(Head.init)
    }

    static func summary(_ challenges: [HTTPChallenge]) -> String {
        let texts = challenges.map { challenge in
            let parameters = challenge.parameters.map { "\($0.name)=\($0.value)" }.joined(separator: "|")
            return [challenge.method.description, challenge.token68 ?? parameters].filter { !$0.isEmpty }
                .joined(separator: " ")
        }
        return texts.isEmpty ? "-" : texts.joined(separator: " ; ")
    }

    private static func summary(_ problem: HTTPChallengeError?) -> String {
        switch problem {
        case nil: "-"
        case .malformed(let offset): "malformed:\(offset)"
        case .ambiguousString(let offset): "ambiguous:\(offset)"
        case .repeatedParameter(let name): "repeated:\(name)"
        case .some(let other): "\(other)"
        }
    }

    @Test("The file has all heads") func complete() throws {
        #expect(try Self.heads.get().count == 300)
    }

    @Test(
        "A challenge is read as its one plain meaning, and a problem is reported if it has none",
        arguments: try heads.get())
    func meaning(head: Head) {
        let reading = HTTPChallenge.read(head.fields)
        #expect(Self.summary(reading.challenges) == head.challenges)
        #expect(Self.summary(reading.problems.first?.error) == head.problem)
    }

    @Test("The strongest challenge that a password can answer is chosen", arguments: try heads.get())
    func answered(head: Head) {
        let answerable = MethodPreference().sorted(HTTPChallenge.read(head.fields).challenges).first {
            // Negotiate with a password depends on the other methods of a session; see NTLMInNegotiateTests.
            $0.method != .negotiate && $0.method.traits.carries.contains(.password)
                && (try? AuthenticatorRegistry().authenticator(for: $0)) != nil
        }
        #expect(answerable?.method.description ?? "none" == head.answered)
    }

    /// A realm may repeat text of an attacker, such as a path, which must not become a challenge or a parameter.
    @Test("A quoted string that is escaped properly is one value, whatever it contains") func quotedStrings() {
        var generator = SplitMix64(seed: 49)
        let pieces = [
            "\"", "\\", ",", " ", "=", ";", "a", "Digest ", "Basic", ", nonce=\"n\"", "realm=", "\", Basic x=",
            ", Negotiate, ", ", Basic ",
        ]
        // The challenge cannot be read because of its end, or the string because of the text after it.
        let faults = [
            ", algorithm=MD5, algorithm=SHA-256", ", nonce=\"o\"", ", opaque=a\"b", " junk", " (x)", ".", " }",
        ]
        for _ in 0..<10_000 {
            let count = Int.random(in: 0...8, using: &generator)
            let realm = (0..<count).map { _ in pieces.randomElement(using: &generator) ?? "" }.joined()
            let field = "Digest nonce=\"m\", realm=\(realm.quotedForField), opaque=\(realm.quotedForField)"
            let parameters = [("nonce", "m"), ("realm", realm), ("opaque", realm)]
                .map { HTTPChallenge.Parameter(name: $0.0, value: $0.1) }
            let reading = HTTPChallenge.read([field])
            #expect(reading.challenges == [HTTPChallenge(method: .digest, parameters: parameters)], "\(field)")
            #expect(reading.problems.isEmpty)
            for fault in faults {
                let challenges = HTTPChallenge.read(["Digest nonce=\"m\", realm=\(realm.quotedForField)\(fault)"])
                    .challenges
                #expect(challenges.allSatisfy { $0.method == .digest }, "\(realm.quotedForField)\(fault)")
            }
        }
    }

    @Test(
        "Text inside a string becomes no challenge, even if another quote in the string is not escaped",
        arguments: [
            "Digest nonce=\"n\", realm=\"a\" b, Basic realm=c\"", "Digest nonce=\"n\", realm=\"a, Basic realm=c\" b\"",
            "Digest nonce=\"n\", realm=\"a\"b, Basic realm=c\"", "Digest nonce=\"n\", realm=\"\"a, Basic realm=c\"",
            "Digest nonce=\"n\", realm=\"a, nonce=m", "Digest nonce=\"n\", realm=\"Area \"51\" for a, Basic realm=\"",
            "Digest nonce=\"n\", realm=\"Area \"51\" for a, Basic realm=c, d\"",
        ])
    func injections(field: String) {
        let reading = HTTPChallenge.read([field])
        #expect(reading.problems.first?.method == .digest)
        #expect(reading.challenges.isEmpty)
    }

    @Test(
        "A field of the maximum size is read, whatever it repeats",
        arguments: [
            "\"", "\\", ",", "a ", "a=", "a=\"", "Digest a=\"b, ", "Digest a=\"b\" c, ", "=", ";", " ", "a=b c ",
            "a=\"\"b", "Digest a=b,c, ", "Basic \"", "Negotiate a=,b=", "a;b=",
        ])
    func repetitions(unit: String) {
        let prefix = "Digest realm=\"r"
        let unitCount = (HTTPChallenge.sizeLimit - prefix.utf8.count) / unit.utf8.count
        for start in ["", prefix] {
            let reading = HTTPChallenge.read([start + String(repeating: unit, count: unitCount)])
            #expect(reading.challenges.count <= HTTPChallenge.countLimit)
        }
    }
}
