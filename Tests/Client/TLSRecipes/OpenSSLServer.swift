// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import Foundation

/// The server of OpenSSL's program, which obeys commands in its input.
package final class OpenSSLServer {
    private struct NotPrinted: Error {
        let text: String
        let output: String
    }

    private static let program = URL(filePath: "/usr/bin/openssl")

    package static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program.path) }

    /// The parameters of DHE with a prime of 1024 bits in PEM, generated for these tests.
    package static let shortParameters = """
        -----BEGIN DH PARAMETERS-----
        MIGHAoGBAOV7QD0tKrkfeIUAzCHVsiK5EwNS4OtwyuyXi3NsyN/0OqGMK6H9vQP1
        2jRdwTze8A7I5gjznvUBhMvta923YrZT4E1I6yBDWWybonvyHlAHrKdTGJRd9Nr8
        FW0hPAJdF+Q5WgYkDaLzIK11bcx4oSl1Rb75X0al8H2RMLhl/+i3AgEC
        -----END DH PARAMETERS-----
        """

    /// The port on 127.0.0.1.
    package private(set) var port = 0
    private let process = Process()
    private let input = Pipe()
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)

    /// Starts a server, and waits until it listens.
    ///
    /// - Parameters:
    ///   - arguments: Additional arguments of `s_server`.
    ///   - keys: The server's certificate and key; the certificate is also the clients' authority.
    ///   - parameters: The parameters of DHE in PEM; `nil` for the usual ones.
    /// - Throws: An error of the system, or if the server ends.
    package init(_ arguments: [String], keys: GeneratedKey, parameters: String? = nil) async throws {
        var arguments =
            [
                "s_server", "-accept", "127.0.0.1:0", "-cert", "certificate.pem", "-key", "key.pem", "-CAfile",
                "certificate.pem",
            ] + arguments
        if parameters != nil { arguments += ["-dhparam", "parameters.pem"] }
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let files = [
            "certificate.pem": keys.certificate, "key.pem": keys.key, "parameters.pem": parameters ?? "", "log.txt": "",
        ]
        for (name, text) in files { try Data(text.utf8).write(to: folder.appending(path: name)) }
        let log = try FileHandle(forWritingTo: folder.appending(path: "log.txt"))
        try Self.start(process, arguments, in: folder, input: input, output: log, errors: log)
        port = try await waits(for: "ACCEPT").firstMatch(of: /ACCEPT .*:([0-9]+)/).flatMap { Int($0.1) } ?? 0
    }

    package func stop() {
        // Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    package func command(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// Waits until the server has printed a text.
    ///
    /// - Parameter text: The text.
    /// - Returns: The complete output.
    /// - Throws: An error if the server has ended.
    @discardableResult
    package func waits(for text: String) async throws -> String {
        while true {
            let isRunning = process.isRunning
            let output = try String(contentsOf: folder.appending(path: "log.txt"), encoding: .utf8)
            if output.contains(text) { return output }
            guard isRunning else { throw NotPrinted(text: text, output: output) }
            try await Task.sleep(for: .milliseconds(20))
        }
    }

    /// The number of errors in the output.
    package var errorCount: Int {
        let output = try? String(contentsOf: folder.appending(path: "log.txt"), encoding: .utf8)
        return output?.split(separator: "\n").count { $0.contains("error:") } ?? 0
    }

    /// Runs OpenSSL's program, and returns its output.
    package static func run(_ arguments: [String], input: Data = Data()) throws -> Data {
        let (process, source, result) = (Process(), Pipe(), Pipe())
        try start(process, arguments, input: source, output: result, errors: FileHandle.nullDevice)
        try source.fileHandleForWriting.write(contentsOf: input)
        try source.fileHandleForWriting.close()
        let output = try result.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return output
    }

    private static func start(
        _ process: Process, _ arguments: [String], in folder: URL? = nil, input: Pipe, output: Any, errors: FileHandle
    ) throws {
        (process.executableURL, process.arguments, process.currentDirectoryURL) = (program, arguments, folder)
        // A parallel test sets this variable.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "OPENSSL_CONF" }
        (process.standardInput, process.standardOutput, process.standardError) = (input, output, errors)
        try process.run()
    }
}

/// A key, with its own certificate, in PEM.
package struct GeneratedKey: Sendable {
    /// The arguments for an RSA key of 2048 bits.
    package static let rsa = ["-algorithm", "RSA", "-pkeyopt", "rsa_keygen_bits:2048"]

    package let key: String
    package let certificate: String

    package init(key: String, certificate: String) { (self.key, self.certificate) = (key, certificate) }

    /// Generates a key from the arguments of `genpkey`.
    package init(_ arguments: [String]) throws {
        let key = try OpenSSLServer.run(["genpkey"] + arguments)
        let certificate = try OpenSSLServer.run(
            ["req", "-x509", "-new", "-key", "/dev/stdin", "-subj", "/CN=a.test", "-days", "2"], input: key)
        self.init(key: String(decoding: key, as: UTF8.self), certificate: String(decoding: certificate, as: UTF8.self))
    }
}
