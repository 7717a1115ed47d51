// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CommandSupport
import Countersign
import HTTPTypes

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
