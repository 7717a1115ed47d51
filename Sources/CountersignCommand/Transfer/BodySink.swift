// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Where the bytes of a body go.
enum BodySink {
    case file(OutputFile, String)
    case standardOutput(Console)
    case nowhere

    /// The file's path.
    var path: String? {
        if case .file(_, let path) = self { path } else { nil }
    }

    func write(_ bytes: [UInt8]) throws {
        switch self {
        case .file(let file, _):
            try file.write(bytes)
        case .standardOutput(let console):
            guard !console.outputIsTerminal || bytes.allSatisfy(\.isText) else { throw Self.noText }
            try console.write(bytes)
        case .nowhere:
            break
        }
    }

    /// Gives a file its name, once it is complete.
    func commit() throws {
        if case .file(let file, _) = self { try file.commit() }
    }

    private static let noText = CommandFailure(
        failure: Failure(
            .failed, "no-text", "The body is no text, and could change how the terminal behaves.",
            "Put it into a file with -o FILE, or pipe it on."))
}

extension UInt8 {
    /// Whether a terminal only shows it: a control character could be the start of a command to it.
    fileprivate var isText: Bool { self >= 0x20 && self != 0x7F || [0x09, 0x0A, 0x0C, 0x0D].contains(self) }
}
