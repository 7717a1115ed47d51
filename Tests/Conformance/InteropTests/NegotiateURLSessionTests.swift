// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate && canImport(FoundationNetworking)
    import Countersign
    import CountersignURLProtocol
    import Foundation
    import FoundationNetworking
    import Negotiate
    import Testing

    /// Tests of `URLSession` over a session with Apache's mod_auth_gssapi and an MIT KDC.
    @Suite(.kerberos) struct NegotiateURLSessionTests {
        @Test(
            "Apache accepts a ticket that was obtained by the delegate's password",
            arguments: [Apache.Server.kerberos, .kerberosBound, .kerberosTLS])
        func password(server: Apache.Server) async throws {
            let apache = try Apache()
            let password = try apache.value("kerberosPassword")
            let url = try #require(URL(string: apache.url(server, "/kerberos/page.txt")))
            try await apache.withSession(authenticators: [.negotiate: HTTPNegotiateAuthenticator.factory()]) {
                session in
                let configuration = URLSessionConfiguration.ephemeral
                configuration.protocolClasses = [DelegateProtocol.self]
                let delegate = PasswordDelegate(session, user: "alice", password)
                let urlSession = URLSession(configuration: configuration, delegate: delegate, delegateQueue: nil)
                let (body, response) = try await urlSession.data(from: url)
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
                #expect(String(decoding: body, as: UTF8.self) == "served for a ticket\n")
                urlSession.invalidateAndCancel()
            }
        }
    }

    /// A protocol whose session is that of the delegate.
    private final class DelegateProtocol: SessionURLProtocol {
        override static func session(for task: URLSessionTask) throws -> HTTPSession {
            guard let delegate = task.delegate as? PasswordDelegate else { return try super.session(for: task) }
            return delegate.session
        }
    }

    /// A delegate that answers Negotiate with a user and a password.
    private final class PasswordDelegate: NSObject, URLSessionTaskDelegate {
        let session: HTTPSession
        private let credential: URLCredential

        init(_ session: HTTPSession, user: String, _ password: String) {
            self.session = session
            credential = URLCredential(user: user, password: password, persistence: .forSession)
        }

        func urlSession(
            _ session: URLSession, task: URLSessionTask, didReceive challenge: URLAuthenticationChallenge,
            completionHandler: @escaping @Sendable (URLSession.AuthChallengeDisposition, URLCredential?) -> Void
        ) {
            let isNegotiate = challenge.protectionSpace.authenticationMethod == NSURLAuthenticationMethodNegotiate
            completionHandler(isNegotiate ? .useCredential : .rejectProtectionSpace, credential)
        }
    }
#endif
