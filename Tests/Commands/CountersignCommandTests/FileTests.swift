// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import ChallengeLab
import NIOCore
import Testing
@testable import CommandSupport
@testable import CountersignCommand
import POSIX

@Suite struct FileTests {
    #if os(Linux)
        @Test(
            "A write error on standard output fails the command",
            arguments: [
                ["get", "{url}"], ["get", "{url}", "--json"], ["head", "{url}"], ["trust", "list"],
                ["trust", "list", "--json"], ["lab", "--json"], ["tour"],
            ])
        func fullDisk(arguments: [String]) async throws {
            try await withPageServer { server, home in
                let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
                defer { close(full) }
                let console = Console(
                    write: { try FileDescriptorOutput(descriptor: full, path: "standard output").write($0[...]) },
                    writeError: { _ in }, prompter: nil, environment: ["COUNTERSIGN_HOME": home.path])
                let filled = arguments.map { $0.replacing("{url}", with: server.url) }
                let command = try #require(try CountersignCommand.parseAsRoot(filled) as? any ConsoleCommand)
                #expect(await command.report(on: console) == .failed)
            }
        }

        @Test("A file gets its final name only when it is complete") func commit() throws {
            let folder = try Folder()
            let file = try OutputFile(path: folder.file("file"))
            try file.write(Array("half".utf8))
            #expect(folder.names.isEmpty)
            try file.write(Array(" and half".utf8))
            try file.commit()
            #expect(folder.names == ["file"])
            #expect(folder.contents(of: "file") == Array("half and half".utf8))
        }
    #endif

    @Test("A lab that cannot write its files reports the file and the reason") func labDirectory() async throws {
        let folder = try Folder()
        _ = try folder.write("", to: "file")
        let run = try await CommandRun(["lab", "--directory", folder.file("file/lab")], home: folder)
        #expect(run.status == .failed)
        #expect(run.errors.hasPrefix("countersign: Cannot write \(folder.file("file/lab")): "), "\(run.errors)")
    }

    @Test("A pipe is read while it is written") func readPipe() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer { close(reading) }
        var parts = InputParts(try InputDescriptor("/dev/fd/\(reading)")).makeAsyncIterator()
        for text in ["one", "two"] {
            try FileDescriptorOutput(descriptor: writing, path: "pipe").write(Array(text.utf8)[...])
            #expect(try await parts.next().map { String(buffer: $0) } == text)
        }
        close(writing)
        #expect(try await parts.next() == nil)
    }

    @Test("Cancelling the task ends the read from a pipe") func cancellation() async throws {
        var ends: [Int32] = [0, 0]
        #expect(pipe(&ends) == 0)
        let (reading, writing) = (ends[0], ends[1])
        defer {
            close(reading)
            close(writing)
        }
        let waiting = Task {
            var parts = InputParts(try InputDescriptor("/dev/fd/\(reading)")).makeAsyncIterator()
            return try await parts.next()
        }
        waiting.cancel()
        await #expect(throws: CancellationError.self) { try await waiting.value }
    }
}
