// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport

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
            try console.write(bytes)
        case .nowhere:
            break
        }
    }
}
