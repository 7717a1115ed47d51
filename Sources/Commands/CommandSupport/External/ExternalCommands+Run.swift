// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(Darwin)
    internal import Darwin
#elseif canImport(Musl)
    internal import Musl
#else
    internal import Glibc
#endif

extension ExternalCommands {
    /// Replaces this process by an external command, where the command line names one.
    ///
    /// The command has the arguments after its name byte for byte, the environment, the open descriptors and the process ID, so signals reach it
    /// and its exit status is the caller's. `help NAME` becomes `NAME --help`, and `explain NAME.CAUSE` becomes `NAME explain NAME.CAUSE`. Call it before a descriptor is opened or a signal is
    /// ignored: a new program inherits both.
    ///
    /// - Parameter arguments: What follows the program's name.
    /// - Throws: ``ExternalCommandError``. It returns where the command line names no external command.
    package func run(for arguments: [String]) throws(ExternalCommandError) {
        let asksForHelp = arguments.count == 2 && arguments[0] == "help"
        // The errors of an external command have its name as their stage.
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
    /// What stands before the dot of an error's code.
    fileprivate var stage: String? { contains(".") ? split(separator: ".").first.map(String.init) : nil }
}
