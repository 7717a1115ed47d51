// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

// The code of the article "From curl".

import CertificateTrust
import Countersign
import Foundation
import X509

func sending(_ session: HTTPSession, url: String, file: URL, bytes: [UInt8]) async throws {
    _ = try await session.get(url)
    _ = try await session.head(url)
    _ = try await session.delete(url)
    _ = try await session.download(url, to: file)
    _ = try await session.post(url, body: .form(["name": "M4", "size": "4"]))
    _ = try await session.post(url, body: .json(["name": "M4"]))
    _ = try await session.post(url, body: .bytes(bytes))
    _ = try await session.put(url, body: .file(file))
    _ = try await session.post(
        url, body: .multipart([.field("name", "M4"), .file("drawing", contentsOf: file)]))
    _ = try await session.get(url).expecting(.successful)
    _ = try await session.send(.get(url).query("q", "a b"))
    _ = try await session.send(.get(url).header(.accept, "text/csv"))
    _ = try await session.send(.get(url).host(try HostName("intranet.example")))
    _ = try await session.send(.get(url).basic(user: "mary", password: Secret("...")))
    _ = try await session.send(.get(url).credential(.password(user: "mary", password: Secret("..."))))
    _ = try await session.send(.get(url).bearer(Secret("...")))
    _ = try await session.send(.get(url).trust(TrustPolicy(validation: .dangerouslyDisabled)))
    var request = SessionRequest(url: url)
    request.sendsCredentialsAcrossRedirects = true
    print(try await session.send(request).text())
    request.totalTimeout = .seconds(30)
    _ = try await session.send(.get(url).header(.cookie, "name=value"))
    let transfer = session.beginDownload(request, to: file)
    for await progress in transfer.progress {
        print(progress.fraction ?? 0)
    }
    print(try await transfer.value.resumedFrom)
    let upload = try session.beginUpload(.put(url).body(.file(file)))
    _ = try await upload.value
}

func configuring(roots: [Certificate], identity: Identity, netrc: [UInt8]) throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.trust.anchors = .only(roots)
    configuration.trust.pins = [try Pin("sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA=")]
    configuration.handlers[.clientCertificate] = .identity(identity, host: "intranet.example")
    configuration.handlers[.basic] = .netrc(try NetrcFile(netrc))
    configuration.tlsVersions = .onlyTLS12
    configuration.connectTimeout = .seconds(5)
    configuration.handshakeTimeout = .seconds(5)
    configuration.redirectLimit = 5
    configuration.redirectLimit = 0
    configuration.allowsRedirectsToPlainHTTP = true
    configuration.asksForCompression = false
    configuration.decodesContent = false
    configuration.proxy = try Proxy("http://mary:secret@proxy.example:3128")
    configuration.addressFamily = .ipv6
    configuration.addressFamily = .ipv4
    let intranet = try HostEndpoint(of: "https://intranet.example")
    configuration.connectTargets[intranet] = .endpoint(try HostEndpoint(of: "https://127.0.0.1:8443"))
    configuration.connectTargets[intranet] = .endpoint(try HostEndpoint(of: "https://127.0.0.1"))
    configuration.connectTargets[intranet] = .unixSocket(URL(filePath: "/run/service.sock"))
    return HTTPSession(configuration)
}

func limiting(file: URL) throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.httpVersions = .onlyHTTP1
    configuration.httpVersions = .onlyHTTP2
    configuration.totalTimeout = .seconds(30)
    configuration.idleTimeout = .seconds(20)
    configuration.retries = .upTo(3)
    configuration.connectionLimits.perRoute = 8
    configuration.connectionLimits.keepAliveTimeout = .seconds(60)
    configuration.cookies = CookieJar()
    let jar = try CookieJar(contentsOf: file)
    configuration.cookies = jar
    try jar.save(to: file)
    return HTTPSession(configuration)
}

func goingThrough() throws -> HTTPSession {
    var configuration = HTTPSession.Configuration()
    configuration.proxy = try Proxy("socks5://mary:secret@proxy.example")
    var proxy = try Proxy("http://proxy.example:3128")
    proxy.tunneling = .everyOrigin
    configuration.proxies = try .every(proxy, except: "intranet.example")
    configuration.proxies = try .environment()
    return HTTPSession(configuration)
}
