// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Countersign
import NIOConcurrencyHelpers
import POSIX

/// The options for the output of responses.
struct OutputOptions: ParsableArguments {
    @Option(
        name: [.customShort("o", allowingJoined: true), .long],
        help: ArgumentHelp(
            "The file for the body; it appears only when it is complete, and is unchanged if the status is not a success.",
            discussion: """
                '-' is standard output. With several URLs it is given once for each, in their order. The file keeps the owner \
                and the permissions of the one that it replaces, if that is permitted. Compression is not requested without \
                --compressed, so that the length is known beforehand; a compressed body is decoded anyway, except with \
                --continue or --partial.
                """, valueName: "file"))
    var output: [String] = []

    @Flag(
        name: [.customShort("O"), .long],
        help: ArgumentHelp(
            "Write the body to a file with the last part of the URL as its name.",
            discussion:
                "An existing file is not replaced, and a name that is hidden or leads to another folder is not used."))
    var remoteName = false

    @Flag(
        name: [.customShort("J"), .long],
        help: "With -O, use the file name that the server gives (Content-Disposition) if it is usable.")
    var remoteHeaderName = false

    @Flag(help: "Let -O replace an existing file.")
    var clobber = false

    @Option(
        help: ArgumentHelp(
            "The folder for the files of -o and -O.",
            discussion: "It must exist ('mkdir -p' creates one). The names of -o are relative to it.",
            valueName: "folder"))
    var outputDir: String?

    @Flag(
        help: ArgumentHelp(
            "Let -o and -O wait until the bytes are on the disk before a file gets its name.",
            discussion: """
                Without it, a file that is complete may be empty after a loss of power, as with other programs. Downloads with \
                --continue or --partial, and the files of all other options, always wait.
                """))
    var fsync = false

    @Flag(name: .shortAndLong, help: "Put the status and the fields of the final response before its body.")
    var include = false

    @Option(
        name: [.customShort("D", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Write the status and the fields of each URL's final response to this file; '-' is standard output.",
            valueName: "file"), transform: OutputDestination.init)
    var dumpHeader: OutputDestination?

    @Option(
        name: [.customShort("w", allowingJoined: true), .long],
        help: ArgumentHelp(
            "Print this after each transfer, with variables such as %{http_code}; @FILE reads it from a file.",
            discussion: """
                The variables are curl's: \(WriteOutVariable.names). %header{NAME} is a field of the response, %{header_json} \
                all of them, %{json} all variables; %{stderr} and %{stdout} choose where the rest goes, %{onerror} prints the \
                rest only after a failure. %% is '%', and \\n, \\r and \\t have the same meaning as in C.
                """, valueName: "format"))
    var writeOut: String?

    @Flag(name: .shortAndLong, help: "Show no progress. Errors are still printed.")
    var silent = false

    @Flag(name: [.customShort("S"), .long], help: "Print errors, which is the default.")
    var showError = false

    @Flag(name: .shortAndLong, help: "Do not print the page of a response with a status of 400 or more.")
    var fail = false

    @Flag(help: "Let -o and -O write the page of a response with a status of 400 or more.")
    var failWithBody = false

    /// The durability of the files of `-o` and `-O`.
    var durability: OutputFile.Durability { fsync ? .flushed : .unflushed }

    /// Returns the path of a file in the folder of `--output-dir`.
    func path(of name: String) -> String { outputDir.map { "\($0)/\(name)" } ?? name }

    /// Whether a body goes to standard output.
    var isStandardOutput: Bool { !remoteName && (output.isEmpty || output.contains("-")) }

    /// - Parameters:
    ///   - urlCount: The number of URLs.
    ///   - json: Whether `--json` was given.
    /// - Throws: ``UsageError`` for options that contradict each other.
    func checkContradictions(urlCount: Int, json: Bool) throws(UsageError) {
        if fail, failWithBody { throw .contradiction("--fail", "--fail-with-body") }
        if remoteName, !output.isEmpty { throw .contradiction("-O", "-o") }
        if remoteHeaderName, !remoteName { throw .useless("--remote-header-name", without: "-O") }
        if clobber, !remoteName { throw .useless("--clobber", without: "-O") }
        let hasFile = remoteName || output.contains { $0 != "-" }
        if fsync, !hasFile { throw .useless("--fsync", without: "-o FILE or -O") }
        if outputDir != nil, !hasFile { throw .useless("--output-dir", without: "-o FILE or -O") }
        if outputDir != nil, let path = output.first(where: { $0.hasPrefix("/") }) {
            throw .contradiction("--output-dir", "-o \(path)")
        }
        if output.count > 1, urlCount == 1 { throw .repeated("--output") }
        if !output.isEmpty, output.count != urlCount { throw .outputs(given: output.count, urls: urlCount) }
        if json { try checkReportOptions() }
    }

    /// Requires the folder of `--output-dir`, before anything is sent.
    func requireFolder() throws(FileError) {
        guard let outputDir else { return }
        guard let state = FileState(path: outputDir) else { throw FileError(.read, path: outputDir) }
        guard state.isFolder else { throw FileError(.read, path: outputDir, code: ENOTDIR) }
    }

    /// Refuses options that would write to standard output in addition to the JSON report.
    private func checkReportOptions() throws(UsageError) {
        if output.contains("-") { throw .contradiction("--json", "-o -") }
        if include { throw .contradiction("--json", "--include") }
        if dumpHeader == .standardOutput { throw .contradiction("--json", "-D -") }
        if writeOut != nil { throw .contradiction("--json", "--write-out") }
    }
}

/// The destination of a URL's body.
enum BodyTarget: Hashable, Sendable {
    case standardOutput
    /// A file, which is replaced if it exists.
    case file(String)
    /// A file that must not exist yet.
    case newFile(String)
    /// A file that the server, or else the URL, names; it replaces an existing file only if `replaces` is `true`.
    case serverNamed(fallback: RemoteName?, url: String, replaces: Bool)

