// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// A place in a policy file.
public struct PolicyFilePlace: Hashable, Sendable, CustomStringConvertible {
    /// The name of the file, as ``PolicyFile/init(_:name:at:logLists:anchors:)`` got it.
    public let file: String
    /// The line, from 1.
    public let line: Int
    /// The column, from 1, in Unicode scalars.
    public let column: Int
    /// The keys that lead to the place from the top of the file; empty for the top.
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

    /// The steps with dots between them; keys with characters other than ASCII letters, digits and hyphens are in quotation marks.
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
