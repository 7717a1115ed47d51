// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// The nginx that `make interop` starts.
struct Nginx: LoggingPeer {
    enum Server: String {
        case plain = "nginxPlain"
        case tls12 = "nginx12"
        case tls13 = "nginx13"
        /// A server that requires a client certificate with an HTTP response, not in the handshake.
        case certificateRequired = "nginxRequired"
        /// A server that requires a client certificate for paths below `/optional`.
        case certificateOptional = "nginxOptional"
    }

    let values: InteropValues

    init() throws {
        values = try InteropValues()
    }

    func log() throws -> AccessLog {
        AccessLog(path: try value("nginxLog"))
    }

    /// The credential, whose user name and password contain characters outside ASCII.
    func credential() throws -> Credential {
        .password(user: try value("nginxUser"), password: Secret(try value("nginxPassword")))
    }

    func wrongCredential() throws -> Credential {
        .password(user: try value("nginxUser"), password: Secret(try value("nginxPassword") + "é"))
    }
}
