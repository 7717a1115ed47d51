// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Identities
import NIOSSL
import SwiftASN1
import X509

extension Identity {
    // A chain given as `.file` would end the process, so it is always given as certificates.
    var nioSSLChain: [NIOSSLCertificateSource] {
        get throws {
            try chain.map { certificate in
                .certificate(try NIOSSLCertificate(bytes: certificate.serializeAsPEM().derBytes, format: .der))
            }
        }
    }

    var nioSSLPrivateKey: NIOSSLPrivateKeySource {
        get throws {
            .privateKey(try NIOSSLPrivateKey(bytes: privateKey.serializeAsPEM().derBytes, format: .der))
        }
    }
}
