// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// The names of hosts in test files, which may end in the number of the test.
enum HostLabels {
    private static let number = Array(".%TESTNUMBER".utf8)
    private static let letters = Array(".test".utf8)

    /// Puts a label of letters after those that are the number alone.
    static func appendLetters(to file: [UInt8]) -> [UInt8] {
        var (changed, rest) = ([UInt8](), file[...])
        while let start = rest.firstIndex(of: ".%TESTNUMBER") {
            changed += rest[..<start] + number
            rest = rest[(start + number.count)...]
            guard let next = rest.first, !(UInt8(ascii: "0")...UInt8(ascii: "9")).contains(next) else { continue }
            changed += letters
        }
        return changed + rest
    }
}
