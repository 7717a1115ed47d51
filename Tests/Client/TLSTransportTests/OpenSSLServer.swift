// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Identities
import NIOCore
import NIOPosix
import Secrets
import SwiftASN1
import TLSServer
import TLSTransport
import X509

/// The server of OpenSSL's program, which obeys commands in its input.
final class OpenSSLServer {
    private static let program = URL(filePath: "/usr/bin/openssl")

    static var isInstalled: Bool { FileManager.default.isExecutableFile(atPath: program.path) }

    private let process = Process()
    private let (input, output) = (Pipe(), Pipe())
    private let texts: AsyncStream<String>
    private let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    private let port: Int

    /// Starts a server.
    ///
    /// - Parameters:
    ///   - arguments: Additional arguments of `s_server`.
    ///   - keys: The server's and the clients' certificate and key; `nil` for the usual ones.
    ///   - parameters: The parameters of DHE in PEM; `nil` for the usual ones.
    /// - Throws: An error of the system.
    init(_ arguments: [String], keys: GeneratedKey? = nil, parameters: String? = nil) throws {
        let (texts, continuation) = AsyncStream.makeStream(of: String.self)
        self.texts = texts
        output.fileHandleForReading.readabilityHandler = { handle in
            let data = handle.availableData
            if data.isEmpty { continuation.finish() } else { continuation.yield(String(decoding: data, as: UTF8.self)) }
        }
        // The port of a listener that was closed is free for a while.
        let listener = try ServerBootstrap(group: .singletonMultiThreadedEventLoopGroup)
            .bind(host: "127.0.0.1", port: 0).wait()
        port = listener.localAddress?.port ?? 0
        try listener.close().wait()
        try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
        let identity = TLSServerContext.identity
        let (certificate, key) = (folder.appending(path: "certificate.pem"), folder.appending(path: "key.pem"))
        try (keys?.certificate ?? identity.certificate.serializeAsPEM().pemString)
            .write(to: certificate, atomically: true, encoding: .utf8)
        try (keys?.key ?? identity.privateKey.serializeAsPEM().pemString)
            .write(to: key, atomically: true, encoding: .utf8)
        var arguments = arguments
        if let parameters {
            let file = folder.appending(path: "parameters.pem")
            try parameters.write(to: file, atomically: true, encoding: .utf8)
            arguments += ["-dhparam", file.path]
        }
        process.executableURL = Self.program
        process.arguments =
            [
                "s_server", "-accept", "127.0.0.1:\(port)", "-cert", certificate.path, "-key", key.path, "-CAfile",
                certificate.path,
            ] + arguments
        // A parallel test sets this variable.
        process.environment = ProcessInfo.processInfo.environment.filter { $0.key != "OPENSSL_CONF" }
        process.standardInput = input
        process.standardOutput = output
        process.standardError = output
        try process.run()
    }

    func stop() {
        output.fileHandleForReading.readabilityHandler = nil
        // Child processes inherit the blocked signals of the test's threads, so only SIGKILL ends them.
        kill(process.processIdentifier, SIGKILL)
        process.waitUntilExit()
        try? FileManager.default.removeItem(at: folder)
    }

    func command(_ text: String) throws {
        try input.fileHandleForWriting.write(contentsOf: Data("\(text)\n".utf8))
    }

    /// Waits until the server has printed a text.
    func waits(for text: String) async {
        var printed = ""
        for await more in texts {
            printed += more
            if printed.contains(text) { return }
        }
    }

    /// Connects as soon as the server listens.
    func connect(
        _ settings: TLSClientSettings, sending text: String = "", identity: TLSIdentity? = nil,
        refusal: TLSAlert? = nil
    ) async throws -> SocketClient {
        let address = try SocketAddress(ipAddress: "127.0.0.1", port: port)
        while true {
            do {
                return try await SocketClient(
                    to: address, sending: ByteBuffer(string: text), identity: identity, refusal: refusal,
                    settings: settings)
            } catch is IOError where process.isRunning {
                try await Task.sleep(for: .milliseconds(20))
            }
        }
    }

    /// Runs OpenSSL's program, and returns its output.
    fileprivate static func run(_ arguments: [String], input: Data = Data()) throws -> Data {
        let (process, source, result) = (Process(), Pipe(), Pipe())
        process.executableURL = program
        process.arguments = arguments
        (process.standardInput, process.standardOutput) = (source, result)
        process.standardError = FileHandle.nullDevice
        try process.run()
        try source.fileHandleForWriting.write(contentsOf: input)
        try source.fileHandleForWriting.close()
        let output = try result.fileHandleForReading.readToEnd() ?? Data()
        process.waitUntilExit()
        return output
    }
}

/// A key that OpenSSL's program generates, with its own certificate, in PEM.
struct GeneratedKey {
    let key: String
    let certificate: String

    /// Generates a key from the arguments of `genpkey`.
    init(_ arguments: [String]) throws {
        let key = try OpenSSLServer.run(["genpkey"] + arguments)
        self.key = String(decoding: key, as: UTF8.self)
        let certificate = try OpenSSLServer.run(
            ["req", "-x509", "-new", "-key", "/dev/stdin", "-subj", "/CN=a.test", "-days", "2"], input: key)
        self.certificate = String(decoding: certificate, as: UTF8.self)
    }

    func identity() throws -> TLSIdentity {
        let certificate = try OpenSSLServer.run(["x509", "-outform", "DER"], input: Data(certificate.utf8))
        let key = try OpenSSLServer.run(["pkey", "-outform", "DER"], input: Data(key.utf8))
        return TLSIdentity(chain: [Array(certificate)], key: Secret(utf8: Array(key)))
    }
}
