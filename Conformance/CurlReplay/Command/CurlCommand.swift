// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A call of curl: its operations in order.
struct CurlCommand: Sendable {
    private(set) var operations: [CurlOperation] = []
    /// Instead of the test's own, where the command says so.
    private(set) var standardInputPath: String?

    /// - Parameters:
    ///   - line: Without the name of the program.
    ///   - read: Gives the content of a file that an option names.
    init(_ line: String, read: @escaping (String) -> [UInt8]?) {
        var words = ShellWords(line).words[...]
        var parser = OptionParser(read: read)
        while let word = words.popFirst() {
            switch word {
            case "--next", "-:":
                operations.append(parser.finish())
            case "--config", "-K":
                let file = words.popFirst().flatMap(read) ?? []
                words = (ConfigWords(String(decoding: file, as: UTF8.self)).words + words)[...]
            case "<":
                standardInputPath = words.popFirst()
            case _ where word.hasPrefix("--"):
                parser.parse(long: word.dropFirst(2), &words)
            case _ where word.hasPrefix("-") && word.count > 1:
                parser.parse(short: word.dropFirst(), &words)
            default:
                parser.take(url: word)
            }
        }
        operations.append(parser.finish())
    }
}
