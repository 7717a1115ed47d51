// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign
import NIOConcurrencyHelpers
import NIOCore
import SOAPClients

/// A service in memory that replaces a session.
struct StandIn: RequestSender {
    let requests = NIOLockedValueBox<[SessionRequest]>([])
    let bodies = NIOLockedValueBox<[String]>([])
    let sizes = NIOLockedValueBox<[Int]>([])
    let answer: @Sendable (SessionRequest, String) async throws -> SessionResponse

    init(answer: @escaping @Sendable (SessionRequest, String) async throws -> SessionResponse) { self.answer = answer }

    /// Creates a service with the same response to every request.
    init(_ text: String) { self.init(type: "text/xml; charset=utf-8", text) }

    init(_ status: HTTPResponse.Status = .ok, type: String?, _ text: String) {
        self.init(status, type: type, bytes: Array(text.utf8))
    }

    init(_ status: HTTPResponse.Status = .ok, type: String?, bytes: [UInt8]) {
        self.init { request, _ in
            try SessionResponse(
                to: request, status: status, headerFields: type.map { [.contentType: $0] } ?? [:],
                body: .bytes(ByteBuffer(bytes: bytes)))
        }
    }

    var last: SessionRequest? { requests.withLockedValue { $0.last } }
    /// The bodies of the requests, as text.
    var allBodies: [String] { bodies.withLockedValue { $0 } }
    /// The size of the last body, in bytes.
    var lastSize: Int? { sizes.withLockedValue { $0.last } }
    var body: String { bodies.withLockedValue { $0.last ?? "" } }

    func send(_ request: SessionRequest) async throws -> SessionResponse {
        let bytes = try await request.body?.collect(upTo: 64 << 20) ?? ByteBuffer()
        let body = String(buffer: bytes)
        sizes.withLockedValue { $0.append(bytes.readableBytes) }
        requests.withLockedValue { $0.append(request) }
        bodies.withLockedValue { $0.append(body) }
        return try await answer(request, body)
    }
}

extension SOAPClient {
    /// Creates a client of a service in memory.
    init(_ service: StandIn, _ version: SOAPVersion = .soap11, change: (inout SOAPClient) -> Void = { _ in }) {
        self.init(session: service, endpoint: "http://bank.example/accounts", version: version)
        change(&self)
    }
}

/// Returns an envelope with the given content of its Body.
func envelope(
    _ body: String, header: String? = nil, version: SOAPVersion = .soap11, attributes: String = ""
) -> String {
    let header = header.map { "<s:Header>\($0)</s:Header>" } ?? ""
    return """
        <s:Envelope xmlns:s="\(version.namespace)" xmlns:b="\(bankNamespace)"\(attributes)>\(header)\
        <s:Body>\(body)</s:Body></s:Envelope>
        """
}

let balanceBody = "<b:BalanceResponse><b:amount>42</b:amount></b:BalanceResponse>"

/// Returns the client's error that a call throws.
func clientError(_ body: () async throws -> some Any) async -> SOAPClientError? {
    do {
        _ = try await body()
        return nil
    } catch {
        return error as? SOAPClientError
    }
}
