// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import PrivateFiles
import Testing

@Suite("Private files") struct PrivateFileTests {
    private typealias File = PrivateFile<TestFailure>

    @Test("A file that others can read is replaced, and not overwritten") func replacing() throws {
        try withFolder { folder in
            let path = folder + "/key"
            try #require(FileManager.default.createFile(atPath: path, contents: Data("old".utf8)))
            // A process that opened the previous file still reads its content.
            let reader = try #require(FileHandle(forReadingAtPath: path))
            try File.replace(path, with: Array("secret".utf8))
            #expect(try reader.readToEnd() == Data("old".utf8))
            #expect(FileManager.default.contents(atPath: path) == Data("secret".utf8))
            let rights = try FileManager.default.attributesOfItem(atPath: path)[.posixPermissions] as? Int
            #expect(rights == 0o600)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test("A link is replaced, not followed") func link() throws {
        try withFolder { folder in
            try FileManager.default.createSymbolicLink(atPath: folder + "/key", withDestinationPath: "victim")
            try File.replace(folder + "/key", with: Array("secret".utf8))
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["key"])
        }
    }

    @Test("A new file is created with its folder and permissions, and never replaces another file") func creating()
        throws
    {
        try withFolder { folder in
            let path = folder + "/below/this/key"
            #expect(try File.create(path, [1, 2, 3]))
            #expect(try !File.create(path, [4]))
            #expect(try File.read(path, limit: 2) == [1, 2])
            #expect(try File.read(path, limit: 9) == [1, 2, 3])
            #expect(try File.read(folder + "/below/this/other", limit: 9) == nil)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder + "/below/this") == ["key"])
            for (name, rights) in [("", 0o700), ("/this", 0o700), ("/this/key", 0o600)] {
                let attributes = try FileManager.default.attributesOfItem(atPath: folder + "/below" + name)
                #expect(attributes[.posixPermissions] as? Int == rights)
            }
        }
    }

    @Test("A temporary file is published only under an unused name") func publishing() throws {
        try withFolder { folder in
            let (path, draft) = (folder + "/key", File.draft(of: folder + "/key"))
            try #require(FileManager.default.createFile(atPath: draft, contents: Data("one".utf8)))
            #expect(try File.publish(draft, as: path))
            let second = File.draft(of: path)
            try #require(FileManager.default.createFile(atPath: second, contents: Data("two".utf8)))
            #expect(try !File.publish(second, as: path))
            #expect(FileManager.default.contents(atPath: path) == Data("one".utf8))
        }
    }

    @Test("A file that others can read, or a folder that they can enter, is refused") func rights() throws {
        try withFolder { folder in
            let path = folder + "/key"
            #expect(try !File.check(path))
            try File.create(path, [1])
            #expect(try File.check(path))
            try FileManager.default.setAttributes([.posixPermissions: 0o640], ofItemAtPath: path)
            #expect(throws: TestFailure.exposed(path)) { try File.check(path) }
            #expect(throws: TestFailure.exposed(path)) { try File.read(path, limit: 1) }
            try FileManager.default.setAttributes([.posixPermissions: 0o755], ofItemAtPath: folder)
            #expect(throws: TestFailure.exposed(folder)) { try File.check(path) }
            #expect(throws: TestFailure.exposed(folder)) { try File.check(folder: folder) }
        }
    }

    @Test("A link may lead to the folder, but not to the file") func links() throws {
        try withFolder { folder in
            try File.create(folder + "/real/key", [1])
            try FileManager.default.createSymbolicLink(atPath: folder + "/link", withDestinationPath: "real")
            #expect(try File.check(folder + "/link/key"))
            #expect(throws: TestFailure.exposed(folder + "/link")) { try File.check(folder: folder + "/link") }
            try FileManager.default.createSymbolicLink(atPath: folder + "/real/other", withDestinationPath: "key")
            #expect(throws: TestFailure.exposed(folder + "/real/other")) { try File.check(folder + "/real/other") }
        }
    }

    @Test(
        "The folder of a path is the part before its last slash",
        arguments: [("/a/b", "/a"), ("/a", "/"), ("a", "."), ("a/b", "a"), ("./a", ".")])
    func folders(path: String, folder: String) { #expect(File.folder(of: path) == folder) }

    @Test("A lock can be acquired again only after it was released") func locks() throws {
        try withFolder { folder in
            let path = folder + "/lock"
            #expect(throws: TestFailure.refused(path, code: ENOENT)) { try File.lock(path) }
            var lock: FileLock? = try File.newLock(path)
            #expect(try FileManager.default.contentsOfDirectory(atPath: folder) == ["lock"])
            #expect(try File.lock(path) == nil)
            withExtendedLifetime(lock) {}
            lock = nil
            #expect(try File.lock(path) != nil)
            var beside = try File.lock(beside: folder + "/socket")
            #expect(beside != nil)
            #expect(try File.lock(beside: folder + "/socket") == nil)
            beside = nil
            #expect(try File.lock(beside: folder + "/socket") != nil)
        }
    }

    @Test("Closures for one path never run at the same time") func exclusion() async throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        defer { try? FileManager.default.removeItem(atPath: folder) }
        let path = folder + "/count"
        try await withThrowingTaskGroup(of: Void.self) { group in
            for _ in 0..<4 {
                group.addTask {
                    for _ in 0..<10 {
                        try File.locked(path) { () throws(TestFailure) in
                            let count = try File.read(path, limit: 1)?.first ?? 0
                            try File.replace(path, with: [count + 1])
                        }
                    }
                }
            }
            try await group.waitForAll()
        }
        #expect(try File.read(path, limit: 1) == [40])
    }

    @Test(
        "A file URL of this machine has a path",
        arguments: [
            ("file:///a/b", "/a/b"), ("file://localhost/a%20b", "/a b"), ("file:///a/", "/a"), ("file:///", "/"),
        ])
    func path(url: String, path: String) throws {
        #expect(try File.path(of: try #require(URL(string: url))) == path)
    }

    @Test(
        "Any other URL is refused, and the error omits user, password and query",
        arguments: [
            ("https://mary:secret@a.example/f?key=secret", "https://a.example/f"),
            ("file://a.example/f", "file://a.example/f"),
            ("f", "f"),
        ])
    func foreign(url: String, text: String) throws {
        let url = try #require(URL(string: url))
        #expect(throws: TestFailure.refused(text, code: EINVAL)) { try File.path(of: url) }
    }

    @Test("The error for a file that cannot be written names the file, not its draft") func unwritable() throws {
        try withFolder { folder in
            let path = folder + "/none/file"
            #expect(throws: TestFailure.refused(path, code: ENOENT)) { try File.replace(path, with: []) }
        }
    }

    private func withFolder(_ body: (String) throws -> Void) throws {
        let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString).path
        try FileManager.default.createDirectory(
            atPath: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o700])
        defer { try? FileManager.default.removeItem(atPath: folder) }
        try body(folder)
    }
}

private enum TestFailure: PrivateFileFailure, Hashable {
    case exposedPath(String)
    case refusedPath(String, code: Int32)

    static func exposed(_ path: String) -> Self { .exposedPath(path) }
    static func refused(_ path: String, code: Int32) -> Self { .refusedPath(path, code: code) }
}
