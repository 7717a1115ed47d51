// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import EssentialFoundation
import HTTPTransport
import Identities

/// What a session keeps with a connection: what it is, and the answers that opened it.
final class OpenedConnection: HTTPConnection.Attachment {
    let report: SharedReport
    /// What ties an answer to the connection's TLS, to the origin or, for plain http, to the proxy; `nil` without TLS.
    let channelBinding: ChannelBinding?
    /// `nil` where the connection was opened without any answer.
    let admission: Admission?
    // Stored, because the pool asks for both with every request, and to look into the admission is to copy it.
    let isPlain: Bool
    let mayBeShared: Bool

    init(report: SharedReport, channelBinding: ChannelBinding?, admission: Admission) {
        (self.report, self.channelBinding) = (report, channelBinding)
        isPlain = admission == Admission()
        mayBeShared = admission.mayBeShared
        self.admission = isPlain ? nil : admission
    }

    /// The answers without which the connection would not exist, checked again whenever it is taken from the pool.
    struct Admission: Hashable, Sendable {
        var identity: Credential?
        /// Whether an identity was asked for and none was presented.
        var isAnonymous = false
        var acceptedTrust: Credential?
        var tunnel: Credential?
        /// The same of an encrypted connection to a proxy.
        var proxyIdentity: Credential?
        var isAnonymousToProxy = false
        var proxyAcceptedTrust: Credential?
        /// When the first revocation information that opened it is out of date.
        var verdictEnd: Date?
        /// The user of the connection to the origin, and to a proxy that is asked for resources themselves.
        var originBinding: BoundUser?
        var proxyBinding: BoundUser?

        /// Whether a later request may use what these answers opened.
        var mayBeShared: Bool {
            [
                identity, acceptedTrust, tunnel, proxyIdentity, proxyAcceptedTrust, originBinding?.credential,
                proxyBinding?.credential,
            ].allSatisfy { $0?.persistence != Credential.Persistence.none }
        }
    }
}

extension HTTPConnection {
    private var opened: OpenedConnection? { attachment as? OpenedConnection }

    var sharedReport: SharedReport { opened?.report ?? SharedReport(ConnectionReport(endpoint: failure.peer.endpoint)) }
    var report: ConnectionReport { sharedReport.report }
    var channelBinding: ChannelBinding? { opened?.channelBinding }
    var originBinding: BoundUser? { opened?.admission?.originBinding }
    var proxyBinding: BoundUser? { opened?.admission?.proxyBinding }

    /// `nil` where the connection was opened without any answer.
    var admission: OpenedConnection.Admission? { opened?.admission }

    /// Changes what the connection was opened with.
    func amend(_ change: (inout OpenedConnection.Admission) -> Void) {
        var admission = admission ?? OpenedConnection.Admission()
        change(&admission)
        attachment = OpenedConnection(
            report: sharedReport, channelBinding: channelBinding, admission: admission)
    }
}

extension Credential {
    /// The identity that the credential is; `nil` for every other kind.
    var identity: Identity? {
        if case .identity(let identity) = kind { identity } else { nil }
    }
}
