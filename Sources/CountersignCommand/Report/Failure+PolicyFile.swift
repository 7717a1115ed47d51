// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import PolicyFile

extension Failure {
    init(policyFile error: PolicyFileError) {
        let key = error.place.key.description
        self.init(.failed, error.explanationWithoutPlace)
        if !key.isEmpty { precede(by: key) }
        place = error.place
    }
}

extension HostNameError {
    var text: String {
        switch self {
        case .malformed: "it cannot be a host name"
        case .notASCII: "it is not in ASCII"
        case .ambiguousAddress: "it looks like an address, but not like one way to write it"
        }
    }

    var advice: String {
        switch self {
        case .malformed: "Write it as intranet.example; 'subdomains: true' takes the place of *."
        case .notASCII: "Write it in its xn-- form."
        case .ambiguousAddress: "Write it as four decimal numbers."
        }
    }
}
