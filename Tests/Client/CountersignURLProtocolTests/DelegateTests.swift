// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if canImport(FoundationNetworking)
    import ChallengeLab
    import Countersign
    import CountersignURLProtocol
    import Foundation
    import FoundationNetworking
    import Testing

    /// The challenges, redirects and cookies of servers, answered by the delegate of the URL session.
    @Suite struct DelegateTests {
        @Test(
            "The delegate answers the challenges of an origin",
            arguments: [
                (LabServer.Kind.basic, NSURLAuthenticationMethodHTTPBasic),
                (.digestMD5, NSURLAuthenticationMethodHTTPDigest), (.digestSHA256, NSURLAuthenticationMethodHTTPDigest),
                (.ntlm, NSURLAuthenticationMethodNTLM),
            ] as [(LabServer.Kind, String)])
        func challenge(kind: LabServer.Kind, method: String) async throws {
            let delegate = RecordingDelegate(credential: .lab)
            try await withURLSession([kind], delegate: delegate) { session, lab async throws in
                let url = try lab[kind].resource()
                let record = await delegate.run(session.dataTask(with: url))
                #expect(record.error == nil)
                #expect(record.response?.statusCode == 200)
                let space = try #require(record.challenges.first?.protectionSpace)
                #expect(space.authenticationMethod == method)
                #expect(space.host == "localhost" && space.port == url.port && !space.isProxy())
                // The session remembers the credential.
                #expect(try await (session.data(from: url).1 as? HTTPURLResponse)?.statusCode == 200)
                #expect(delegate.seen.challenges.count == 1)
            }
        }

        @Test(
            "The delegate of an async method answers before that of the URL session, which answers what it leaves",
            arguments: [true, false])
        func ownDelegate(hasCredential: Bool) async throws {
            let own = RecordingDelegate(credential: hasCredential ? .lab : nil)
            let other = RecordingDelegate(credential: hasCredential ? nil : .lab)
            try await withURLSession([.basic], delegate: other) { session, lab async throws in
                let response = try await session.data(from: lab[.basic].resource(), delegate: own).1
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
                #expect(own.seen.challenges.count == 1)
                #expect(other.seen.challenges.count == (hasCredential ? 0 : 1))
            }
        }

        @Test("A delegate that both have is asked once") func sharedDelegate() async throws {
            let delegate = RecordingDelegate()
            try await withURLSession([.basic], delegate: delegate) { session, lab async throws in
                let response = try await session.data(from: lab[.basic].resource(), delegate: delegate).1
                #expect((response as? HTTPURLResponse)?.statusCode == 401)
                #expect(delegate.seen.challenges.count == 1)
            }
        }

        @Test("A handler of the session answers before the delegate") func sessionHandler() async throws {
            let delegate = RecordingDelegate(credential: URLCredential(user: "x", password: "x", persistence: .none))
            let handler = ClosureHandler { _ in
                .use(.password(user: Lab.credentials.user, password: Secret(Lab.credentials.password)))
            }
            try await withURLSession([.ntlm], handlers: [.ntlm: handler], delegate: delegate) {
                session, lab async throws in
                let record = await delegate.run(session.dataTask(with: try lab[.ntlm].resource()))
                #expect(record.response?.statusCode == 200)
                #expect(record.challenges.isEmpty)
            }
        }

        @Test("Without a delegate, the stored credential of the URL session is used") func storedCredential()
            async throws
        {
            let storage = URLCredentialStorage.shared
            try await withURLSession([.basic], configure: { $0.urlCredentialStorage = storage }) {
                session, lab async throws in
                let url = try lab[.basic].resource()
                #expect(try await (session.data(from: url).1 as? HTTPURLResponse)?.statusCode == 401)
                let space = URLProtectionSpace(
                    host: "localhost", port: url.port ?? 0, protocol: url.scheme, realm: "Countersign lab",
                    authenticationMethod: NSURLAuthenticationMethodHTTPBasic)
                storage.setDefaultCredential(.lab, for: space)
                #expect(try await (session.data(from: url).1 as? HTTPURLResponse)?.statusCode == 200)
                #expect(!storage.allCredentials.isEmpty)
                storage.remove(.lab, for: space)
            }
        }

        /// Foundation sends such a request again by its own protocol: it then has neither the trust nor the proxy of the
        /// session, and an answer to a `Basic` challenge.
        @Test("A 401 that remains is delivered, and Foundation itself never answers it", arguments: [false, true])
        func rejection(isWrong: Bool) async throws {
            let wrong = URLCredential(user: "mary", password: "wrong", persistence: .forSession)
            let delegate = RecordingDelegate(credential: isWrong ? wrong : nil)
            let server = try await ScriptedServer.start { _ in
                .init(.unauthorized, [.wwwAuthenticate: "Basic realm=\"a\""], body: "No.")
            }
            try await withURLSession(to: server, delegate: delegate) { session, url async throws in
                let record = await delegate.run(session.dataTask(with: url))
                #expect(record.response?.statusCode == 401)
                #expect(record.body == Data("No.".utf8))
                #expect(server.requestCount == (isWrong ? 2 : 1))
                #expect(record.challenges.count == (isWrong ? 2 : 1))
            }
        }

        @Test("A 401 keeps a challenge for a token, which programs answer themselves") func bearer() async throws {
            try await withURLSession([.bearer]) { session, lab async throws in
                let response = try await session.data(from: lab[.bearer].resource()).1 as? HTTPURLResponse
                #expect(response?.statusCode == 401)
                #expect(response?.value(forHTTPHeaderField: "WWW-Authenticate")?.hasPrefix("Bearer") == true)
            }
        }

        @Test("A delegate that cancels the challenge cancels the task") func cancelledChallenge() async throws {
            let delegate = RecordingDelegate(disposition: .cancelAuthenticationChallenge)
            try await withURLSession([.digestSHA256], delegate: delegate) { session, lab async throws in
                let record = await delegate.run(session.dataTask(with: try lab[.digestSHA256].resource()))
                #expect(record.error?.code == .cancelled)
            }
        }

        @Test(
            "The delegate answers the challenges of a proxy that forwards or opens a tunnel",
            arguments: [LabServer.Kind.proxyOpen, .proxyBasic, .proxyDigest, .proxyTLS],
            [LabServer.Kind.plainHTTP, .goodHTTPS])
        func proxy(proxy: LabServer.Kind, origin: LabServer.Kind) async throws {
            let delegate = RecordingDelegate(credential: .lab)
            try await withURLSession(
                [proxy, origin], delegate: delegate, change: { $0.proxy = try Proxy($1[proxy].url) }
            ) { session, lab async throws in
                let record = await delegate.run(session.dataTask(with: try lab[origin].resource()))
                #expect(record.error == nil)
                #expect(record.response?.statusCode == 200)
                let isAsked = [LabServer.Kind.proxyBasic, .proxyDigest].contains(proxy)
                #expect(record.challenges.map { $0.protectionSpace.isProxy() } == (isAsked ? [true] : []))
            }
        }

        @Test("A proxy without an answer is an error") func unansweredProxy() async throws {
            try await withURLSession(
                [.proxyBasic, .goodHTTPS], change: { $0.proxy = try Proxy($1[.proxyBasic].url) }
            ) { session, lab async throws in
                let url = try lab[.goodHTTPS].resource()
                let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
                #expect(error?.code == .userAuthenticationRequired)
            }
        }

        @Test("The session presents a client certificate") func clientCertificate() async throws {
            try await withURLSession(
                [.clientCertificateRequired],
                change: { configuration, lab in
                    let identity = lab.clientIdentity
                    configuration.handlers = [.clientCertificate: .closure { _ in .use(.identity(identity)) }]
                }
            ) { session, lab async throws in
                let response = try await session.data(from: lab[.clientCertificateRequired].resource()).1
                #expect((response as? HTTPURLResponse)?.statusCode == 200)
            }
        }

        // MARK: Redirects

        @Test(
            "The delegate sees each redirect, and may refuse or change it", arguments: ["follow", "refuse", "change"])
        func redirect(reaction: String) async throws {
            let delegate = RecordingDelegate { request in
                switch reaction {
                case "refuse": return nil
                case "change":
                    var request = request
                    request.url = URL(string: "/echo", relativeTo: request.url)?.absoluteURL
                    request.setValue("1", forHTTPHeaderField: "X-Added")
                    return request
                default: return request
                }
            }
            try await withURLSession([.redirect], delegate: delegate) { session, lab async throws in
                let record = await delegate.run(session.dataTask(with: try lab[.redirect].resource()))
                #expect(record.error == nil)
                let paths = record.redirects.map { $0.url?.path }
                switch reaction {
                case "refuse":
                    #expect(record.response?.statusCode == 301)
                    #expect(paths == ["/moved/302"])
                case "change":
                    #expect(String(decoding: record.body, as: UTF8.self).contains("X-Added: 1\n"))
                    #expect(paths == ["/moved/302"])
                default:
                    #expect(record.response?.url?.path == "/hello")
                    #expect(paths == ["/moved/302", "/moved/303", "/moved/307", "/moved/308", "/hello"])
                }
            }
        }

        @Test(
            "Both the delegate of an async method and that of the URL session may refuse a redirect",
            arguments: [true, false])
        func ownRefusal(ownRefuses: Bool) async throws {
            let (refusing, allowing) = (RecordingDelegate { _ in nil }, RecordingDelegate())
            try await withURLSession([.redirect], delegate: ownRefuses ? allowing : refusing) {
                session, lab async throws in
                let response = try await session.data(
                    from: lab[.redirect].resource(), delegate: ownRefuses ? refusing : allowing
                ).1
                #expect((response as? HTTPURLResponse)?.statusCode == 301)
                #expect(refusing.seen.redirects.count == 1)
                #expect(allowing.seen.redirects.count == (ownRefuses ? 0 : 1))
            }
        }

        @Test("Neither a field with a credential nor a password follows a redirect to another origin")
        func strangers() async throws {
            let delegate = RecordingDelegate(credential: .lab)
            try await withURLSession([.redirectElsewhere, .goodHTTPS], delegate: delegate) {
                session, lab async throws in
                var request = URLRequest(url: try lab[.redirectElsewhere].resource())
                request.setValue("key", forHTTPHeaderField: "X-API-Key")
                let record = await delegate.run(session.dataTask(with: request))
                #expect(record.response?.url?.path == "/stranger")
                #expect(record.response?.url?.port == lab[.goodHTTPS].port)
                #expect(record.response?.statusCode == 200)
                #expect(record.redirects.first?.value(forHTTPHeaderField: "X-API-Key") == nil)
            }
        }

        @Test("A body follows a redirect with status 308") func redirectedBody() async throws {
            let server = try await ScriptedServer.start { request in
                request.head.path == "/" ? .init(.permanentRedirect, [.location: "/b"]) : .init(.ok, body: request.body)
            }
            let delegate = RecordingDelegate()
            try await withURLSession(to: server, delegate: delegate) { session, url async throws in
                var request = URLRequest(url: url)
                request.httpMethod = "POST"
                let record = await delegate.run(session.uploadTask(with: request, from: Data("body".utf8)))
                #expect(record.body == Data("body".utf8))
            }
        }

        @Test(
            "The session limits redirects",
            arguments: [
                (LabServer.Kind.endlessRedirect, URLError.Code.httpTooManyRedirects),
                (.redirectToPlainHTTP, .appTransportSecurityRequiresSecureConnection),
                (.redirectToFile, .redirectToNonExistentLocation),
            ] as [(LabServer.Kind, URLError.Code)])
        func limits(kind: LabServer.Kind, code: URLError.Code) async throws {
            try await withURLSession([kind, .plainHTTP]) { session, lab async throws in
                let url = try lab[kind].resource()
                let error = await #expect(throws: URLError.self) { try await session.data(from: url) }
                #expect(error?.code == code)
            }
        }

        @Test("The cookies of redirects are those of the URL session's storage") func cookies() async throws {
            try await withURLSession([.cookie]) { session, lab async throws in
                let url = try lab[.cookie].resource()
                #expect(try await (session.data(from: url).1 as? HTTPURLResponse)?.statusCode == 200)
                let wanted = try lab[.cookie].resource("/cookie/wanted")
                #expect(session.configuration.httpCookieStorage?.cookies(for: wanted)?.map(\.name) == ["lab"])
                #expect(try await (session.data(from: wanted).1 as? HTTPURLResponse)?.statusCode == 200)
            }
        }

        @Test(
            "A cookie that a redirect deletes is not sent again, and a program's own field is",
            arguments: [(isStored: true, sent: "none"), (false, "sid=secret")])
        func deletedCookie(isStored: Bool, sent: String) async throws {
            let server = try await ScriptedServer.start { request in
                guard request.head.path == "/" else {
                    return .init(.ok, body: request.head.headerFields[.cookie] ?? "none")
                }
                return .init(
                    .found,
                    [.location: "/b", .setCookie: "sid=x; Path=/; Expires=Thu, 01 Jan 1970 00:00:00 GMT"])
            }
            try await withURLSession(to: server) { session, url async throws in
                var request = URLRequest(url: url)
                if isStored {
                    let cookie = try #require(
                        HTTPCookie(properties: [.name: "sid", .value: "secret", .domain: "localhost", .path: "/"]))
                    session.configuration.httpCookieStorage?.setCookie(cookie)
                } else {
                    request.setValue("sid=secret", forHTTPHeaderField: "Cookie")
                }
                let body = try await session.data(for: request).0
                #expect(String(decoding: body, as: UTF8.self) == sent)
            }
        }
    }
#endif
