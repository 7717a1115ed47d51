// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

extension SessionEvent {
    /// What kind of event it is, whatever it says.
    enum Kind: Hashable {
        case connected
        case challenged
        case methodsNotAllowed
        case preempted
        case credentialStoreFailed
        case redirected
        case exchanged
        case retrying
        case fetchedEvidence
        case refusedEvidence
    }

    /// What a line of the log about it is about.
    var subject: LogThrottle.Subject {
        switch self {
        case .connected(let report): .init(kind: .connected, host: "\(report.endpoint.host)")
        case .challenged(let challenge, _): .init(kind: .challenged, host: "\(challenge.space.host)")
        case .methodsNotAllowed(let endpoint, _, _): .init(kind: .methodsNotAllowed, host: "\(endpoint.host)")
        case .preempted(let space): .init(kind: .preempted, host: "\(space.host)")
        case .credentialStoreFailed(let space, _): .init(kind: .credentialStoreFailed, host: "\(space.host)")
        case .redirected(let origin, _): .init(kind: .redirected, host: origin.authority)
        case .exchanged(let report):
            .init(kind: .exchanged, host: "\(report.connection.endpoint.host)")
        case .retrying(let url, _, _): .init(kind: .retrying, host: url.authority)
        case .fetchedEvidence(let place, _): .init(kind: .fetchedEvidence, host: place.authority)
        case .refusedEvidence(let place): .init(kind: .refusedEvidence, host: place.authority)
        }
    }
}

extension String {
    /// What stands between `//` and the path of a URL; the whole text where nothing does.
    fileprivate var authority: String {
        guard let start = firstRange(of: "//")?.upperBound else { return self }
        return String(self[start...].prefix { !"/?#".contains($0) })
    }
}
