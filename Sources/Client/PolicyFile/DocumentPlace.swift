// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place in a file that no value stands for.
struct DocumentPlace {
    let file: String
    /// From 1.
    let line: Int
    /// From 1, in Unicode scalars.
    let column: Int

    init(file: String, line: Int = 1, column: Int = 1) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// The place behind these bytes of UTF-8.
    init(file: String, after bytes: some Collection<UInt8>) {
        var (line, column, rest) = (1, 1, bytes[...])
        while let first = rest.first {
            let length = rest.lineBreakLength
            rest = rest.dropFirst(max(length, 1))
            if length > 0 {
                (line, column) = (line + 1, 1)
            } else if first & 0xC0 != 0x80 {
                // Not a byte that continues a character.
                column += 1
            }
        }
        self.init(file: file, line: line, column: column)
    }

    func error(_ reason: PolicyFileError.Reason) -> PolicyFileError {
        let place = PolicyFilePlace(file: file, line: line, column: column, key: PolicyFileKey(steps: []))
        return PolicyFileError(place: place, reason: reason)
    }
}

extension Collection<UInt8> {
    /// The length of the line break at the start, in bytes; 0 where there is none.
    ///
    /// libyaml's line breaks are those of YAML 1.1 section 5.4: three more than YAML 1.2 has.
    fileprivate var lineBreakLength: Int {
        switch first {
        case 0x0A: 1
        case 0x0D: dropFirst().first == 0x0A ? 2 : 1
        case 0xC2: dropFirst().first == 0x85 ? 2 : 0
        case 0xE2: dropFirst().starts(with: [0x80, 0xA8]) || dropFirst().starts(with: [0x80, 0xA9]) ? 3 : 0
        default: 0
        }
    }
}
