// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "Test clients".

import ChallengeLab
import Countersign

struct Bolt: Codable, Sendable {
    var name: String
    var size: Int
}

/// Reads the catalogue of a shop with any client.
struct Catalogue<Shop: RequestSender> {
    let shop: Shop

    func bolt(_ name: String) async throws -> Bolt {
        try await shop.get("https://shop.example/bolts/\(name)", as: Bolt.self)
    }
}

struct StandIn: RequestSender {
    func send(_ request: SessionRequest) async throws -> SessionResponse {
        guard request.url.hasSuffix("/M4") else { return try SessionResponse(to: request, status: .notFound) }
        return try SessionResponse(to: request, body: .text(#"{"name": "M4", "size": 4}"#))
    }
}

func withStandIn() async throws {
    let catalogue = Catalogue(shop: StandIn())
    print(try await catalogue.bolt("M4").size)
}

func withLab() async throws {
    try await Lab.withServers([.clientCertificateRequired, .expired]) { lab in
        let session = HTTPSession(
            trust: TrustPolicy(anchors: .only([lab.authority])),
            handlers: [.clientCertificate: .identity(lab.clientIdentity, host: "localhost")])
        print(try await session.get(lab.url(.clientCertificateRequired)).status)
        do {
            _ = try await session.get(lab.url(.expired))
        } catch let error as SessionError {
            print(error.code == lab[.expired].failureCode)
        }
        await session.close()
    }
}
