// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSession
import CommandSupport
import Countersign
import HTTPTypes

/// A recording of exchanges in the format that browsers write and read: HTTP Archive 1.2.
struct HTTPArchive: Encodable {
    struct Log: Encodable {
        let version = "1.2"
        let creator: Creator
        let entries: [Entry]
        let comment: String?
    }

    struct Creator: Encodable {
        let name: String
        let version: String
    }

    struct Entry: Encodable {
        let startedDateTime: String
        /// The total time in milliseconds, like all times in the archive.
        let time: Double
        let request: Request
        let response: Response
        let cache = Cache()
        let timings: Timings
        let serverIPAddress: String?
        let connection: String?
        let comment: String?
    }

    struct Request: Encodable {
        let method: String
        let url: String
        let httpVersion: String
        let cookies: [NamedValue]
        let headers: [NamedValue]
        let queryString: [NamedValue]
        let headersSize = -1
        /// The body size; -1, as in other properties, if it is not known.
        let bodySize: Int
    }

    struct Response: Encodable {
        /// The status; 0 if no response came.
        let status: Int
        let statusText: String
        let httpVersion: String
        let cookies: [NamedValue]
        let headers: [NamedValue]
        let content: Content
        let redirectURL: String
        let headersSize = -1
        let bodySize: Int
    }

    struct Content: Encodable {
        let size: Int
        let mimeType: String
    }

    struct NamedValue: Encodable {
        let name: String
        let value: String
    }

    /// The cache details, which are always empty; the format requires the object.
    struct Cache: Encodable {}

    /// The times of the stages; -1 if a stage did not occur or is not known.
    struct Timings: Encodable {
        let blocked = -1.0
        let dns: Double
        /// The time to connect, which includes TLS, as the format requires, and the proxy, whose own exchanges are
        /// separate entries.
        let connect: Double
        /// The time to send the request, which is part of `wait`.
        let send = 0.0
        let wait: Double
        let receive: Double
        let ssl: Double
    }

    let log: Log
}

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
    /// The value for a missing response.
    static let none = Self(
        status: 0, statusText: "", httpVersion: "", cookies: [], headers: [],
        content: .init(size: 0, mimeType: "x-unknown"), redirectURL: "", bodySize: -1)

    init(_ report: ExchangeReport, received: Int?) {
        guard let response = report.response else {
            self = .none
            return
        }
        let fields = response.headerFields
        // The delivered body may have been decoded, so its length may differ from that on the wire.
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

/// Creates the recording of one request, with every round and redirect, from the session's events.
struct ExchangeTrace {
    let method: HTTPRequest.Method
    let url: String
    let clock: WallClock

    /// - Parameters:
    ///   - events: The events, in order.
    ///   - failure: The failure of the request, if it failed.
    ///   - received: The length of the delivered body, in bytes.
    /// - Returns: An entry for each exchange, and one for a request without a connection.
    func archive(of events: [SessionEvent], failure: Failure?, received: Int?) -> HTTPArchive {
        var entries: [HTTPArchive.Entry] = []
        // The URL that has no response yet, and whether a request was sent to it.
        var (place, isTried) = (url, false)
        let last = events.lastIndex { if case .exchanged = $0.kind { true } else { false } }
        for (index, event) in events.enumerated() {
            switch event.kind {
            case .exchanged(let report):
                entries.append(clock.entry(report, received: index == last ? received : nil))
                // A CONNECT request only opens the tunnel.
                if report.method != .connect { isTried = true }
            case .redirected(_, let destination):
                (place, isTried) = (destination, false)
            default:
                break
            }
        }
        if let failure, !isTried { entries.append(untried(place, isFirst: entries.isEmpty, failure)) }
        return HTTPArchive(
            log: .init(
                creator: .init(name: "countersign", version: CommandVersion.current),
                entries: entries, comment: failure.map { "\($0.code): \($0.message)" }))
    }

    /// Returns the entry for a request that had no connection.
    private func untried(_ place: String, isFirst: Bool, _ failure: Failure) -> HTTPArchive.Entry {
        let time = max((ContinuousClock.now - clock.start).milliseconds, 0)
        return HTTPArchive.Entry(
            startedDateTime: clock.text(isFirst ? clock.start : .now), time: isFirst ? time : 0,
            request: .init(
                method: method.rawValue, url: Redaction.url(place), httpVersion: "", cookies: [], headers: [],
                queryString: HTTPArchive.queryString(of: Redaction.url(place)), bodySize: -1),
            response: .none,
            timings: .init(dns: -1, connect: isFirst ? time : -1, wait: 0, receive: 0, ssl: -1), serverIPAddress: nil,
            connection: nil, comment: failure.code)
    }
}
