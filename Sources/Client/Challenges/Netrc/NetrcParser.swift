// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Secrets

/// Makes entries of words.
struct NetrcParser {
    private var words: NetrcWords
    private var entries: [NetrcFile.Entry] = []
    private var seen: Set<NetrcFile.Keyword> = []

    init(_ bytes: [UInt8]) {
        words = NetrcWords(bytes)
    }

    mutating func parse() throws(NetrcError) -> [NetrcFile.Entry] {
        while let word = try words.next() {
            guard let keyword = word.keyword else { throw .unexpectedWord(line: word.line) }
            try read(keyword, line: word.line)
        }
        return entries
    }

    private mutating func read(_ keyword: NetrcFile.Keyword, line: Int) throws(NetrcError) {
        switch keyword {
        case .machine: begin(NetrcFile.Entry(machine: try text(of: keyword, line: line)))
        case .default: begin(NetrcFile.Entry(machine: nil))
        case .macdef:
            _ = try value(of: keyword, line: line)
            words.skipMacro()
        case .login, .password, .account:
            guard let last = entries.indices.last else { throw .outsideEntry(keyword, line: line) }
            guard seen.insert(keyword).inserted else { throw .repeated(keyword, line: line) }
            switch keyword {
            case .login: entries[last].login = try text(of: keyword, line: line)
            case .password: entries[last].password = Secret(utf8: try value(of: keyword, line: line).bytes)
            default: _ = try value(of: keyword, line: line)
            }
        }
    }

    private mutating func begin(_ entry: NetrcFile.Entry) {
        entries.append(entry)
        seen = []
    }

    private mutating func value(of keyword: NetrcFile.Keyword, line: Int) throws(NetrcError) -> NetrcWords.Word {
        guard let word = try words.next() else { throw .missingValue(keyword, line: line) }
        return word
    }

    private mutating func text(of keyword: NetrcFile.Keyword, line: Int) throws(NetrcError) -> String {
        let word = try value(of: keyword, line: line)
        guard let text = String(validating: word.bytes, as: UTF8.self) else { throw .notUTF8(line: word.line) }
        return text
    }
}
