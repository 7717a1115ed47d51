// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import PrivateFiles
import Testing

@testable import ChallengeLab

@Suite("The files of a lab") struct LabFileTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("A folder with the file's name is an error, and no temporary file remains") func folder() throws {
        try Self.withFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/key/inside", withIntermediateDirectories: true)
            #expect(throws: LabError.cannotWrite(folder + "/key", code: EISDIR)) {
                try PrivateFile<LabError>.replace(folder + "/key", with: [1])
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }
}
