// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation
import FuzzDriver
import Secrets

/// Fuzzes SCRAM; the four lines of the input are the server's two messages, the user name and the password.
///
/// A `*` in the first line stands for the client's nonce.
@main
enum SCRAMFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in seeds.map { Array($0.utf8) } }) { bytes, count in
            SCRAMFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static let seeds = [
        "r=*%hvYDpWUa2RaTCAfuxFIlj)hNlF$k0,s=W22ZaJ0SNY7soEsUEjb6gQ==,i=4096\n"
            + "v=6rriTRBi23WpRR/wtup+mMhUZUn/dB5nLTJRsjl95G4=\nuser\npencil",
        "r=*a,s=AA==,i=4096,x=y\ne=invalid-proof\na=b,c\n",
        "m=x,r=*a,s=AA==,i=4096\nv=\n\u{fc}\nI\u{ad}X\u{2168}\u{aa}",
        "r=*,s=,i=0\n\nu\u{308}\u{ac00}\u{11a8}\n\u{627}\u{628}\u{fdfa}\u{fb01}",
        "e=other-error\nv=AA==,x=y\n\u{1f511}\n\u{3000}\u{200b}\u{1d400}\u{2fa1d}",
    ]

    private static let request = RequestFacts(method: "GET", target: "/")

    private static func test(_ input: [UInt8]) {
        let lines = input.split(separator: UInt8(ascii: "\n"), maxSplits: 3, omittingEmptySubsequences: false)
        guard lines.count == 4, let opening = challenge("SCRAM-SHA-256 realm=\"a\\\"b\""),
            var scram = HTTPSCRAMAuthenticator(opening)
        else { return }
        let credential = Credential.password(
            user: String(decoding: lines[2], as: UTF8.self), password: Secret(utf8: Array(lines[3])))
        guard let first = (try? scram.authorization(with: credential, for: request)).map(message(of:)) else { return }
        let nonce = first.drop { $0 != "," }.dropFirst(2).drop { $0 != "," }.dropFirst(3)
        let server = String(decoding: lines[0], as: UTF8.self).replacing("*", with: nonce, maxReplacements: 1)
        guard isBounded(server), let step = challenge("SCRAM-SHA-256 sid=x, data=\(encoded(server))"),
            (try? scram.advance(with: step, credential: credential)) == true,
            let final = (try? scram.authorization(with: credential, for: request)).map(message(of:))
        else { return }
        precondition(final.hasPrefix("c=biws,r=\(nonce)"), "another nonce")
        check(scram, credential, last: String(decoding: lines[1], as: UTF8.self))
    }

    /// Checks that a server that does not know the password is never accepted.
    private static func check(_ scram: HTTPSCRAMAuthenticator, _ credential: Credential, last: String) {
        for information in [nil, try? HTTPAuthenticationInfo(["sid=x, data=\(encoded(last))"])] {
            var copy = scram
            let isAccepted = try? copy.receive(AcceptedResponse(information: information ?? nil), with: credential)
            precondition(isAccepted == nil, "an invalid proof is accepted")
        }
    }

    /// Returns the message of an answer, which must parse as one challenge.
    private static func message(of answer: String) -> String {
        guard let read = challenge(answer), let data = read["data"].flatMap({ Data(base64Encoded: $0) }),
            let text = String(validating: data, as: UTF8.self)
        else { fatalError("the answer does not parse as one challenge") }
        precondition(read["sid"] != nil || read.realm == "a\"b", "another realm")
        precondition(text.utf8.allSatisfy { $0 >= 0x20 && $0 != 0x7F }, "a control character is sent")
        return text
    }

    private static func challenge(_ field: String) -> HTTPChallenge? {
        let challenges = try? HTTPChallenge.parse([field])
        return challenges?.count == 1 ? challenges?.first : nil
    }

    private static func encoded(_ text: String) -> String { Data(text.utf8).base64EncodedString() }

    /// Returns whether the iteration count is small, because some
    /// seconds of work are allowed but too slow for the fuzzer.
    private static func isBounded(_ message: String) -> Bool {
        let count = message.split(separator: ",").first { $0.hasPrefix("i=") }
        return count.flatMap { Int($0.dropFirst(2)) }.map { $0 < 10_000 } ?? true
    }
}
