// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import Countersign
import HTTPTypes
import NIOCore
import Secrets

/// Creates the request for one URL of an operation.
struct RequestPlanner {
    let planner: OperationPlanner
    let standardInput: [UInt8]

    private var operation: CurlOperation { planner.operation }

    /// - Parameters:
    ///   - url: A URL of the operation.
    ///   - upload: The content that `-T` specifies for it.
    ///   - netrc: The netrc file for commands without a user.
    /// - Returns: The request with its credential and body.
    /// - Throws: ``ReplayError``, `NetrcError`, or `HostNameError`.
    func request(for url: CurlURL, upload: CurlOperation.Upload?, netrc: NetrcFile?) throws -> SessionRequest {
        var target = url
        if case .file(let path) = upload, url.rest.isEmpty || url.rest.hasSuffix("/") {
            let name = path.split(separator: "/").last.map(String.init) ?? ""
            target = try CurlURL(url.text + (url.rest.isEmpty ? "/" : "") + name)
        }
        if operation.putsFormIntoQuery, let form = operation.form {
            target = try CurlURL(
                target.text + (target.rest.contains("?") ? "&" : "?") + String(decoding: form.bytes, as: UTF8.self))
        }
        var request = SessionRequest(url: target.bare)
        try addCredential(of: target, netrc, to: &request)
        addBody(upload, to: &request)
        addFields(to: &request)
        if operation.asksForHeadOnly { request.method = .head }
        if let method = operation.method.flatMap({ HTTPRequest.Method($0) }) { request.method = method }
        request.sendsCredentialsAcrossRedirects = operation.redirects == .trusted
        return request
    }

    private func addCredential(of url: CurlURL, _ netrc: NetrcFile?, to request: inout SessionRequest) throws {
        request.preemptiveMethod = OperationPlanner.preemptiveMethod(of: planner.originMethods)
        if let token = operation.bearerToken {
            request.credential = .token(Secret(token), persistence: planner.persistence(of: planner.originMethods))
            if operation.methods.isEmpty { request.preemptiveMethod = .bearer }
        } else if let user = operation.user {
            request.credential = password(of: user)
        } else if let known = try netrcCredential(for: url, in: netrc) {
            request.credential = known
        } else {
            // The session reads a user and password from the URL.
            request.url = url.text
        }
    }

    private func password(of user: UserInfo) -> Credential {
        .password(
            user: user.name, password: Secret(user.password ?? ""),
            persistence: planner.persistence(of: planner.originMethods))
    }

    /// Returns the file's credential for the host, and for a user in the URL if that has no password.
    private func netrcCredential(for url: CurlURL, in netrc: NetrcFile?) throws -> Credential? {
        guard let netrc else { return nil }
        if operation.netrc == .optional, url.user?.password != nil { return nil }
        let login = url.user?.name
        let found = netrc.credential(for: try HostName(url.host), login: login, usesDefault: true)
        guard case .password(let user, let password) = found?.kind else { return nil }
        return .password(user: user, password: password, persistence: planner.persistence(of: planner.originMethods))
    }

    private func addBody(_ upload: CurlOperation.Upload?, to request: inout SessionRequest) {
        switch upload {
        case .file(let path):
            request.method = .put
            request.body = .bytes(Array((planner.read(path) ?? []).dropFirst(operation.resumesAt ?? 0)))
        case .standardInput:
            request.method = .put
            let parts = [ByteBuffer(bytes: standardInput)]
            request.body = .oneShot(
                AsyncStream { continuation in
                    parts.forEach { continuation.yield($0) }
                    continuation.finish()
                })
        case nil:
            addForm(to: &request)
        }
    }

    private func addForm(to request: inout SessionRequest) {
        if !operation.multipart.isEmpty {
            let boundary = "------------------------curl-replay"
            let parts = operation.multipart.map { "--\(boundary)\r\n\r\n\($0)\r\n" }
            request.method = .post
            request.body = .bytes(Array((parts.joined() + "--\(boundary)--\r\n").utf8))
            request.headerFields[.contentType] = "multipart/form-data; boundary=\(boundary)"
        } else if let form = operation.form, !operation.putsFormIntoQuery {
            request.method = .post
            request.body = .bytes(form.bytes)
            request.headerFields[.contentType] = form.type
        }
    }

    private func addFields(to request: inout SessionRequest) {
        let cookies = operation.cookies.filter { $0.contains("=") }
        if !cookies.isEmpty { request.headerFields[.cookie] = cookies.joined(separator: "; ") }
        for line in operation.headerLines {
            // The session determines the framing and the host.
            guard let name = HTTPField.Name(line.name), name != .contentLength, line.name.lowercased() != "host" else {
                continue
            }
            if let value = line.value {
                if name == .contentType { request.headerFields[name] = nil }
                request.headerFields.append(HTTPField(name: name, value: value))
            } else {
                request.headerFields[name] = nil
            }
        }
    }
}
