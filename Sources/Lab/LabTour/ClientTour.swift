// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import CommandSupport
import Countersign
import EssentialFoundation
import POSIX

/// The tour of another client through the servers of a lab.
struct ClientTour {
    let template: ClientTemplate
    let lab: Lab
    /// The folder of the lab's files and the client's output.
    let folder: String
    /// The timeout for one run of the client.
    let limit: Duration

    /// Runs the client for one stop.
    ///
    /// - Parameter stop: The resource to request.
    /// - Returns: The row of the table.
    /// - Throws: `FileError` if the client cannot be started or its output cannot be read, and `CancellationError`.
    func visit(_ stop: TourStop) async throws -> TourRow {
        let values = try values(for: stop)
        if let reason = reasonNotToRun(stop, values) { return TourRow(stop: stop, notRun: reason) }
        let (output, errors) = (folder + "/output", folder + "/errors")
        let program = TimedProgram(template.filled(values), output: output, errors: errors)
        let start = ContinuousClock.now
        let termination = try await program.run(within: limit)
        let elapsed = ContinuousClock.now - start
        let body = try? Data(contentsOf: URL(filePath: output))
        return TourRow(stop: stop, termination: termination, body: Array(body ?? Data()), elapsed: elapsed)
    }

    /// Returns the reason why the client cannot be run for a stop; `nil` if it can.
    private func reasonNotToRun(_ stop: TourStop, _ values: [ClientTemplate.Placeholder: String]) -> String? {
        let missing = stop.server.needs.flatMap { need(for: $0, of: stop) }.filter {
            !template.placeholders.contains($0)
        }
        if let one = missing.min(by: { $0.rawValue < $1.rawValue }) { return "not run: no {\(one.rawValue)}" }
        guard values[.address] != nil, !template.placeholders.contains(.address), !Self.resolves(stop.server.host)
        else { return nil }
        return "not run: no {address}"
    }

    private func need(for need: LabServer.Need, of stop: TourStop) -> [ClientTemplate.Placeholder] {
        switch need {
        case .password: stop.proxy == nil ? [.user, .password] : [.proxyUser, .proxyPassword]
        case .token: [.token]
        case .identity: [.clientCertificate]
        case .proxy: [.proxy]
        case .pin: [.pin]
        case .revocationLists: [.revocationLists]
        case .responders: [.responders]
        case .missingIssuers: [.missingIssuers]
        case .logList: [.logList]
        case .range: [.range]
        // These settings need no value in the command line.
        case .cookies, .compression: []
        }
    }

    private func values(for stop: TourStop) throws -> [ClientTemplate.Placeholder: String] {
        let server = stop.server
        let login = server.credentials ?? (server.needs.contains(.password) ? Lab.credentials : nil)
        var values: [ClientTemplate.Placeholder: String] = [
            .url: stop.url, .ca: folder + "/ca.pem", .name: server.name, .port: String(server.port),
            .host: server.host,
        ]
        if let proxy = stop.proxy {
            values[.proxy] = proxy
            values[.proxyUser] = login?.user
            values[.proxyPassword] = login?.password
        } else {
            values[.user] = login?.user
            values[.password] = login?.password
        }
        values[.token] = server.token
        if server.needs.contains(.identity) {
            values[.clientCertificate] = folder + "/client-certificate.pem"
            values[.clientKey] = folder + "/client-key.pem"
        }
        if server.needs.contains(.pin) { values[.pin] = try lab.pin }
        if server.needs.contains(.range) { values[.range] = Lab.range }
        if server.needs.contains(.revocationLists) { values[.revocationLists] = folder + "/crl.pem" }
        if server.needs.contains(.responders) { values[.responders] = "1" }
        if server.needs.contains(.missingIssuers) { values[.missingIssuers] = "1" }
        if server.needs.contains(.logList) { values[.logList] = folder + "/logs.json" }
        if server.host.hasSuffix(".localhost") { values[.address] = "127.0.0.1" }
        return values
    }

    /// Returns whether the system can resolve a host name.
    private static func resolves(_ host: String) -> Bool {
        var list: UnsafeMutablePointer<addrinfo>?
        defer { if let list { freeaddrinfo(list) } }
        return getaddrinfo(host, nil, nil, &list) == 0
    }
}
