// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSupport
import Countersign
import ErrorExplanations
import EssentialFoundation
import HTTPTypes
import NIOConcurrencyHelpers

/// The facts about a transfer that `--write-out` can print.
struct TransferMetrics: Sendable {
    /// The position on the command line, counted from 0.
    let number: Int
    /// The URL as typed on the command line.
    let url: String
    let method: HTTPRequest.Method
    let referer: String?
    let start: ContinuousClock.Instant
    let redirects: RedirectHistory
    /// Whether the values of secret URL parameters are printed; a user and a password are always hidden.
    var showsSecrets = false
    /// The number of connections that were opened for the transfer.
    var connectCount = 0
    var uploaded = 0
    /// The port to which `--connect-to` or a proxy leads; `nil` if it is the URL's.
    var targetPort: Int?
    var response: SessionResponse?
    /// The time at which the head of the response arrived.
    var responded: ContinuousClock.Instant?
    /// The number of body bytes that arrived, before decoding.
    var received = 0
    var path: String?
    var end = ContinuousClock.now
    var failure: Failure?
    var status = CommandStatus.done
}

/// The value of a variable: text is quoted in JSON, and a number is not.
enum WriteOutValue: Hashable, Sendable {
    case text(String)
    case number(Int)
    /// A duration, which is printed in seconds.
    case time(Duration)
    case none

    /// The printed value; empty if there is no value.
    var text: String {
        switch self {
        case .text(let text): text.printable
        case .number(let number): String(number)
        case .time(let time): Self.seconds(time)
        case .none: ""
        }
    }

    var json: String {
        switch self {
        case .text(let text): Self.quoted(text)
        case .number, .time: text
        case .none: "null"
        }
    }

    /// Returns the seconds with six decimals, as curl prints them.
    private static func seconds(_ time: Duration) -> String {
        let (seconds, attoseconds) = max(time, .zero).components
        let fraction = String(attoseconds / 1_000_000_000_000)
        return "\(seconds)." + String(repeating: "0", count: 6 - fraction.count) + fraction
    }

    static func quoted(_ text: String) -> String {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.withoutEscapingSlashes]
        return (try? encoder.encode(text)).map { String(decoding: $0, as: UTF8.self) } ?? "null"
    }
}

extension TransferMetrics {
    subscript(_ variable: WriteOutVariable) -> WriteOutValue {
        switch variable {
        case .contentType: text(response?.headerFields[.contentType])
        case .errorMessage: text(failure?.message)
        case .exitCode: .number(Int(status.rawValue))
        case .fileName: text(path)
        case .httpCode, .responseCode: .number(response?.status.code ?? 0)
        case .httpVersion: .text(httpVersion)
        case .localPort: .number(connection?.localPort ?? 0)
        case .method: .text((redirects.last?.method ?? method).rawValue)
        case .connectCount: .number(connectCount)
        case .fieldCount: .number(response?.headerFields.count ?? 0)
        case .redirectCount: .number(redirects.count)
        case .redirectURL: url(redirectURL)
        case .referer: url(referer)
        case .remoteAddress: text(connection?.peerAddress)
        case .remotePort: .number(connection.map { $0.proxy?.endpoint.port ?? targetPort ?? $0.endpoint.port } ?? 0)
        case .scheme: text(response.map { $0.url.lowercased().hasPrefix("https:") ? "HTTPS" : "HTTP" })
        case .downloadSize: .number(received)
        case .uploadSize: .number(uploaded)
        case .downloadSpeed: .number(speed(of: received))
        case .uploadSpeed: .number(speed(of: uploaded))
        case .verifyResult: .number(connection?.tls.map { $0.verdict.isTrusted ? 0 : 1 } ?? 0)
        case .url: url(url)
        case .effectiveURL: url(response?.url ?? redirects.last?.to ?? url)
        case .urlNumber: .number(number)
        case .appConnectTime, .connectTime, .nameLookupTime, .preTransferTime, .redirectTime, .startTransferTime,
            .totalTime:
            .time(time(variable) ?? .zero)
        }
    }

    private var connection: ConnectionReport? { response?.connection }

    private func text(_ text: String?) -> WriteOutValue { text.map { .text($0) } ?? .none }

    private func url(_ url: String?) -> WriteOutValue {
        text(url.map { EventLog.shown($0, showsSecrets: showsSecrets) })
    }

    private var httpVersion: String {
        guard let connection else { return "0" }
        return connection.httpVersion == .http2 ? "2" : "1.1"
    }

    /// The target of a redirect that was not followed.
    private var redirectURL: String? {
        guard let response, [301, 302, 303, 307, 308].contains(response.status.code),
            let location = response.headerFields[.location]
        else { return nil }
        return URL(string: location, relativeTo: URL(string: response.url))?.absoluteString
    }

    /// Returns the transfer rate in bytes per second.
    private func speed(of bytes: Int) -> Int {
        let seconds = (end - start) / .seconds(1)
        return seconds > 0 ? Int(min(Double(bytes) / seconds, 1e18)) : 0
    }

    // MARK: Times

    /// Returns the time since the start, or `nil` for a stage that the last request skipped, such as the opening of a
    /// reused connection.
    private func time(_ variable: WriteOutVariable) -> Duration? {
        switch variable {
        case .redirectTime: redirects.lastTime.map { $0 - start }
        case .startTransferTime: responded.map { $0 - start }
        case .totalTime: end - start
        case .nameLookupTime: opening.map { $0.start - start + ($0.lookup ?? .zero) }
        case .connectTime: opening.map { $0.start - start + ($0.tcp ?? .zero) }
        case .appConnectTime: connection?.tls == nil ? nil : ready
        case .preTransferTime: ready ?? redirects.lastTime.map { $0 - start }
        default: nil
        }
    }

    /// The opening of the connection; `nil` if it was open before.
    private var opening: ConnectionOpening? {
        connection.flatMap { $0.opening.start >= start ? $0.opening : nil }
    }

    /// The time until the connection was ready for a request.
    private var ready: Duration? {
        opening.map { opening in
            [opening.tcp, opening.proxy, opening.tls].compactMap(\.self).reduce(opening.start - start, +)
        }
    }
}

/// Records the redirects of one transfer.
final class RedirectHistory: Sendable {
    private let followed = NIOLockedValueBox<[(redirect: SessionRedirect, time: ContinuousClock.Instant)]>([])

    var count: Int { followed.withLockedValue { $0.count } }
    var last: SessionRedirect? { followed.withLockedValue { $0.last?.redirect } }
    /// The time of the last redirect.
    var lastTime: ContinuousClock.Instant? { followed.withLockedValue { $0.last?.time } }

    func note(_ redirect: SessionRedirect) { followed.withLockedValue { $0.append((redirect, .now)) } }
}
