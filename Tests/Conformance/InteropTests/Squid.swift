// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Countersign

/// The squid proxy that `make interop` starts.
struct Squid: LoggingPeer {
    enum Server: String {
        case basic = "squidBasic"
        case digest = "squidDigest"
        case ntlm = "squidNTLM"
        /// A proxy inside TLS that offers all three methods.
        case tls = "squidTLS"
    }

    let values: InteropValues

    init() throws {
        values = try InteropValues()
    }

    func log() throws -> AccessLog {
        AccessLog(path: try value("squidLog"))
    }
}
