// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// The origin of `make interop` that requires NTLM authentication, which pyspnego verifies.
struct NTLMOrigin: LoggingPeer {
    enum Server: String {
        case plain = "ntlmPlain"
        /// A server that requires the channel binding to its certificate.
        case tls = "ntlmTLS"
        /// A relay that terminates TLS with another trusted certificate, and forwards everything to the origin.
        case relay = "ntlmRelay"
    }

    let values: InteropValues

    init() throws {
        values = try InteropValues()
    }

    func log() throws -> AccessLog {
        AccessLog(path: try value("ntlmLog"))
    }
}

extension InteropPeer {
    /// The credential of an account that the NTLM servers know.
    func account(_ user: String = "INTEROP\\alice") throws -> Credential {
        .password(user: user, password: Secret(try value("ntlmPassword")))
    }

    func wrongAccount() throws -> Credential {
        .password(user: "INTEROP\\alice", password: Secret(try value("ntlmPassword") + "!"))
    }
}