    /// The path, if it is known before the response.
    var path: String? {
        switch self {
        case .file(let path), .newFile(let path): path
        case .standardOutput, .serverNamed: nil
        }
    }

    var isFile: Bool { self != .standardOutput }
}

extension OutputOptions {
    /// Returns the destination of each URL's body.
    ///
    /// - Parameters:
    ///   - urls: The URLs, in the order of the command line.
    ///   - continues: Whether a file that exists may be the incomplete one of another program.
    /// - Returns: A target for each URL.
    /// - Throws: ``RemoteNameError`` before anything is sent.
    func targets(for urls: [String], continues: Bool) throws(RemoteNameError) -> [BodyTarget] {
        guard remoteName else {
            guard !output.isEmpty else { return urls.map { _ in .standardOutput } }
            return output.map { $0 == "-" ? .standardOutput : .file(path(of: $0)) }
        }
        var targets: [BodyTarget] = []
        for url in urls { targets.append(try target(for: url, continues: continues)) }
        return targets
    }

    private func target(for url: String, continues: Bool) throws(RemoteNameError) -> BodyTarget {
        let name: RemoteName
        do throws(RemoteName.Problem) {
            name = try RemoteName(url: url)
        } catch {
            if remoteHeaderName { return .serverNamed(fallback: nil, url: url, replaces: clobber) }
            throw .url(url, error)
        }
        if remoteHeaderName { return .serverNamed(fallback: name, url: url, replaces: clobber) }
        let path = path(of: name.text)
        let existing = OutputTarget(path)
        let isOwn = existing.state?.owner == UInt32(geteuid())
        if clobber || continues && isOwn && !OutputFile.exists(existing.path + ".part") { return .file(path) }
        guard !OutputFile.exists(path) else { throw .exists(path) }
        return .newFile(path)
    }
}

/// The names of the files that a command line writes, and the options or URLs that name them.
final class OutputNames: Sendable {
    private let owners = NIOLockedValueBox<[String: String]>([:])

    /// Records a file.
    ///
    /// - Parameters:
    ///   - path: The path; a device or a pipe can be written several times.
    ///   - owner: The option or the URL, for the error.
    /// - Throws: ``RemoteNameError/shared(_:_:path:)`` if the file has another owner.
    func claim(_ path: String, for owner: String) throws(RemoteNameError) {
        let target = OutputTarget(path)
        guard target.state?.isRegular ?? true else { return }
        let key = Self.normalized(target.path)
        let other = owners.withLockedValue { owners in
            let other = owners[key]
            if other == nil { owners[key] = owner }
            return other
        }
        if let other { throw .shared(other, owner, path: path) }
    }

    /// Returns the path without links and dots in the path of its folder.
    private static func normalized(_ path: String) -> String {
        let name = path.lastIndex(of: "/").map { path[path.index(after: $0)...] } ?? path[...]
        let folder = path.dropLast(name.utf8.count)
        guard let resolved = realpath(folder.isEmpty ? "." : String(folder), nil) else { return path }
        defer { free(resolved) }
        return String(cString: resolved) + "/" + name
    }
}

extension OutputFile {
    /// Returns whether a file has this name, including a link without a target.
    static func exists(_ path: String) -> Bool {
        faccessat(AT_FDCWD, path, F_OK, AT_SYMLINK_NOFOLLOW) == 0
    }
}
