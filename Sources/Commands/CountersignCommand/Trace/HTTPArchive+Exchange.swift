// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import HTTPTypes

extension WallClock {
    func entry(_ report: ExchangeReport, received: Int?) -> HTTPArchive.Entry {
        let opening = report.isConnectionReused ? nil : report.connection.opening
        let timings = HTTPArchive.Timings(report, opening)
        return HTTPArchive.Entry(
            startedDateTime: text(opening?.start ?? report.start), time: timings.total,
            request: .init(report), response: HTTPArchive.Response(report, received: received), timings: timings,
            serverIPAddress: report.connection.proxy == nil ? report.connection.peerAddress : nil,
            connection: report.connection.localPort.map { String($0) },
            comment: report.failure.map { Failure($0).code })
    }
}

extension HTTPArchive.Request {
    init(_ report: ExchangeReport) {
        self.init(
            method: report.method.rawValue, url: report.url, httpVersion: report.connection.httpVersion.text,
            cookies: HTTPArchive.cookies(report.headerFields[values: .cookie].flatMap { $0.split(separator: ";") }),
            headers: HTTPArchive.headers(report.headerFields), queryString: HTTPArchive.queryString(of: report.url),
            bodySize: report.bodyLength ?? -1)
    }
}

extension HTTPArchive.Response {
    /// Where none came.
    static let none = Self(
        status: 0, statusText: "", httpVersion: "", cookies: [], headers: [],
        content: .init(size: 0, mimeType: "x-unknown"), redirectURL: "", bodySize: -1)

    init(_ report: ExchangeReport, received: Int?) {
        guard let response = report.response else {
            self = .none
            return
        }
        let fields = response.headerFields
        // What was delivered may have been decoded: on the wire it had another length.
        let length =
            report.method == .head
            ? 0 : fields[.contentLength].flatMap { Int($0) } ?? (fields[.contentEncoding] == nil ? received : nil)
        self.init(
            status: response.status.code, statusText: response.status.reasonPhrase,
            httpVersion: report.connection.httpVersion.text,
            cookies: HTTPArchive.cookies(fields[values: .setCookie].compactMap { $0.split(separator: ";").first }),
            headers: HTTPArchive.headers(fields),
            content: .init(size: received ?? length ?? 0, mimeType: fields[.contentType] ?? "x-unknown"),
            redirectURL: fields[.location] ?? "", bodySize: length ?? -1)
    }
}

extension HTTPArchive.Timings {
    init(_ report: ExchangeReport, _ opening: ConnectionOpening?) {
        let stages = opening.map {
            [$0.tcp, $0.proxy, $0.tls].compactMap(\.self).reduce(.zero, +) - ($0.lookup ?? .zero)
        }
        let responded = report.responded ?? report.end
        self.init(
            dns: opening?.lookup?.milliseconds ?? -1, connect: stages?.milliseconds ?? -1,
            wait: max((responded - report.start).milliseconds, 0),
            receive: max((report.end - responded).milliseconds, 0), ssl: opening?.tls?.milliseconds ?? -1)
    }

    var total: Double { ((max(dns, 0) + max(connect, 0) + send + wait + receive) * 1_000).rounded() / 1_000 }
}

extension HTTPArchive {
    static func headers(_ fields: HTTPFields) -> [NamedValue] {
        fields.map { NamedValue(name: $0.name.rawName, value: $0.value) }
    }

    static func cookies(_ pairs: [Substring]) -> [NamedValue] { pairs.map { named($0.drop { $0 == " " }) } }

    static func queryString(of url: String) -> [NamedValue] {
        guard let start = url.firstIndex(of: "?") else { return [] }
        return url[url.index(after: start)...].prefix { $0 != "#" }.split(separator: "&").map(named)
    }

    private static func named(_ pair: Substring) -> NamedValue {
        let name = pair.prefix { $0 != "=" }
        return NamedValue(name: String(name), value: String(pair[name.endIndex...].dropFirst()))
    }
}
