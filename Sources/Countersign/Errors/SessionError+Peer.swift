// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Challenges
import HTTPTransport

extension SessionError {
    /// The other end of the connection that the error is about: the origin or a proxy.
    ///
    /// `nil` where no connection is concerned, and where the error holds a URL instead.
    public var peer: Peer? {
        switch self {
        case .request(.plainHTTPForbidden(let peer)), .connection(.cannotResolve(let peer)),
            .connection(.cannotConnect(let peer, _)), .connection(.lost(let peer, _)),
            .connection(.httpVersionNotOffered(let peer, _)), .tls(.versionsExcluded(let peer, _)),
            .tls(.notTLS(let peer)), .tls(.handshakeFailed(let peer, _)), .tls(.clientCertificateRequired(let peer, _)),
            .tls(.clientCertificateRefused(let peer, _, _, _)), .tls(.renegotiationRequired(let peer)),
            .trust(.notTrusted(let peer, _, _)), .trust(.malformedCertificate(let peer)),
            .trust(.keyTooSmall(let peer, _)), .authentication(.malformedChallenge(let peer, _)),
            .response(.malformed(let peer, _)), .body(.wrongLength(let peer, _, _)), .body(.truncated(let peer, _, _)),
            .body(.malformedContentCoding(let peer, _)), .limit(.timedOut(let peer, _)),
            .limit(.headTooLarge(let peer, _)), .limit(.expansionExceeded(let peer, _, _)),
            .limit(.noConnectionFree(let peer, _)):
            peer
        case .tls(.postHandshakeAuthenticationRequired(let endpoint)), .response(.streamReset(let endpoint, _)):
            .origin(endpoint)
        case .proxy(.refused(let proxy, _, _)), .proxy(.authenticationRequired(let proxy, _)),
            .proxy(.methodsNotAllowed(let proxy, _, _)), .proxy(.socksRefused(let proxy, _, _)),
            .proxy(.malformedSOCKS(let proxy, _)):
            .proxy(proxy)
        case .authentication(.unanswerableChallenge(let space, _)), .authentication(.serverNotProven(let space, _)),
            .authentication(.interrupted(let space)), .cancelled(.challenge(let space)):
            Peer(Endpoint(host: space.host, port: space.port), role: space.role == .proxy ? .proxy : .origin)
        default: nil
        }
    }
}
