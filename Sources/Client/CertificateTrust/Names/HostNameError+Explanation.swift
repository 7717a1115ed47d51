// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

extension HostNameError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed(let text):
            ErrorExplanation(
                "host-name.malformed", "\"\(text)\" is not a host name.",
                reason:
                    "A name has labels of up to 63 letters, digits and hyphens, with dots between (RFC 1123 section 2.1).",
                advice: "Write it as intranet.example.")
        case .notASCII(let text):
            ErrorExplanation(
                "host-name.not-ascii", "The host name \"\(text)\" is not in ASCII.",
                reason: "Certificates and DNS have names of other scripts in their ASCII form (RFC 5890).",
                advice: "Write it in its xn-- form.")
        case .ambiguousAddress(let text):
            ErrorExplanation(
                "host-name.ambiguous-address", "\"\(text)\" looks like an IP address in an unusual form.",
                reason: "Programs disagree about which address it is.",
                advice: "Write the address as four decimal numbers.")
        }
    }

    package static var examples: [Self] {
        [.malformed("a b"), .notASCII("b\u{fc}cher.example"), .ambiguousAddress("127.1")]
    }
}
