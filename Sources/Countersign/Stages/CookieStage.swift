// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import HTTPTypes

/// Sends the cookies that a jar has for a URL, and keeps those that a response sets (RFC 6265 sections 5.3 and 5.4).
struct CookieStage: RequestStage {
    let jar: CookieJar

    func handle(_ request: PipelineRequest, next: NextStage) async throws -> PipelineResponse {
        var request = request
        jar.attach(to: &request.request.headerFields, for: request.url)
        let outcome = try await next(request)
        jar.receive(outcome.response, from: request.url)
        return outcome
    }
}

/// What is read from a response, and what is written to a request.
extension CookieJar {
    /// So many fields of one response are read: three times as many as a domain can have cookies.
    private static let fieldLimit = 3 * CookieStore.domainLimit

    /// Takes what a response sets, whatever its status; but a proxy's challenge is not the origin's word.
    func receive(_ response: Response, from url: HTTPURL) {
        guard response.status != .proxyAuthenticationRequired, response.headerFields.contains(.setCookie) else {
            return
        }
        let origin = CookieOrigin(url)
        for field in response.headerFields[values: .setCookie].prefix(Self.fieldLimit) {
            _ = receive(field, from: origin)
        }
    }

    /// Adds what is kept for a URL to what the user wrote, whose names are left to the user.
    func attach(to fields: inout HTTPFields, for url: HTTPURL) {
        let cookies = cookies(for: CookieOrigin(url))
        guard !cookies.isEmpty else { return }
        let own = fields[.cookie]
        let taken = Set(own.map(Self.names) ?? [])
        let added = cookies.filter { !taken.contains($0.name) }.map(\.pair)
        fields[.cookie] = ((own.map { [$0] } ?? []) + added).joined(separator: "; ")
    }

    private static func names(in field: String) -> [String] {
        field.split(separator: ";").compactMap { pair in
            pair.split(separator: "=", omittingEmptySubsequences: false).first
                .map { String($0.drop { $0 == " " }) }
        }
    }
}

extension Cookie {
    /// As it is written in a field.
    fileprivate var pair: String {
        name + "=" + value.withUnsafeBytes { String(decoding: $0, as: UTF8.self) }
    }
}

extension HTTPFields {
    /// Joins all fields `Cookie` to one, as HTTP/1.1 needs it (RFC 6265 section 5.4): servers read only the first line.
    ///
    /// ``ConnectionStage`` does so for HTTP/1.1 alone. HTTP/2 may split them (RFC 9113 section 8.2.3), and `HTTPFields` does so
    /// whenever a cookie is assigned.
    mutating func joinCookies() {
        let lines = self[values: .cookie]
        guard lines.count > 1 else { return }
        let pairs = lines.flatMap { $0.split(separator: ";") }.map(\.trimmed).filter { !$0.isEmpty }
        self[values: .cookie] = [pairs.joined(separator: "; ")]
    }
}
