// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges
import EssentialFoundation
import HTTPTransport
import Identities

/// The session's attachment to a connection: its report, and the decisions that opened it.
final class OpenedConnection: HTTPConnection.Attachment {
    let report: SharedReport
    /// The channel binding for authentication answers, from the TLS connection to the origin or, for plain http, to the
    /// proxy; `nil` without TLS.
    let channelBinding: ChannelBinding?
    /// The decisions that opened the connection; `nil` if there were none.
    let admission: Admission?
    // Stored properties, because the pool reads both for each request, and reading them through the admission would
    // copy it.
    let isPlain: Bool
    let mayBeShared: Bool

    init(report: SharedReport, channelBinding: ChannelBinding?, admission: Admission) {
        (self.report, self.channelBinding) = (report, channelBinding)
        isPlain = admission == Admission()
        mayBeShared = admission.mayBeShared
        self.admission = isPlain ? nil : admission
    }

    /// The decisions that allowed the connection to be opened.
    ///
    /// They are checked again whenever the connection is taken from the pool.
    struct Admission: Hashable, Sendable {
        var identity: Credential?
        /// Whether the server requested a client certificate and none was presented.
        var isAnonymous = false
        /// Whether the server requested a client certificate after the TLS 1.3 handshake and received none.
        ///
        /// OpenSSL's servers cannot request it again on the connection, so that Apache would refuse a later request.
        var hasDeclinedLateRequest = false
        var acceptedTrust: Credential?
        var tunnel: Credential?
        /// The identity that was presented to the proxy, on an encrypted connection to it.
        var proxyIdentity: Credential?
        var isAnonymousToProxy = false
        var proxyAcceptedTrust: Credential?
        /// The earliest time at which revocation information behind the connection's verdicts expires.
        var verdictExpiry: Date?
        /// The user that the connection is authenticated as at the origin.
        var originBinding: BoundUser?
        /// The user that the connection is authenticated as at a forwarding proxy.
        var proxyBinding: BoundUser?

        /// Whether later requests may share a connection that these decisions opened.
        var mayBeShared: Bool {
            !hasDeclinedLateRequest
                && [
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

    /// The decisions that opened the connection; `nil` if there were none.
    var admission: OpenedConnection.Admission? { opened?.admission }

    /// Whether later requests may use the connection.
    var mayBeShared: Bool { opened?.mayBeShared ?? true }

    /// Changes the recorded decisions of the connection.
    func amend(_ report: SharedReport? = nil, _ change: (inout OpenedConnection.Admission) -> Void) {
        var admission = admission ?? OpenedConnection.Admission()
        change(&admission)
        attachment = OpenedConnection(
            report: report ?? sharedReport, channelBinding: channelBinding, admission: admission)
    }

    /// Records the identity that was presented, or that none was, after the server requested it during an exchange.
    func noteIdentity(_ identity: Credential?, for request: ClientCertificateRequest) {
        var report = report
        let unanswered = identity == nil ? request : nil
        report.tls?.clientCertificate =
            if case .identity(let identity) = identity?.kind { identity.certificate } else { nil }
        report.tls?.unansweredCertificateRequest = unanswered
        if report.tls == nil { report.forwarderCertificateRequest = unanswered }
        let isOrigin = failure.peer.role == .origin
        amend(SharedReport(report)) { admission in
            if isOrigin {
                (admission.identity, admission.isAnonymous) = (identity, identity == nil)
                admission.hasDeclinedLateRequest = identity == nil && report.tls?.version == "TLSv1.3"
            } else {
                (admission.proxyIdentity, admission.isAnonymousToProxy) = (identity, identity == nil)
            }
        }
    }
}

extension Credential {
    /// The credential's identity; `nil` for every other kind of credential.
    var identity: PresentedIdentity? {
        switch kind {
        case .identity(let identity): .identity(identity)
        case .encodedIdentity(let identity): .encoded(identity)
        case .password, .currentUser, .token, .serverTrust: nil
        }
    }

    /// The certificate of the credential's identity; `nil` for every other kind of credential.
    var identityCertificate: CertificateSummary? {
        switch identity {
        case .identity(let identity): CertificateSummary(identity.certificate)
        case .encoded(let identity): identity.chain.first.flatMap { CertificateSummary(anchor: $0) }
        case nil: nil
        }
    }
}
