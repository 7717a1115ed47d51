// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation

@testable import LimboHarness

extension LimboSuite {
    /// Reads the suite from `LIMBO`, else from beside the checkout; `nil` where it is not there.
    static func fromFile() throws -> LimboSuite? {
        let path = ProcessInfo.processInfo.environment["LIMBO"] ?? "../shared/testdata/x509-limbo/limbo.json"
        guard let data = FileManager.default.contents(atPath: path) else {
            print("x509-limbo skipped: no \(path); set LIMBO to the path of limbo.json")
            return nil
        }
        return try LimboSuite(json: data)
    }
}
