// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// The nginx of `make interop`.
struct Nginx: LoggingPeer {
    enum Server: String {
        case plain = "nginxPlain"
        case tls12 = "nginx12"
        case tls13 = "nginx13"
        /// Insists on a client certificate, in its answers and not in the handshake.
        case certificateRequired = "nginxRequired"
        /// Insists on one below `/optional`.
        case certificateOptional = "nginxOptional"
    }

    let values: InteropValues

    init() throws {
        values = try InteropValues()
    }

    func log() throws -> AccessLog {
        AccessLog(path: try value("nginxLog"))
    }

    /// Neither the user nor the password is ASCII.
    func credential() throws -> Credential {
        .password(user: try value("nginxUser"), password: Secret(try value("nginxPassword")))
    }

    func wrongCredential() throws -> Credential {
        .password(user: try value("nginxUser"), password: Secret(try value("nginxPassword") + "é"))
    }
}
