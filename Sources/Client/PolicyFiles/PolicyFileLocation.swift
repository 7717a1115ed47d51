// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A location in a policy file.
public struct PolicyFileLocation: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as passed to ``PolicyFile/init(_:name:at:logLists:anchors:)``.
    public let file: String
    /// The line number, starting at 1.
    public let line: Int
    /// The column number in Unicode scalars, starting at 1.
    public let column: Int
    /// The path of keys from the top of the file to this location; empty for the top.
    public let key: PolicyFileKey

    /// The file, line and column, such as `policy.yaml:3:7`.
    public var description: String { "\(file):\(line):\(column)" }
}

/// The path from the top of a policy file to a value, such as `domains."intranet.example".pins.any[0]`.
public struct PolicyFileKey: Hashable, Sendable, CustomStringConvertible {
    /// One step of a path to a value.
    public enum Step: Hashable, Sendable {
        /// The value of a key.
        case key(String)
        /// An element of a list, counted from 0.
        case element(Int)
    }

    /// The steps, from the top of the file.
    public let steps: [Step]

    func appending(_ step: Step) -> PolicyFileKey { PolicyFileKey(steps: steps + [step]) }

    /// The steps separated by dots; keys with characters other than
    /// ASCII letters, digits and hyphens are in quotation marks.
    public var description: String {
        var text = ""
        for step in steps {
            switch step {
            case .key(let name): text += (text.isEmpty ? "" : ".") + Self.quoting(name)
            case .element(let index): text += "[\(index)]"
            }
        }
        return text
    }

    private static func quoting(_ name: String) -> String {
        let isPlain = !name.isEmpty && name.allSatisfy { $0.isASCII && ($0.isLetter || $0.isNumber || $0 == "-") }
        return isPlain ? name : "\"\(name)\""
    }
}

/// A location in a file, without the path of keys to it.
struct DocumentLocation {
    let file: String
    /// The line number, starting at 1.
    let line: Int
    /// The column number in Unicode scalars, starting at 1.
    let column: Int

    init(file: String, line: Int = 1, column: Int = 1) {
        (self.file, self.line, self.column) = (file, line, column)
    }

    /// Makes the location after the given UTF-8 bytes.
    init(file: String, after bytes: some Collection<UInt8>) {
        var (line, column, rest) = (1, 1, bytes[...])
        while let first = rest.first {
            let length = rest.lineBreakLength
            rest = rest.dropFirst(max(length, 1))
            if length > 0 {
                (line, column) = (line + 1, 1)
            } else if first & 0xC0 != 0x80 {
                // Continuation bytes of a character do not count.
                column += 1
            }
        }
        self.init(file: file, line: line, column: column)
    }

    func error(_ reason: PolicyFileError.Reason) -> PolicyFileError {
        let place = PolicyFileLocation(file: file, line: line, column: column, key: PolicyFileKey(steps: []))
        return PolicyFileError(place: place, reason: reason)
    }
}

extension Collection<UInt8> {
    /// The length of the line break at the start, in bytes; 0 if there is none.
    ///
    /// libyaml uses the line breaks of YAML 1.1 section 5.4, three more than in YAML 1.2.
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
