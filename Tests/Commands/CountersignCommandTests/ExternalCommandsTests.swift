// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Testing

@testable import CountersignCommand

@Suite("External commands are found next to the program and on the PATH") struct ExternalCommandsTests {
    private let near: Folder
    private let other: Folder

    init() throws {
        (near, other) = (try Folder(), try Folder())
        for (folder, name) in [(near, "one"), (other, "one"), (other, "two")] {
            try Self.add("countersign-" + name, to: folder)
        }
    }

    @Test("The folder of the program comes before the PATH") func order() {
        #expect(commands.path(of: "one") == near.file("countersign-one"))
        #expect(commands.path(of: "two") == other.file("countersign-two"))
        #expect(commands.names == ["one", "two"])
    }

    @Test("Relative and empty PATH entries are ignored") func relativeEntries() {
        for searchPath in ["", ":", ".", "./", "bin::.:"] {
            #expect(ExternalCommands(near: nil, searchPath: searchPath).names.isEmpty)
        }
        #expect(ExternalCommands(near: nil, searchPath: ".::" + other.path).names == ["one", "two"])
    }

    @Test("Folders and files that are not executable are not commands") func notExecutable() throws {
        try Self.add("countersign-three", to: other, mode: 0o644)
        try other.link("countersign-four", to: ".")
        try other.link("countersign-five", to: "missing")
        try other.link("countersign-six", to: "countersign-two")
        #expect(commands.names == ["one", "six", "two"])
    }

    @Test(
        "Names consist of lower-case letters, digits and hyphens",
        arguments: ["", "-", "-x", "Two", "tw o", "two.sh", "../two", "tw\u{f6}", "two\n", "a/../two"])
    func names(_ name: String) throws {
        if !name.contains("/") { try Self.add("countersign-" + name, to: other) }
        #expect(commands.path(of: name) == nil)
        #expect(commands.names == ["one", "two"])
    }

    @Test("Built-in commands are not replaced", arguments: ["get", "trust", "help"])
    func ownNames(_ name: String) throws {
        try Self.add("countersign-" + name, to: near)
        #expect(commands.path(of: name) == nil)
        #expect(commands.names == ["one", "two"])
    }

    @Test("The help lists names and paths of external commands, if there are any") func help() {
        #expect(
            commands.help == """


                EXTERNAL COMMANDS:
                  one                     \(near.path)/countersign-one
                  two                     \(other.path)/countersign-two
                """)
        #expect(ExternalCommands(near: nil, searchPath: nil).help.isEmpty)
    }

    private var commands: ExternalCommands {
        ExternalCommands(
            near: near.file("countersign"), searchPath: other.path, reserving: CountersignCommand.isReservedName)
    }

    private static func add(_ name: String, to folder: Folder, mode: Int = 0o755) throws {
        _ = try folder.write("#!/bin/sh\n", to: name)
        try folder.setMode(mode, of: name)
    }
}
