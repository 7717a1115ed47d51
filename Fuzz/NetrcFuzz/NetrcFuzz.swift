// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import FuzzDriver
import Secrets

/// Fuzzes netrc files; the first line has a host and optionally a login, and the other lines are a `.netrc` file.
@main
enum NetrcFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in NetrcSeeds.all.map { Array($0.utf8) } }) { bytes, count in
            NetrcFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        let parts = input.split(separator: UInt8(ascii: "\n"), maxSplits: 1, omittingEmptySubsequences: false)
        guard parts.count == 2 else { return }
        let words = String(decoding: parts[0], as: UTF8.self).split(separator: " ", maxSplits: 1).map(String.init)
        let (host, login) = (words.first ?? "", words.count > 1 ? words[1] : nil)
        if let file = read(Array(parts[1])) {
            checkText(of: file)
            for host in [host] + file.entries.prefix(2).compactMap(\.machine) {
                checkAnswers(of: file, host: host, login: nil)
                checkAnswers(of: file, host: host, login: login)
            }
        }
        // libFuzzer's time limit detects worse than linear growth; one input in sixteen is enough.
        guard !parts[1].isEmpty, input.reduce(0, &+) & 15 == 0 else { return }
        let count = NetrcFile.sizeLimit / parts[1].count
        if let large = read(Array(repeatElement(parts[1], count: count).joined())) {
            checkAnswers(of: large, host: host, login: login)
        }
    }

    /// Reads a file, and checks that an error names a line of the file but contains none of its words.
    private static func read(_ bytes: [UInt8]) -> NetrcFile? {
        do throws(NetrcError) {
            return try NetrcFile(bytes)
        } catch {
            let lines = 1 + bytes.count { $0 == UInt8(ascii: "\n") }
            for text in ["\(error)", String(reflecting: error)] {
                for part in text.split(whereSeparator: { !$0.isLetter && !$0.isNumber }) {
                    let isLine = Int(part).map { (1...lines).contains($0) } ?? false
                    precondition(isLine || NetrcSeeds.words.contains(String(part)), "\(part) of a file is in its error")
                }
            }
            return nil
        }
    }

    /// Checks that quoted entries are equal when read again, and that the description does not depend on passwords.
    private static func checkText(of file: NetrcFile) {
        guard let copy = read(NetrcText.file(file.entries)) else {
            fatalError("a value that was read cannot be written")
        }
        precondition(copy.entries == file.entries, "the entries differ when read again")
        let other = Secret("another")
        guard file.entries.count < 8, let changed = read(NetrcText.file(file.entries, password: other)) else { return }
        precondition(
            changed.entries.allSatisfy { $0.password == nil || $0.password == other }, "a password is retained")
        precondition(
            "\(file)" == "\(changed)" && String(reflecting: file) == String(reflecting: changed),
            "a password is printed")
        var dumps = ["", ""]
        dump(file, to: &dumps[0])
        dump(changed, to: &dumps[1])
        precondition(dumps[0] == dumps[1], "a password is dumped")
    }

    private static func checkAnswers(of file: NetrcFile, host: String, login: String?) {
        guard let host = try? HostName(host) else { return }
        for usesDefault in [false, true] {
            let given = file.credential(for: host, login: login, usesDefault: usesDefault)
            let entry = NetrcModel.entry(of: file, for: host, login: login, usesDefault: usesDefault)
            precondition(given == entry.flatMap(NetrcModel.credential), "another password, or none")
        }
    }
}
