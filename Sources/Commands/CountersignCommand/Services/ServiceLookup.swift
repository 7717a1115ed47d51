// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import ErrorExplanations

#if canImport(FoundationEssentials)
    import FoundationEssentials
#else
    import Foundation
#endif

/// Asks the program `countersign-discover` where a service is.
struct ServiceLookup: Sendable {
    /// What the program prints, one object a line.
    private struct Event: Decodable {
        let event: String
        let host: String?
        let port: Int?
        let addresses: [String]?
        let txt: [String: String?]?
        let code: String?
        let message: String?
        let reason: String?
        let advice: String?
    }

    /// How long answers are waited for, in seconds.
    private static let timeout = 5

    /// The path of the program.
    let program: String

    /// Looks a service up.
    ///
    /// - Returns: An answer for each interface; not empty.
    /// - Throws: ``ServiceError``, `FileError`, `CancellationError`.
    func answers(for name: ServiceName) async throws -> [ServiceAnswer] {
        let folder = try PrivateFolder(prefix: "countersign-service-")
        defer { folder.remove() }
        let output = folder.path + "/output"
        let ending = try await TimedProgram(
            [program, "--json", "--timeout", String(Self.timeout), "--", name.text], output: output,
            errors: folder.path + "/errors"
        ).run(within: .seconds(2 * Self.timeout))
        let lines = try InputFile.read(output).split(separator: UInt8(ascii: "\n"))
        let events = lines.compactMap { try? JSONDecoder().decode(Event.self, from: Data($0)) }
        if let error = events.last(where: { $0.event == "failed" }) { throw Self.error(error, name) }
        guard ending == .exited(0) else { throw ServiceError.ended }
        let answers = events.filter { $0.event == "resolved" }.compactMap { event -> ServiceAnswer? in
            guard let host = event.host, let port = event.port else { return nil }
            let path = event.txt?.first { $0.key.lowercased() == "path" }?.value ?? "/"
            return ServiceAnswer(host: host, port: port, addresses: event.addresses ?? [], path: path)
        }
        guard !answers.isEmpty else { throw ServiceError.notFound(name.text) }
        return answers
    }

    private static func error(_ event: Event, _ name: ServiceName) -> ServiceError {
        guard let code = event.code, code != "discover.not-found" else { return .notFound(name.text) }
        return .discovery(
            ErrorExplanation(
                code, event.message ?? "", reason: event.reason ?? "", advice: event.advice ?? ""))
    }
}
