// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// The origin of `make interop` that asks by NTLM; pyspnego verifies.
struct NTLMOrigin: LoggingPeer {
    enum Server: String {
        case plain = "ntlmPlain"
        /// Insists on the binding to its certificate.
        case tls = "ntlmTLS"
        /// Ends TLS with another certificate, as trusted as the origin's, and hands all on to that.
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
    /// An account that the servers of NTLM know.
    func account(_ user: String = "INTEROP\\alice") throws -> Credential {
        .password(user: user, password: Secret(try value("ntlmPassword")))
    }

    func wrongAccount() throws -> Credential {
        .password(user: "INTEROP\\alice", password: Secret(try value("ntlmPassword") + "!"))
    }
}
