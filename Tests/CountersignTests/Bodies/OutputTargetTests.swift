// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

@testable import Countersign

#if canImport(Darwin)
    import Darwin
#else
    import Glibc
#endif

@Suite("A file takes its place without following strangers") struct OutputTargetTests {
    @Test("A chain of own links is followed to the file") func links() async throws {
        try await withFolder { folder async throws in
            try write([1], to: "\(folder)/real")
            try #require(symlink("real", "\(folder)/one") == 0)
            try #require(symlink("\(folder)/one", "\(folder)/two") == 0)
            let target = OutputTarget("\(folder)/two")
            #expect(target.path == OutputTarget("\(folder)/real").path)
            #expect(target.state?.isRegular == true)
        }
    }

    @Test("A link in a circle, or one that leads nowhere, is replaced") func uselessLinks() async throws {
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
        "Rights are those of the file that is replaced, without set-user-ID",
        arguments: [(old: 0o600, kept: 0o600), (old: 0o664, kept: 0o664), (old: 0o4755, kept: 0o755)])
    func rights(old: mode_t, kept: UInt32) async throws {
        try await withFolder { folder async throws in
            try write([], to: "\(folder)/old")
            try #require(chmod("\(folder)/old", old) == 0)
            let new = open("\(folder)/new", O_WRONLY | O_CREAT, 0o600)
            defer { close(new) }
            #expect(OutputTarget("\(folder)/old").keepRights(on: new, newRights: 0o644))
            #expect(FileState(descriptor: new)?.permissions == kept)
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

        @Test("The superuser keeps the owner", .enabled(if: geteuid() == 0)) func owner() async throws {
            try await withFolder { folder async throws in
                try write([], to: "\(folder)/old")
                try #require(chown("\(folder)/old", 1, 2) == 0)
                let new = open("\(folder)/new", O_WRONLY | O_CREAT, 0o600)
                defer { close(new) }
                #expect(OutputTarget("\(folder)/old").keepRights(on: new, newRights: 0o644))
                #expect(FileState(descriptor: new)?.owner == 1)
                #expect(FileState(descriptor: new)?.group == 2)
            }
        }
    #endif
}
