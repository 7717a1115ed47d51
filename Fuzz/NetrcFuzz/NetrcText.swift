// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Secrets

/// Writes entries as a file with every token in quotes.
enum NetrcText {
    /// Returns a file with the entries, with the given password instead of their passwords if there is one.
    static func file(_ entries: [NetrcFile.Entry], password: Secret? = nil) -> [UInt8] {
        entries.flatMap { entry in
            var bytes = entry.machine.map { Array("machine ".utf8) + quoted(Array($0.utf8)) } ?? Array("default".utf8)
            if let login = entry.login { bytes += Array("\n\tlogin ".utf8) + quoted(Array(login.utf8)) }
            if let own = entry.password {
                bytes += Array(" password ".utf8) + quoted((password ?? own).withUnsafeBytes { Array($0) })
            }
            return bytes + [UInt8(ascii: "\n")]
        }
    }

    private static func quoted(_ word: [UInt8]) -> [UInt8] {
        let quote = UInt8(ascii: "\"")
        return [quote] + word.flatMap { escaped($0) } + [quote]
    }

    private static func escaped(_ byte: UInt8) -> [UInt8] {
        switch byte {
        case UInt8(ascii: "\n"): Array(#"\n"#.utf8)
        case UInt8(ascii: "\""), UInt8(ascii: "\\"): [UInt8(ascii: "\\"), byte]
        default: [byte]
        }
    }
}
