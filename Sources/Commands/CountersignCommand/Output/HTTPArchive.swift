// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import HTTPTypes

/// A recording of exchanges in the form that browsers write and read: HTTP Archive 1.2.
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
        /// In milliseconds, as all times are.
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
        /// -1 where it is not known, as everywhere here.
        let bodySize: Int
    }

    struct Response: Encodable {
        /// 0 where no response came.
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

    /// The trace tells nothing about caches; the format requires the object.
    struct Cache: Encodable {}

    /// -1 where a stage was not gone through, or is not known.
    struct Timings: Encodable {
        let blocked = -1.0
        let dns: Double
        /// TLS included, as the form has it, and the way through a proxy, whose own exchanges are entries beside.
        let connect: Double
        /// It is within `wait`.
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

/// Makes the recording of one request, with every round and redirect, from what its session reported.
struct ExchangeTrace {
    let method: HTTPRequest.Method
    let url: String
    let clock: WallClock

    /// - Parameters:
    ///   - events: In order.
    ///   - failure: What the request came to, where it came to nothing.
    ///   - received: The length of the body that was delivered, in bytes.
    /// - Returns: An entry for each exchange, and one for what had no connection to go over.
    func archive(of events: [SessionEvent], failure: Failure?, received: Int?) -> HTTPArchive {
        var entries: [HTTPArchive.Entry] = []
        // What has had no answer yet, and whether anything was sent there.
        var (place, isTried) = (url, false)
        let last = events.lastIndex { if case .exchanged = $0 { true } else { false } }
        for (index, event) in events.enumerated() {
            switch event {
            case .exchanged(let report):
                entries.append(clock.entry(report, received: index == last ? received : nil))
                // A tunnel is only the way there.
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

    /// What a request is recorded as that had no connection to go over.
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
