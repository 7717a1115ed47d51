// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing
@testable import Countersign
import POSIX

@Suite("An output file does not follow links of other users") struct OutputTargetTests {
    @Test("A chain of the user's own links is followed to the file") func links() async throws {
        try await withFolder { folder async throws in
            try write([1], to: "\(folder)/real")
            try #require(symlink("real", "\(folder)/one") == 0)
            try #require(symlink("\(folder)/one", "\(folder)/two") == 0)
            let target = OutputTarget("\(folder)/two")
            #expect(target.path == OutputTarget("\(folder)/real").path)
            #expect(target.state?.isRegular == true)
        }
    }

    @Test("A circular or broken link is replaced") func uselessLinks() async throws {
        try await withFolder { folder async throws in
            try #require(symlink("circle", "\(folder)/circle") == 0)
            try #require(symlink("nothing", "\(folder)/nowhere") == 0)
            for name in ["circle", "nowhere"] {
                let target = OutputTarget("\(folder)/\(name)")
                #expect(target.path == "\(folder)/\(name)")
                #expect(target.state == nil)
            }
        }
    }

    @Test(
        "The replaced file's permissions are preserved, except set-user-ID",
        arguments: [(old: 0o600, preserved: 0o600), (old: 0o664, preserved: 0o664), (old: 0o4755, preserved: 0o755)])
    func rights(old: mode_t, preserved: UInt32) async throws {
        try await withFolder { folder async throws in
            try write([], to: "\(folder)/old")
            try #require(chmod("\(folder)/old", old) == 0)
            let new = open("\(folder)/new", O_WRONLY | O_CREAT, 0o600)
            defer { close(new) }
            #expect(OutputTarget("\(folder)/old").applyPermissions(on: new, newPermissions: 0o644))
            #expect(FileState(descriptor: new)?.permissions == preserved)
        }
    }

    #if os(Linux)
        @Test("Another user's link is replaced, not followed", .enabled(if: geteuid() == 0)) func foreignLink()
            async throws
        {
            try await withFolder { folder async throws in
                try write([1], to: "\(folder)/victim")
                try #require(symlink("victim", "\(folder)/link") == 0)
                try #require(lchown("\(folder)/link", 1, 1) == 0)
                #expect(OutputTarget("\(folder)/link").state == nil)
            }
        }

        @Test("Another user's pipe in a folder like /tmp is refused", .enabled(if: geteuid() == 0))
        func foreignPipe() async throws {
            try await withFolder { folder async throws in
                try #require(mkfifo("\(folder)/pipe", 0o666) == 0)
                try #require(chown("\(folder)/pipe", 1, 1) == 0)
                #expect(OutputTarget("\(folder)/pipe").refusal == nil)
                try #require(chmod(folder, 0o1777) == 0)
                #expect(OutputTarget("\(folder)/pipe").refusal == EACCES)
            }
        }

        @Test(
            "Another user's file is refused in a folder to which other users can write", .enabled(if: geteuid() == 0),
            arguments: [
                (folder: 0o755, owner: 1, refusal: nil), (folder: 0o775, owner: 1, refusal: nil),
                (folder: 0o1777, owner: 1, refusal: EACCES), (folder: 0o777, owner: 1, refusal: EACCES),
                (folder: 0o1775, owner: 1, refusal: EACCES), (folder: 0o1777, owner: 0, refusal: nil),
            ] as [(mode_t, uid_t, Int32?)])
        func foreignFile(rights: mode_t, owner: uid_t, refusal: Int32?) async throws {
            try await withFolder { folder async throws in
                try write([], to: "\(folder)/file")
                try #require(chown("\(folder)/file", owner, owner) == 0)
                try #require(chmod(folder, rights) == 0)
                #expect(OutputTarget("\(folder)/file").refusal == refusal)
            }
        }

        @Test(
            "A link to another user's pipe is refused by the rules for the pipe's folder", .enabled(if: geteuid() == 0))
        func linkToForeignPipe() async throws {
            try await withFolder { folder async throws in
                try #require(mkdir("\(folder)/shared", 0o755) == 0)
                try #require(chmod("\(folder)/shared", 0o1777) == 0)
                try #require(mkfifo("\(folder)/shared/pipe", 0o666) == 0)
                try #require(chown("\(folder)/shared/pipe", 1, 1) == 0)
                try #require(symlink("shared/pipe", "\(folder)/link") == 0)
                #expect(OutputTarget("\(folder)/link").refusal == EACCES)
            }
        }

        @Test("A private file is not given to another owner", .enabled(if: geteuid() == 0))
        func privateFile() async throws {
            try await withFolder { folder async throws in
                try write([], to: "\(folder)/old")
                try #require(chown("\(folder)/old", 1, 2) == 0)
                let new = open("\(folder)/new", O_WRONLY | O_CREAT, 0o600)
                defer { close(new) }
                #expect(!OutputTarget("\(folder)/old").applyPermissions(on: new, newPermissions: 0o600, limit: 0o600))
                #expect(FileState(descriptor: new)?.owner == 0)
                #expect(FileState(descriptor: new)?.permissions == 0o600)
            }
        }

        @Test("The superuser preserves the owner", .enabled(if: geteuid() == 0)) func owner() async throws {
            try await withFolder { folder async throws in
                try write([], to: "\(folder)/old")
                try #require(chown("\(folder)/old", 1, 2) == 0)
                let new = open("\(folder)/new", O_WRONLY | O_CREAT, 0o600)
                defer { close(new) }
                #expect(OutputTarget("\(folder)/old").applyPermissions(on: new, newPermissions: 0o644))
                #expect(FileState(descriptor: new)?.owner == 1)
                #expect(FileState(descriptor: new)?.group == 2)
            }
        }
    #endif
}
