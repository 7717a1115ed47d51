// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import ChallengeLab
import Countersign
import HTTPTypes
import NIOCore
import Testing

/// A fault of a server and the expected outcome for the client.
struct FaultRow: Sendable, CustomTestStringConvertible {
    /// The outcome of a request.
    enum Outcome: Hashable, Sendable {
        /// The complete body.
        case body(String)
        /// The code of a `SessionError`, with its reason or phase if it has one.
        case fails(String)
        /// One of several errors, if timing decides which one occurs.
        case failsAs(Set<String>)
    }

    let name: String
    let fault: Fault
    let outcome: Outcome
    private(set) var usesTLS: Bool
    let method: HTTPRequest.Method
    /// The maximum number of bytes that the server may send, including those that the operating system buffers.
    let maximumSentBytes: Int
    let change: @Sendable (inout HTTPSession.Configuration) -> Void
    /// Sets the timeouts of the faulty request; those of the session would also limit the correct ones after it.
    let limiting: @Sendable (SessionRequest) -> SessionRequest
    /// Whether the connection stays usable after the fault.
    private(set) var keepsConnection = false

    init(
        _ name: String, _ fault: Fault, _ outcome: Outcome, usesTLS: Bool = false, method: HTTPRequest.Method = .get,
        maximumSentBytes: Int = 16 << 20,
        change: @escaping @Sendable (inout HTTPSession.Configuration) -> Void = { _ in },
        limiting: @escaping @Sendable (SessionRequest) -> SessionRequest = { $0 }
    ) {
        (self.name, self.fault, self.outcome, self.usesTLS) = (name, fault, outcome, usesTLS)
        (self.method, self.maximumSentBytes) = (method, maximumSentBytes)
        (self.change, self.limiting) = (change, limiting)
    }

    var testDescription: String {
        String(reflecting: name) + (usesTLS ? " (TLS)" : "")
    }

    /// Whether one of the client's timeouts ends the request.
    var timesOut: Bool {
        guard case .fails(let name) = outcome else { return false }
        return ["limit.idle-", "limit.total-time", "limit.connections"].contains { name.hasPrefix($0) }
    }

    /// The same row over TLS.
    var overTLS: FaultRow {
        var row = self
        row.usesTLS = true
        return row
    }

    /// The same row, after which the connection stays usable.
    var keepingConnection: FaultRow {
        var row = self
        row.keepsConnection = true
        return row
    }

    /// Returns a row for a silent server, which a short idle timeout of the client ends.
    static func silent(_ name: String, _ fault: Fault, _ error: String, usesTLS: Bool = false) -> FaultRow {
        FaultRow(name, fault, .fails(error), usesTLS: usesTLS, limiting: { $0.idleTimeout(.seconds(8)) })
    }

    /// The maximum size of a body.
    static let bodyLimit = 1 << 20

    func request(_ port: Int) -> SessionRequest {
        var request = SessionRequest(url: "\(usesTLS ? "https" : "http")://localhost:\(port)/", method: method)
        if method == .post { request.body = .bytes(Array(repeating: 1, count: 1 << 20)) }
        return request
    }

    func matches(_ found: Outcome) -> Bool {
        switch (outcome, found) {
        case (.failsAs(let names), .fails(let name)): names.contains(name)
        default: outcome == found
        }
    }
}

extension FaultRow.Outcome {
    /// Sends a request, reads the complete response, and stores the outcome.
    init(of request: SessionRequest, over session: HTTPSession) async {
        do {
            let response = try await session.send(request)
            self = .body(String(buffer: try await response.body.collect(upTo: FaultRow.bodyLimit)))
        } catch {
            self = .fails(Self.name(error))
        }
    }

    /// Returns the code of a session error, with its reason or phase.
    static func name(_ error: any Error) -> String {
        guard let error = error as? SessionError else { return "\(type(of: error)): \(error)" }
        return switch error {
        case .response(.malformed(_, .tls)), .response(.malformed(_, .bareLineFeed)): error.code
        case .response(.malformed(_, let reason)): "\(error.code).\(reason)"
        case .limit(.timedOut(_, let phase, _, _)): "\(error.code).\(phase)"
        case .connection(.lost(_, let phase)): "\(error.code).\(phase)"
        case .body(.malformedContentCoding(_, let reason)): "\(error.code).\(reason)"
        case .response(.streamReset(_, let reason)): "\(error.code).\(reason.code)"
        default: error.code
        }
    }
}
