// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import TLSTransport
import Testing
@testable import HTTPTransport

@Suite struct TLSAlternativeTests {
    private static let peer = ConnectionPeer.origin(HostEndpoint(host: .localhost, port: 443))

    /// The failures with the alternatives to BoringSSL, to OpenSSL, and to OpenSSL with the leniency.
    static let failures: [(TLSFailure, [TLSAlternative?])] = [
        (.received(.handshakeFailure), [.openSSL, .legacyTLS, nil]),
        (.received(.insufficientSecurity), [.openSSL, .legacyTLS, nil]),
        (.received(.protocolVersion), [.legacyTLS, .legacyTLS, nil]),
        (.violation(reason: "UNSUPPORTED_PROTOCOL", sent: .protocolVersion), [.legacyTLS, .legacyTLS, nil]),
        (.violation(reason: "DH_KEY_TOO_SMALL", sent: nil), [.legacyTLS, .legacyTLS, nil]),
        (.violation(reason: "BAD_DECRYPT", sent: nil), [nil, nil, nil]),
        (.violation(reason: "UNSAFE_LEGACY_RENEGOTIATION_DISABLED", sent: nil), [.boringSSL, .boringSSL, .boringSSL]),
        (.unusableIdentity(reason: "A"), [.openSSL, nil, nil]),
        (.received(.unrecognizedName), [nil, nil, nil]), (.refused(.unknownCA), [nil, nil, nil]),
        (.closed, [nil, nil, nil]), (.notTLS, [nil, nil, nil]),
    ]

    @Test("A failure names the setting with which the handshake may succeed", arguments: failures)
    func alternatives(failure: TLSFailure, expected: [TLSAlternative?]) {
        let requirements: [(TLSLibrary, Bool)] = [(.boringSSL, false), (.openSSL, false), (.openSSL, true)]
        let found = requirements.map { library, isLenient in
            failure.alternative(
                to: TLSRequirements(trust: TrustPolicy(), versions: .all, allowsLegacy: isLenient)
                    .settings(for: Self.peer, .all, by: library))
        }
        #expect(found == expected)
        for versions in [TLSVersions.onlyTLS12, .onlyTLS13] {
            let strict = TLSRequirements(trust: TrustPolicy(), versions: versions)
            let old = TLSFailure.received(.protocolVersion).alternative(
                to: strict.settings(for: Self.peer, .all, by: .boringSSL))
            #expect(old == nil)
        }
    }

    @Test(
        "Failures of the library, the settings and the identity have errors of their own"
    )
    func classification() {
        let failure = ChannelFailure(peer: Self.peer, record: PeerRecord())
        let rows: [(TLSFailure, TransportError)] = [
            (
                .violation(reason: "INVALID_ALPN_PROTOCOL", sent: .illegalParameter),
                .httpVersionNotOffered(Self.peer, .all)
            ),
            (
                .violation(reason: "BAD_EXTENSION", sent: .illegalParameter),
                .handshakeFailed(Self.peer, "BAD_EXTENSION", alternative: nil)
            ),
            (.unusableSettings(reason: "A"), .settingsUnusable(Self.peer, "A")),
            (.unavailable(.openSSL, version: "3.0.1"), .libraryUnavailable(Self.peer, .openSSL, version: "3.0.1")),
            (.heldKey, .identityUnusable(Self.peer, "KEY_OUTSIDE_MEMORY", alternative: .boringSSL)),
        ]
        for (error, expected) in rows { #expect(failure.classify(error, .handshake) as? TransportError == expected) }
    }

    @Test("After the handshake, an alert has no alternative")
    func lateAlert() {
        let record = PeerRecord()
        let settings = TLSRequirements(trust: TrustPolicy(), versions: .all).settings(
            for: Self.peer, .all, by: .boringSSL)
        for isComplete in [false, true] {
            record.note { ($0.tlsSettings, $0.isHandshakeComplete) = (settings, isComplete) }
            let error = ChannelFailure(peer: Self.peer, record: record)
                .classify(TLSFailure.received(.handshakeFailure), .response)
            let alternative: TLSAlternative? = isComplete ? nil : .openSSL
            #expect(
                error as? TransportError == .alertReceived(Self.peer, .handshakeFailure, alternative: alternative))
        }
    }
}
