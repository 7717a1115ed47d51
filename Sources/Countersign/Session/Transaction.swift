// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import HTTPTypes
import NIOCore

/// One request to one URL, with every challenge that stands before its response.
struct Transaction {
    private let core: SessionCore
    private let request: Request
    private let url: HTTPURL
    private let route: Route
    private var originRounds: AuthenticationRounds
    private var proxyRounds: AuthenticationRounds?
    private var identityInAdvance: Credential?

    /// - Throws: ``SessionError/plainHTTPForbidden(_:)``, ``SessionError/tlsVersionsExcluded(_:minimum:)``.
    init(_ request: Request, to url: HTTPURL, core: SessionCore) throws(SessionError) {
        self.core = core
        self.request = request
        self.url = url
        let configuration = core.configuration
        route = try Route(to: url, under: configuration, overriding: request.trust)
        originRounds = AuthenticationRounds(asker: Asker(origin: url), core: core, target: url.target)
        proxyRounds = configuration.proxy.map {
            AuthenticationRounds(asker: Asker(proxy: $0), core: core, target: url.target)
        }
    }

    /// Sends the request until its response is no challenge that anyone answers.
    mutating func perform() async throws -> Response {
        while true {
            guard !core.pool.isClosed else { throw SessionError.sessionClosed }
            guard var response = try await sendUnlessRenegotiated() else { continue }
            guard try await answerChallenge(of: &response) else { return response }
            try await response.body.discard()
        }
    }

    /// - Returns: Whether the request is to be sent again.
    private mutating func answerChallenge(of response: inout Response) async throws -> Bool {
        // Through a tunnel nothing that arrives is the proxy's.
        let proxyFields = route.usesAbsoluteForm ? response.headerFields : [:]
        switch response.status {
        case .proxyAuthenticationRequired where proxyRounds != nil && route.usesAbsoluteForm:
            if try await proxyRounds?.receive(response.headerFields) == true { return true }
            throw SessionError.proxyAuthenticationRequired(
                proxyRounds?.asker.endpoint ?? url.endpoint, proxyRounds?.offeredMethods ?? [])
        case .unauthorized where request.headerFields[.authorization] == nil:
            let body = try await readCheckedBody(of: &response, proxyFields: proxyFields, originFields: [:])
            try proxyRounds?.accept(proxyFields, body: body)
            return try await originRounds.receive(response.headerFields)
        default:
            let fields = response.headerFields
            let body = try await readCheckedBody(of: &response, proxyFields: proxyFields, originFields: fields)
            try proxyRounds?.accept(proxyFields, body: body)
            try originRounds.accept(fields, body: body)
            return false
        }
    }

    /// Largest body that is read before it is delivered, because its server vouches for it (`auth-int`), in bytes.
    private static let checkedBodyLimit = 16 << 20

    private func readCheckedBody(
        of response: inout Response, proxyFields: HTTPFields, originFields: HTTPFields
    ) async throws -> [UInt8]? {
        guard originRounds.checksBody(with: originFields) || proxyRounds?.checksBody(with: proxyFields) == true
        else { return nil }
        let content = try await response.body.collect(upTo: Self.checkedBodyLimit)
        response = response.replacingBody(with: content)
        return Array(content.readableBytesView)
    }

    /// Sends the request; where the server interrupts it to ask for a certificate, finds one for the next try.
    ///
    /// - Returns: `nil` where the request is to be sent again.
    private mutating func sendUnlessRenegotiated() async throws -> Response? {
        do {
            let response = try await send()
            return try await PostHandshakeRefusal(endpoint: url.endpoint).check(response)
        } catch SessionError.renegotiationRequired(let endpoint) where identityInAdvance == nil {
            guard let trust = route.originTLS?.trust else { throw SessionError.renegotiationRequired(endpoint) }
            let decisions = TLSDecisions(core: core, endpoint: endpoint, role: .origin, policy: trust)
            // The request was encrypted under keys that are not for us to know.
            let request = CertificateRequest.whoseIssuersAreUnknown
            identityInAdvance = try await decisions.chooseIdentity(for: request)
            guard identityInAdvance != nil else { throw SessionError.clientCertificateRequired(endpoint, request) }
            return nil
        } catch SessionError.clientCertificateRefused(let endpoint, let request) {
            let space = tlsSpace(.clientCertificate)
            if let refused = core.memory.identity(in: space) { core.memory.forget(refused, in: space) }
            throw SessionError.clientCertificateRefused(endpoint, request)
        }
    }

