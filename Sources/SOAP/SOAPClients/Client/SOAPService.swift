// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import Countersign

/// A service with its operations as methods; generated services conform to it.
public protocol SOAPService: Sendable {
    /// The service's endpoints, in the order of its description.
    static var ports: [SOAPPort] { get }
    /// The client that calls the operations.
    var client: SOAPClient { get set }
    /// Creates a service with the client that calls its operations.
    init(client: SOAPClient)
}

extension SOAPService {
    /// Creates a service with the session that sends its requests.
    ///
    /// - Parameters:
    ///   - session: The HTTP client that sends the requests.
    ///   - endpoint: The URL; the port's by default. A call throws ``SOAPClientError/noEndpoint(operation:)`` if
    ///     neither is known.
    ///   - port: One of the service's ports; the first one by default.
    ///   - signer: The signer of each request; `nil`, the default, for none.
    ///   - verifier: The verifier of each response; `nil`, the default, for none.
    public init(
        session: any RequestSender, endpoint: String? = nil, port: SOAPPort? = nil, signer: SOAPSigner? = nil,
        verifier: SOAPVerifier? = nil
    ) {
        let port = port ?? Self.ports.first
        var client = SOAPClient(
            session: session, endpoint: endpoint ?? port?.endpoint ?? "", version: port?.version ?? .soap11)
        (client.signer, client.verifier) = (signer, verifier)
        self.init(client: client)
    }
}

/// A port of a service: its URL and its SOAP version (WSDL 1.1 section 2.6).
public struct SOAPPort: Hashable, Sendable {
    /// The port's name in the service description.
    public let name: String
    /// The URL; `nil` if the description contains none.
    public let endpoint: String?
    /// The SOAP version of the port's binding.
    public let version: SOAPVersion

    /// Creates a port with a name, a URL and a SOAP version.
    public init(_ name: String, endpoint: String? = nil, version: SOAPVersion) {
        (self.name, self.endpoint, self.version) = (name, endpoint, version)
    }
}
