// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import EssentialFoundation
import Testing
import X509

/// The properties of the servers that `make interop` has started, from its value file.
struct InteropValues {
    struct MissingValue: Error {
        let key: String
    }

    /// The path of the value file, or `nil` if no server was started.
    static let file = ProcessInfo.processInfo.environment["COUNTERSIGN_INTEROP"]

    private let values: [String: String]

    init() throws {
        guard let file = Self.file else { throw MissingValue(key: "COUNTERSIGN_INTEROP") }
        let pairs = try Self.text(of: file).split(separator: "\n").compactMap { line -> (String, String)? in
            let parts = line.split(separator: "=", maxSplits: 1)
            guard let key = parts.first, let value = parts.dropFirst().first else { return nil }
            return (String(key), String(value))
        }
        values = Dictionary(pairs) { $1 }
    }

    subscript(key: String) -> String {
        get throws {
            guard let value = values[key] else { throw MissingValue(key: key) }
            return value
        }
    }

    func bytes(of key: String) throws -> [UInt8] {
        Array(try Data(contentsOf: URL(filePath: try self[key])))
    }

    static func text(of path: String) throws -> String {
        String(decoding: try Data(contentsOf: URL(filePath: path)), as: UTF8.self)
    }
}

extension Trait where Self == ConditionTrait {
    /// Skips a test if `make interop` has not started the servers.
    static var interop: Self {
        .enabled("no server was started: run make interop") { InteropValues.file != nil }
    }
}
