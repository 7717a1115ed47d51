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
    /// The connection that is being authenticated, where one is.
    private var custody: ConnectionCustody?
    private var expectsContinue: Bool

    /// - Throws: ``SessionError/plainHTTPForbidden(_:)``, ``SessionError/tlsVersionsExcluded(_:minimum:)``.
    init(_ request: Request, to url: HTTPURL, core: SessionCore) throws(SessionError) {
        self.core = core
        self.request = request
        self.url = url
        let isAsked = request.headerFields[.expect]?.lowercased() == "100-continue"
        expectsContinue = request.body.map { $0.awaitsContinue || isAsked } ?? false
        let configuration = core.configuration
        route = try Route(to: url, under: configuration, overriding: request.trust)
        originRounds = AuthenticationRounds(
            asker: Asker(origin: url), core: core, own: request.ownCredential, target: url.target)
        proxyRounds = configuration.proxy.map {
            AuthenticationRounds(asker: Asker(proxy: $0), core: core, own: $0.ownCredential, target: url.target)
        }
    }

    /// The method by which the origin accepted the request's own credential, if it did.
    var acceptedOwnMethod: AuthenticationMethod? { originRounds.acceptedOwnMethod }

    /// Sends the request until its response is no challenge that anyone answers.
    mutating func perform() async throws -> Response {
        do {
            while true {
                guard !core.pool.isClosed else { throw SessionError.sessionClosed }
                guard var response = try await sendUnlessRenegotiated() else { continue }
                // What was sent only as the first message of an exchange, and let through nevertheless, lacked its body.
                let lacksBody = withholdsBody && response.status.kind == .successful
                let isToBeSentAgain = try await answerChallenge(of: &response)
                guard isToBeSentAgain || lacksBody else {
                    settleCustody(isDelivered: true)
                    await originRounds.keepAccepted()
                    await proxyRounds?.keepAccepted()
                    return response
                }
                try await response.body.discard(
                    upTo: custody == nil ? ResponseBody.discardLimit : ResponseBody.challengeLimit)
                settleCustody(isDelivered: false)
                guard request.body?.isAvailable ?? true else {
                    throw SessionError.bodyNotRepeatable(url.description)
                }
            }
        } catch {
            custody?.connection.channel.close(promise: nil)
            throw error
        }
    }

    /// Decides on a connection that one credential authenticates, once its server has.
    private mutating func settleCustody(isDelivered: Bool) {
        guard let custody else { return }
        let progress = [originRounds.progress, proxyRounds?.progress ?? .none]
        if progress.contains(.refused) || isDelivered && progress.contains(.exchanging) {
            custody.dismiss()
        } else if !progress.contains(.exchanging) {
            custody.letGo()
        } else {
            return
        }
        self.custody = nil
    }

    /// - Returns: Whether the request is to be sent again.
    private mutating func answerChallenge(of response: inout Response) async throws -> Bool {
        // Through a tunnel nothing that arrives is the proxy's.
        let proxyFields = route.usesAbsoluteForm ? response.headerFields : [:]
        switch response.status {
        case .proxyAuthenticationRequired where proxyRounds != nil && route.usesAbsoluteForm:
            originRounds.restart()
            if try await proxyRounds?.receive(response.headerFields) == true { return true }
            throw SessionError.proxyAuthenticationRequired(
                proxyRounds?.asker.endpoint ?? url.endpoint, proxyRounds?.offeredMethods ?? [])
        case .unauthorized where request.headerFields[.authorization] == nil:
            let body = try await readCheckedBody(of: &response, proxyFields: proxyFields, originFields: [:])
            try proxyRounds?.accept(proxyFields, body: body)
            return try await originRounds.receive(response.headerFields)
        case .expectationFailed where expectsContinue && request.body?.isAvailable == true:
            expectsContinue = false
            return true
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
        if let held = custody {
            custody = nil
            guard held.isReady, held.connection.channel.isActive else { throw interruption }
            do {
                return try await send(over: held.connection)
            } catch SessionError.connectionLost {
                throw interruption
            }
        }
        if identityInAdvance == nil, let pooled = core.pool.take(for: route, fitness: { fitness(of: $0) }) {
            do {
                return try await send(over: pooled)
            } catch SessionError.connectionLost where isRepeatable {
                // It was closed while idle; say nothing and open another.
                custody = nil
                originRounds.restart()
                proxyRounds?.restart()
            }
        }
        return try await send(over: connect())
    }

    private var isRepeatable: Bool { request.method.isIdempotent && request.body?.isAvailable ?? true }

    private var interruption: any Error {
        let binding = originRounds.binding ?? proxyRounds?.binding
        return binding.map { SessionError.authenticationInterrupted($0.space) }
            ?? SessionError.connectionLost(url.endpoint, .request)
    }

    private mutating func connect() async throws -> HTTPConnection {
        try await Connector(core: core, route: route, identityInAdvance: identityInAdvance)
            .connect(proxyRounds: &proxyRounds)
    }

    private mutating func send(over connection: HTTPConnection) async throws -> Response {
        var head = try await head(over: connection)
        let (pool, route) = (core.pool, route)
        var connection = connection
        if let binding = originRounds.binding { connection.admission.originBinding = binding }
        if route.usesAbsoluteForm, let binding = proxyRounds?.binding { connection.admission.proxyBinding = binding }
        let shared = connection
        let custody =
            originRounds.binding == nil && (!route.usesAbsoluteForm || proxyRounds?.binding == nil)
            ? nil : ConnectionCustody(of: shared) { pool.put(shared, for: route) }
        self.custody = custody
        let body = withholdsBody ? nil : request.body
        let waits = body != nil && expectsContinue
        if waits {
            head.headerFields[.expect] = "100-continue"
        } else if head.headerFields[.expect]?.lowercased() == "100-continue" {
            // Nothing is sent that could wait for the server's word (RFC 9110 section 10.1.1).
            head.headerFields[.expect] = nil
        }
        let response = try await shared.exchange(
            head, absoluteForm: route.usesAbsoluteForm, body: body,
            continueTimeout: waits ? core.configuration.continueTimeout : nil
        ) { isReusable in
            if let custody {
                custody.end(isReusable: isReusable)
            } else if isReusable {
                pool.put(shared, for: route)
            }
        }
        return Response(
            status: response.head.status, headerFields: response.head.headerFields, url: url.description,
            connection: connection.report, body: ResponseBody(stream: response.body))
    }

    /// Whether what is sent now is only the first message of an exchange, so that the body would be sent for nothing.
    private var withholdsBody: Bool {
        request.body != nil
            && (originRounds.withholdsBody || route.usesAbsoluteForm && proxyRounds?.withholdsBody == true)
    }

    private mutating func head(over connection: HTTPConnection) async throws -> HTTPRequest {
        var head = HTTPRequest(
            method: request.method, scheme: url.scheme.rawValue, authority: url.authority, path: url.target,
            headerFields: request.headerFields)
        if head.headerFields[.userAgent] == nil { head.headerFields[.userAgent] = "countersign" }
        if head.headerFields[.accept] == nil { head.headerFields[.accept] = "*/*" }
        if head.headerFields[.authorization] == nil {
            let facts = facts(
                host: url.endpoint, channelBinding: url.scheme == .https ? connection.channelBinding : nil)
            head.headerFields[.authorization] = try await originRounds.authorization(
                for: facts, over: connection.admission.originBinding)
        }
        // What is for the proxy never reaches an origin, be it through a tunnel (CVE-2003-1605).
        head.headerFields[.proxyAuthorization] = nil
        if let proxy = route.proxy, route.usesAbsoluteForm {
            // The path alone, as browsers and curl send it: proxies compare nothing else.
            let facts = facts(host: proxy.endpoint, channelBinding: connection.channelBinding)
            let answer = try await proxyRounds?.authorization(for: facts, over: connection.admission.proxyBinding)
            head.headerFields[.proxyAuthorization] = answer
        }
        return head
    }

    private func facts(host: Endpoint, channelBinding: ChannelBinding?) -> RequestFacts {
        RequestFacts(
            method: request.method.rawValue, target: url.target,
            body: request.body.map(\.bytes) ?? [], host: host.host.description, channelBinding: channelBinding)
    }

    /// Whether the answers that opened a connection are still those that would be given, and whose it is.
    private func fitness(of admission: HTTPConnection.Admission) -> ConnectionPool.Fitness {
        guard isAdmissible(admission) else { return .outdated }
        let bindings = [
            (admission.originBinding, originRounds as AuthenticationRounds?), (admission.proxyBinding, proxyRounds),
        ]
        var isAuthenticated = false
        for case (let binding?, let rounds) in bindings {
            guard let rounds, rounds.mayUse(binding) else {
                return core.memory.credential(in: binding.space, own: binding.own) == binding.credential
                    ? .foreign : .outdated
            }
            // A request that brings its own answer is nobody's.
            if binding.space.role == .origin, request.headerFields[.authorization] != nil { return .foreign }
            isAuthenticated = true
        }
        return isAuthenticated ? .authenticated : .usable
    }

    /// Whether the answers that opened a connection are still those that would be given.
    private func isAdmissible(_ admission: HTTPConnection.Admission) -> Bool {
        if let identity = admission.identity, core.memory.identity(in: tlsSpace(.clientCertificate)) != identity {
            return false
        }
        guard let proxy = route.proxy else { return true }
        let asked = tlsSpace(.clientCertificate, of: proxy.endpoint, role: .proxy)
        if let identity = admission.proxyIdentity, core.memory.identity(in: asked) != identity { return false }
        guard route.usesTunnel else { return true }
        return admission.tunnel == core.memory.proxyCredential(Asker(proxy: proxy), own: proxy.credential)
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
