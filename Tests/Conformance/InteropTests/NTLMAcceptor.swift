// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Foundation
import Testing

/// A process in which pyspnego accepts NTLM exchanges (`Conformance/Interop/ntlm-acceptor.py`).
final class NTLMAcceptor {
    enum Answer: Hashable {
        case ready
        case token([UInt8])
        case accepted(user: String)
        /// A refusal, whose text begins with the name of pyspnego's error.
        case refused(String)
        case ended
    }

    private let process = Process()
    private let input = Pipe()
    private let output = Pipe()
    private var received = Data()

    init(_ values: NTLMValues) throws {
        process.executableURL = URL(filePath: values.python)
        process.arguments = [values.script, values.users]
        process.standardInput = input
        process.standardOutput = output
        try process.run()
    }

    deinit {
        try? input.fileHandleForWriting.close()
        process.waitUntilExit()
    }

    /// Starts an exchange, which requires the channel binding to a certificate if one is given.
    func open(certificate: String? = nil) throws {
        #expect(try ask(certificate.map { "open \($0)" } ?? "open") == .ready)
    }

    /// Passes a client's message to the acceptor.
    func step(_ message: [UInt8]) throws -> Answer {
        try ask("step " + Data(message).base64EncodedString())
    }

    private func ask(_ command: String) throws -> Answer {
        try input.fileHandleForWriting.write(contentsOf: Data((command + "\n").utf8))
        let words = readLine().split(separator: " ", maxSplits: 1).map(String.init)
        switch (words.first, words.last) {
        case ("ready", _): return .ready
        case ("token", let token?): return .token(Array(try #require(Data(base64Encoded: token))))
        case ("accepted", let user?): return .accepted(user: user)
        case ("refused", let reason?): return .refused(reason)
        default: return .ended
        }
    }

    /// Reads up to the end of a line or of the output.
    private func readLine() -> String {
        while true {
            if let end = received.firstIndex(of: UInt8(ascii: "\n")) {
                defer { received.removeSubrange(...end) }
                return String(decoding: received[..<end], as: UTF8.self)
            }
            let more = output.fileHandleForReading.availableData
            if more.isEmpty { return "" }
            received += more
        }
    }
}

/// The values of the NTLM account and certificates that `scripts/interop/run` has created.
struct NTLMValues {
    let python: String
    let script: String
    let users: String
    let password: String
    private let certificates: String

    init() throws {
        let values = try InteropValues()
        python = try values["ntlmPython"]
        script = try values["ntlmAcceptor"]
        users = try values["ntlmUsers"]
        password = try values["ntlmPassword"]
        certificates = try values["ntlmCertificates"]
    }

    /// Returns the path of a certificate by the name of its signature's hash function.
    func certificate(_ name: String) -> String { "\(certificates)/\(name).der" }
}
