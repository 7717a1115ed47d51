// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

@testable import LimboHarness

extension LimboSuite {
    /// Reads the suite from the path in `LIMBO` or from next to the checkout, or returns `nil` if the file is missing.
    static func fromFile() throws -> LimboSuite? {
        try named("LIMBO", "x509-limbo/limbo.json")
    }

    /// Reads NIST's suite from the path in `PKITS` or from next to the checkout, or returns `nil` if it is missing.
    static func pkits() throws -> LimboSuite? { try named("PKITS", "pkits/pkits.json") }

    private static func named(_ variable: String, _ place: String) throws -> LimboSuite? {
        let path = ProcessInfo.processInfo.environment[variable] ?? "../shared/testdata/\(place)"
        guard let data = FileManager.default.contents(atPath: path) else {
            print("\(place) skipped: no \(path); set \(variable) to its path")
            return nil
        }
        return try LimboSuite(json: data)
    }
}