    /// Sends the request once; a pooled connection that dies before its first byte is replaced (RFC 9112 section 9.3.1).
    private mutating func send() async throws -> Response {
        if identityInAdvance == nil, let pooled = core.pool.take(for: route, where: { isAdmissible($0) }) {
            do {
                return try await send(over: pooled)
            } catch SessionError.connectionLost where request.method.isIdempotent {
                // It was closed while idle; say nothing and open another.
            }
        }
        return try await send(over: connect())
    }

    private mutating func connect() async throws -> HTTPConnection {
        try await Connector(core: core, route: route, identityInAdvance: identityInAdvance)
            .connect(proxyRounds: &proxyRounds)
    }

    private mutating func send(over connection: HTTPConnection) async throws -> Response {
        let head = try head()
        let (pool, route) = (core.pool, route)
        let response = try await connection.exchange(
            head, absoluteForm: route.usesAbsoluteForm, body: request.body
        ) { isReusable in
            if isReusable { pool.put(connection, for: route) }
        }
        return Response(
            status: response.head.status, headerFields: response.head.headerFields, url: url.description,
            connection: connection.report, body: ResponseBody(stream: response.body))
    }

    private mutating func head() throws -> HTTPRequest {
        var head = HTTPRequest(
            method: request.method, scheme: url.scheme.rawValue, authority: url.authority, path: url.target,
            headerFields: request.headerFields)
        if head.headerFields[.userAgent] == nil { head.headerFields[.userAgent] = "countersign" }
        if head.headerFields[.accept] == nil { head.headerFields[.accept] = "*/*" }
        let facts = RequestFacts(method: head.method.rawValue, target: url.target, body: request.body ?? [])
        if head.headerFields[.authorization] == nil {
            head.headerFields[.authorization] = try originRounds.authorization(for: facts)
        }
        // What is for the proxy never reaches an origin, be it through a tunnel (CVE-2003-1605).
        head.headerFields[.proxyAuthorization] = nil
        if route.usesAbsoluteForm {
            // The path alone, as browsers and curl send it: proxies compare nothing else.
            let answer = try proxyRounds?.authorization(for: facts)
            head.headerFields[.proxyAuthorization] = answer
        }
        return head
    }

    /// Whether the answers that opened a connection are still those that would be given.
    private func isAdmissible(_ admission: HTTPConnection.Admission) -> Bool {
        if let identity = admission.identity, core.memory.identity(in: tlsSpace(.clientCertificate)) != identity {
            return false
        }
        guard let proxy = route.proxy else { return true }
        let asked = tlsSpace(.clientCertificate, of: proxy.endpoint, role: .proxy)
        if let identity = admission.proxyIdentity, core.memory.identity(in: asked) != identity { return false }
        guard route.scheme == .https else { return true }
        return admission.tunnel == core.memory.proxyCredential(Asker(proxy: proxy))
    }

    private func tlsSpace(
        _ method: AuthenticationMethod, of endpoint: Endpoint? = nil, role: ProtectionSpace.Role = .origin
    ) -> ProtectionSpace {
        let endpoint = endpoint ?? url.endpoint
        return ProtectionSpace(
            host: endpoint.host, port: endpoint.port, scheme: "https", realm: nil, method: method, role: role)
    }
}

extension HTTPRequest.Method {
    /// RFC 9110 section 9.2.2.
    fileprivate var isIdempotent: Bool {
        [.get, .head, .options, .trace, .put, .delete].contains(self)
    }
}
