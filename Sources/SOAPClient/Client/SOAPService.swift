// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// A service with its operations as methods; generated code conforms.
public protocol SOAPService: Sendable {
    /// Where the description says that the service is.
    static var ports: [SOAPPort] { get }
    /// What calls the operations.
    var client: SOAPClient { get set }
    /// A service whose operations a client calls.
    init(client: SOAPClient)
}

extension SOAPService {
    /// Makes a service that is called through a session.
    ///
    /// - Parameters:
    ///   - session: The client that sends the requests.
    ///   - endpoint: The URL; the port's by default. A call throws ``SOAPClientError/noEndpoint(operation:)`` where neither is known.
    ///   - port: One of the service's ports; the first one by default.
    ///   - signer: What adds security to each request.
    ///   - verifier: What checks the security of each response.
    public init(
        session: any Client, endpoint: String? = nil, port: SOAPPort? = nil, signer: SOAPSigner? = nil,
        verifier: SOAPVerifier? = nil
    ) {
        let port = port ?? Self.ports.first
        var client = SOAPClient(
            session: session, endpoint: endpoint ?? port?.endpoint ?? "", version: port?.version ?? .soap11)
        (client.signer, client.verifier) = (signer, verifier)
        self.init(client: client)
    }
}
