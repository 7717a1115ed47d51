// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ErrorExplanations
internal import EssentialFoundation
internal import POSIX

/// The executables named `countersign-NAME`, each of which `countersign NAME` runs.
package struct ExternalCommands {
    /// The prefix of the executables' names.
    private let prefix: String
    private let executable: () -> String?
    private let searchPath: () -> String?
    /// Returns whether a name belongs to the program's own commands, which external commands cannot replace.
    private let isReservedName: (String) -> Bool

    /// - Parameters:
    ///   - executable: The path of `countersign`, whose folder is searched first; `nil` if it is unknown.
    ///   - searchPath: The value of `PATH`. Relative and empty entries are ignored, because they depend on the current
    ///     folder.
    ///   - isReservedName: Returns whether a name is reserved for the program's own commands.
    ///   - prefix: The prefix of the executables' names.
    package init(
        near executable: @autoclosure @escaping () -> String?, searchPath: @autoclosure @escaping () -> String?,
        reserving isReservedName: @escaping (String) -> Bool = { _ in false }, prefix: String = "countersign-"
    ) {
        self.prefix = prefix
        self.executable = executable
        self.searchPath = searchPath
        self.isReservedName = isReservedName
    }

    /// Returns the external commands of this process.
    package static func installed(
        reserving isReservedName: @escaping (String) -> Bool = { _ in false }, prefix: String = "countersign-"
    ) -> Self {
        Self(
            near: ExecutablePath.current, searchPath: ProcessInfo.processInfo.environment["PATH"],
            reserving: isReservedName, prefix: prefix)
    }

    /// The folders in search order.
    private var folders: [String] {
        let own = executable().map { String($0[..<($0.lastIndex(of: "/") ?? $0.startIndex)]) }
        let others = searchPath()?.split(separator: ":").map(String.init) ?? []
        return ([own].compactMap { $0 } + others).filter { $0.hasPrefix("/") }
    }

    /// The names of all external commands, sorted.
    package var names: [String] {
        let files = folders.flatMap { (try? FileManager.default.contentsOfDirectory(atPath: $0)) ?? [] }
        let names = files.filter { $0.hasPrefix(prefix) }.map { String($0.dropFirst(prefix.count)) }
        return Set(names).filter { path(of: $0) != nil }.sorted()
    }

    /// The help section that lists the external commands; empty if there are none.
    package var help: String {
        let names = names
        guard !names.isEmpty else { return "" }
        let width = max(22, names.map(\.count).max() ?? 0)
        let lines = names.map { "  \($0.column(width))  \(path(of: $0) ?? "")" }
        return "\n\nEXTERNAL COMMANDS:\n" + lines.joined(separator: "\n")
    }

    /// Finds an external command.
    ///
    /// - Parameter name: The name, as typed after `countersign`: lower-case letters, digits and hyphens.
    /// - Returns: The path of the executable, or `nil` if there is none or if `countersign` itself has the command.
    package func path(of name: String) -> String? {
        // Most lines name one of the program's own commands, so the folders are determined after that check.
        guard Self.isName(name), !isReservedName(name) else { return nil }
        return folders.lazy.map { $0 + "/" + prefix + name }.first(where: Self.isExecutable)
    }

    private static func isName(_ text: String) -> Bool {
        guard let first = text.utf8.first, first != UInt8(ascii: "-") else { return false }
        return text.utf8.allSatisfy { byte in
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "-"): true
            default: false
            }
        }
    }

    private static func isExecutable(_ path: String) -> Bool {
        var information = stat()
        guard stat(path, &information) == 0, information.st_mode & S_IFMT == S_IFREG else { return false }
        return access(path, X_OK) == 0
    }
}

extension ExternalCommands {
    /// Replaces this process by an external command if the command line names one.
    ///
    /// The command receives the arguments after its name byte for byte, the environment, the open descriptors and the
    /// process ID, so signals reach it and its exit status is the caller's. `help NAME` becomes `NAME --help`, and
    /// `explain NAME.CAUSE` becomes `NAME explain NAME.CAUSE`. Call it before a descriptor is opened or a signal is
    /// ignored: a new program inherits both.
    ///
    /// - Parameter arguments: The arguments after the program's name.
    /// - Throws: ``ExternalCommandError``. The function returns if the command line names no external command.
    package func run(for arguments: [String]) throws(ExternalCommandError) {
        let asksForHelp = arguments.count == 2 && arguments[0] == "help"
        // The stage of an external command's error codes is the command's name.
        let stage = arguments.first == "explain" ? arguments.dropFirst().lazy.compactMap(\.stage).first : nil
        guard let path = (asksForHelp ? arguments.last : stage ?? arguments.first).flatMap(path(of:)) else { return }
        let first = stage == nil ? 2 : 1
        let words =
            asksForHelp ? [strdup("--help")] : (first..<Int(CommandLine.argc)).map { CommandLine.unsafeArgv[$0] }
        _ = execv(path, [strdup(path)] + words + [nil])
        throw ExternalCommandError(path: path, code: errno)
    }
}

extension String {
    /// The part of an error code before the dot.
    fileprivate var stage: String? { contains(".") ? split(separator: ".").first.map(String.init) : nil }
}

/// The error that an external command could not be run.
package struct ExternalCommandError: Error, Hashable {
    package let path: String
    /// The `errno` value.
    package let code: Int32
}

extension ExternalCommandError: CataloguedError {
    package var explanation: ErrorExplanation {
        ErrorExplanation(
            "file.cannot-run", "\(path) cannot be run: \(systemErrorText(code)).", systemCode: code,
            reason: "The operating system did not start the program.",
            advice: "Check who may run it, and the interpreter that its first line names.")
    }

    package static var examples: [ExternalCommandError] { [Self(path: "/usr/local/bin/countersign-example", code: 13)] }
}
