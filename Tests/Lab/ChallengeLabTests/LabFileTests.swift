// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

@testable import ChallengeLab

@Suite("The files of a lab") struct LabFileTests {
    private static func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }

    @Test("A file replaces one that others can read, and none of its bytes go there") func replacing() throws {
        try Self.withFolder { folder in
            let path = folder + "/key"
            try #require(FileManager.default.createFile(atPath: path, contents: Data("old".utf8)))
            // A process that opened the old file still reads the old file.
            let reader = try #require(FileHandle(forReadingAtPath: path))
            try LabFile.write(Array("secret".utf8), to: path, mode: 0o600)
            #expect(try reader.readToEnd() == Data("old".utf8))
            #expect(FileManager.default.contents(atPath: path) == Data("secret".utf8))
            let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(rights == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test("A link is replaced, not followed") func link() throws {
        try Self.withFolder { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/key", withDestinationPath: "victim")
            try LabFile.write(Array("secret".utf8), to: folder + "/key", mode: 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test("A folder with the name is an error, and no draft stays") func folder() throws {
        try Self.withFolder { folder in
            try FileManager.default.createDirectory(
                atPath: folder + "/key/inside", withIntermediateDirectories: true)
            #expect(throws: LabError.cannotWrite(folder + "/key", code: EISDIR)) {
                try LabFile.write([1], to: folder + "/key", mode: 0o600)
            }
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }
}
