// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport
import HTTPTypes
import NIOCore

/// One request and the head of its response.
extension Transaction {
    /// Sends the request; where that fails, the lease has ended.
    func send(_ fields: HTTPFields, over lease: ConnectionLease) async throws -> Response {
        do {
            return try await exchange(fields, over: lease)
        } catch {
            lease.retire()
            throw error
        }
    }

    private func exchange(_ fields: HTTPFields, over lease: ConnectionLease) async throws -> Response {
        let connection = lease.connection
        hasSpokenHTTP2 = connection.isMultiplexed
        var head = try await head(fields, over: connection)
        if isConnection(.exchanging), connection.isMultiplexed { throw HTTP1Required() }
        if let binding = originAuthentication.machine.binding { connection.amend { $0.originBinding = binding } }
        if let binding = forwardingAuthentication?.machine.binding { connection.amend { $0.proxyBinding = binding } }
        // The next message of a scheme that authenticates connections needs the same connection.
        let holdsConnection = isConnection(.exchanging)
        self.lease = holdsConnection ? lease : nil
        let body = withholdsBody ? nil : request.body
        let waits = body != nil && expectsContinue
        if waits {
            head.headerFields[.expect] = "100-continue"
        } else if head.headerFields.expectsContinue {
            // Nothing is sent that could wait for the server's word (RFC 9110 section 10.1.1).
            head.headerFields[.expect] = nil
        }
        let recorder = ExchangeRecorder(head, to: url, body: body, over: connection, core: core)
        let ending: ConnectionLease.Ending =
            holdsConnection ? .hold : request.authenticatesConnection ? .retire : .release
        let completion: (@Sendable () -> Void)? = recorder.map { recorder in { @Sendable in recorder.end() } }
        let response: HTTPExchange.Response
        do {
            response = try await lease.send(
                head, body: body?.outgoing, options: options(waits: waits), ending: ending, completion: completion)
        } catch {
            let error = SessionError.translated(error)
            recorder?.fail(error)
            throw error
        }
        recorder?.respond(response.head)
        return Response(
            status: response.head.status, headerFields: response.head.headerFields, url: url.description,
            sharedReport: connection.sharedReport, body: ResponseBody(response.body))
    }

    private func options(waits: Bool) -> HTTPConnection.ExchangeOptions {
        HTTPConnection.ExchangeOptions(
            isAbsoluteForm: route.usesAbsoluteForm, continueTimeout: waits ? core.configuration.continueTimeout : nil,
            limits: .init(response: core.configuration.responseTimeout.map(TimeAmount.init), deadline: context.deadline)
        )
    }

    /// Whether what is sent now is only the first message of an exchange, so that the body would be sent for nothing.
    var withholdsBody: Bool {
        request.body != nil
            && (originAuthentication.machine.withholdsBody || forwardingAuthentication?.machine.withholdsBody == true)
    }

    private func head(_ fields: HTTPFields, over connection: HTTPConnection) async throws -> HTTPRequest {
        var head = HTTPRequest(
            method: request.method, scheme: url.scheme.rawValue, authority: url.authority, path: url.target,
            headerFields: fields)
        // Room for what follows here.
        head.headerFields.reserveCapacity(fields.count + 5)
        head.headerFields.complete(.userAgent, "countersign")
        head.headerFields.complete(.accept, "*/*")
        head.headerFields.describeContent(
            of: request, decodes: core.configuration.decodesContent,
            asksForCompression: core.configuration.asksForCompression)
        // What is for the proxy never reaches an origin, be it through a tunnel (CVE-2003-1605).
        head.headerFields.remove(.proxyAuthorization)
        if !connection.isMultiplexed { head.headerFields.joinCookies() }
        if let proxy = route.proxy, route.usesAbsoluteForm {
            // The path alone, as browsers and curl send it: proxies compare nothing else.
            let facts = facts(host: proxy.endpoint, channelBinding: connection.channelBinding)
            let value = try await proxyAuthentication?.authorization(for: facts, over: connection.proxyBinding)
            head.headerFields[.proxyAuthorization] = value
        }
        if head.headerFields[.authorization] == nil {
            let facts = facts(
                host: url.endpoint, channelBinding: url.scheme == .https ? connection.channelBinding : nil)
            // Two exchanges at once would each mistake the other's messages for its own.
            let mayExchange = forwardingAuthentication?.machine.progress != .exchanging
            if let value = try await originAuthentication.authorization(
                for: facts, over: connection.originBinding, mayExchange: mayExchange)
            {
                head.headerFields[.authorization] = value
            }
        }
        return head
    }

    private func facts(host: Endpoint, channelBinding: ChannelBinding?) -> RequestFacts {
        RequestFacts(
            method: request.method.rawValue, target: url.target,
            body: request.body.map(\.bytes) ?? [], host: host.host.description, channelBinding: channelBinding)
    }
}

extension Request {
    /// Whether an answer that the user wrote makes the connection the user's, of whom nothing is known here.
    var authenticatesConnection: Bool {
        guard let value = headerFields[.authorization] else { return false }
        return AuthenticationMethod(String(value.prefix { $0 != " " })).isConnectionBound
    }
}
