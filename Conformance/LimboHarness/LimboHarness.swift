// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import EssentialFoundation
import POSIX

/// Evaluates the cases of x509-limbo, or of another suite in its format.
@main
struct LimboHarness: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "limbo-harness",
        abstract: "Reads x509-limbo's cases from standard input and writes its results to standard output.",
        discussion: """
            Exit status: 0 done; 1 the suite cannot be read, or, with --score, a case diverges that is not listed.

            Example: limbo-harness --score < limbo.json
            """
    )

    /// The path of the list in Debian's package publicsuffix.
    static let debianPublicSuffixes = "/usr/share/publicsuffix/public_suffix_list.dat"

    @Option(help: "The list from https://publicsuffix.org; by default Debian's, if it is installed.")
    var publicSuffixes: String?

    @Flag(help: "Compare with the expected results and print a table instead of the results.")
    var score = false

    @Flag(help: "Read one case a line, and answer each with a line of its result, until the input ends.")
    var lines = false

    func run() throws {
        guard !lines else { return try answerLines() }
        let suite = try LimboSuite(json: Self.standardInput())
        let outcomes = Self.outcomes(of: suite, publicSuffixes: try suffixes())
        guard score else {
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
            return print(String(decoding: try encoder.encode(LimboResult(outcomes)), as: UTF8.self))
        }
        let score = LimboScore(outcomes)
        score.lines.forEach { print($0) }
        guard score.isAsListed else { throw ExitCode.failure }
    }

    /// Answers each case before reading the next one, for programs that generate cases from the answers.
    ///
    /// As in a session, a leaf's key must be usable in a handshake.
    private func answerLines() throws {
        let (suffixes, encoder) = (try suffixes(), JSONEncoder())
        encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
        while let line = readLine() {
            let one = try LimboSuite.testcase(json: Data(line.utf8))
            let result = LimboResult.Testcase(one, one.evaluate(publicSuffixes: suffixes, keyUse: .handshake))
            print(String(decoding: try encoder.encode(result), as: UTF8.self))
            // Output to a pipe is buffered.
            fflush(nil)
        }
    }

    /// Returns the outcome of every case, none of which is skipped.
    static func outcomes(
        of suite: LimboSuite, publicSuffixes: PublicSuffixList?
    ) -> [(case: LimboCase, outcome: LimboOutcome)] {
        suite.testcases.map { ($0, $0.evaluate(publicSuffixes: publicSuffixes)) }
    }

    /// - Returns: The list; `nil` if no option names one and Debian's is not installed.
    func suffixes() throws(HarnessError) -> PublicSuffixList? {
        let path = publicSuffixes ?? Self.debianPublicSuffixes
        guard let data = FileManager.default.contents(atPath: path) else {
            guard publicSuffixes == nil else { throw .unreadablePublicSuffixes(path: path) }
            return nil
        }
        return PublicSuffixList(Array(data), sections: .all)
    }

    /// Reads standard input line by line, because a socket cannot be opened by its path.
    private static func standardInput() -> Data {
        var data = Data()
        while let line = readLine(strippingNewline: false) { data.append(contentsOf: line.utf8) }
        return data
    }
}

/// The cases of x509-limbo, or of a suite in its format.
struct LimboSuite: Decodable {
    private static let version = 1

    let version: Int
    let testcases: [LimboCase]

    /// Reads a suite.
    ///
    /// - Throws: ``HarnessError`` if the bytes are not a suite of the supported version.
    init(json: Data) throws(HarnessError) {
        self = try Self.decoded(json)
        guard version == Self.version else { throw .unknownVersion(version) }
    }

    /// Reads a single case.
    ///
    /// - Throws: ``HarnessError`` if the bytes are not a case.
    static func testcase(json: Data) throws(HarnessError) -> LimboCase {
        try decoded(json)
    }

    private static func decoded<Value: Decodable>(_ json: Data) throws(HarnessError) -> Value {
        let decoder = JSONDecoder()
        decoder.keyDecodingStrategy = .convertFromSnakeCase
        decoder.dateDecodingStrategy = .custom(Self.date)
        do {
            return try decoder.decode(Value.self, from: json)
        } catch {
            throw .unreadableSuite("\(error)")
        }
    }

    private static func date(from decoder: any Decoder) throws -> Date {
        let container = try decoder.singleValueContainer()
        let text = try container.decode(String.self)
        guard let time = InternetTime(text) else {
            throw DecodingError.dataCorruptedError(
                in: container, debugDescription: "\(text) is not a time of RFC 3339.")
        }
        return time.date
    }
}

/// The reason for which no cases were evaluated.
enum HarnessError: Error, Hashable, CustomStringConvertible {
    /// Invalid input, with the decoder's message.
    case unreadableSuite(String)
    case unknownVersion(Int)
    case unreadablePublicSuffixes(path: String)

    var description: String {
        switch self {
        case .unreadableSuite(let reason): "standard input is not a suite in x509-limbo's format: \(reason)"
        case .unknownVersion(let version): "the suite is of version \(version) of the format; only version 1 is known"
        case .unreadablePublicSuffixes(let path): "cannot read the public suffix list \(path)"
        }
    }
}
