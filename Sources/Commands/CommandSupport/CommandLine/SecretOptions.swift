// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import Secrets

/// The purpose of a secret, which determines the names and the help of its options.
package protocol SecretPurpose: Sendable {
    /// The prefix of the option names without the hyphens, such as `password` of `--password-file`.
    static var option: String { get }
    /// The description with its article, such as "the user's password".
    static var subject: String { get }
}

/// The four options that pass a secret without showing it to other users: a file, a descriptor, standard input or a
/// variable.
///
/// Every secret has the same four options.
package struct SecretOptions<Purpose: SecretPurpose>: ParsableArguments {
    @Option(
        name: .customLong("\(Purpose.option)-file"),
        help: ArgumentHelp("A file whose first line is \(Purpose.subject).", valueName: "file"))
    package var file: String?

    @Option(
        name: .customLong("\(Purpose.option)-fd"),
        help: ArgumentHelp("An open file descriptor to read \(Purpose.subject) from.", valueName: "number"))
    package var descriptor: Int?

    @Flag(
        name: .customLong("\(Purpose.option)-stdin"),
        help: ArgumentHelp("Read \(Purpose.subject) from the first line of standard input."))
    package var readsStandardInput = false

    @Option(
        name: .customLong("\(Purpose.option)-env"),
        help: ArgumentHelp("An environment variable that contains \(Purpose.subject).", valueName: "name"))
    package var variable: String?

    package init() {}

    /// The names of the given options.
    private var given: [String] {
        [
            file.map { _ in Self.name("file") }, descriptor.map { _ in Self.name("fd") },
            readsStandardInput ? Self.standardInputOption : nil, variable.map { _ in Self.name("env") },
        ].compactMap(\.self)
    }

    package var isGiven: Bool { !given.isEmpty }

    /// The name of the given option, for errors.
    package var name: String { given.first ?? Self.name("file") }

    package static var standardInputOption: String { name("stdin") }

    private static func name(_ suffix: String) -> String { "--\(Purpose.option)-\(suffix)" }

    package func checkContradictions() throws(UsageError) {
        let given = given
        if given.count > 1 { throw .contradiction(given[0], given[1]) }
    }

    /// Reads the secret, or returns `nil` if no option was given.
    ///
    /// - Throws: ``UsageError``, ``FileError``.
    package func read(_ environment: [String: String]) throws -> Secret? {
        if let file { return try SecretSource.file(file) }
        if let descriptor { return try SecretSource.descriptor(number: descriptor) }
        if readsStandardInput { return try SecretSource.standardInput() }
        return try variable.map { name in
            guard let value = environment[name] else { throw UsageError.noVariable(name) }
            return Secret(value)
        }
    }
}

/// Reads the first line of a file or an open file descriptor as a password, passphrase or token.
package enum SecretSource {
    private static let limit = 64 * 1024

    package static func file(_ path: String) throws -> Secret {
        try firstLine(of: InputDescriptor(path))
    }

    package static func descriptor(number: Int) throws -> Secret {
        guard let descriptor = Int32(exactly: number), descriptor >= 0 else { throw UsageError.fileDescriptor(number) }
        return try firstLine(of: .inherited(descriptor, "file descriptor \(number)"))
    }

    /// Reads the first line of standard input, and no byte after it.
    package static func standardInput() throws -> Secret { try firstLine(of: .standard) }

    private static func firstLine(of input: InputDescriptor) throws -> Secret {
        var line: [UInt8] = []
        var byte: UInt8 = 0
        while line.count < limit {
            let count = try withUnsafeMutableBytes(of: &byte) { try input.read(into: $0) }
            if count == 0 || byte == 0x0A { break }
            line.append(byte)
        }
        if line.last == 0x0D { line.removeLast() }
        defer { _ = line.withUnsafeMutableBytes { $0.initializeMemory(as: UInt8.self, repeating: 0) } }
        return Secret(utf8: line)
    }
}
