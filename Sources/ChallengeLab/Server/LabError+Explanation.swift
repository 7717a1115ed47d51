// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

#if canImport(Darwin)
    import Darwin
#elseif canImport(Musl)
    import Musl
#else
    import Glibc
#endif

extension LabError: CataloguedError {
    /// What happened, what that means and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .cannotWrite(let path, let code):
            ErrorExplanation(
                "lab.cannot-write", "Cannot write \(path): \(systemErrorText(code)).",
                reason: "The lab writes its authority and its client identity to files, for other clients to use.",
                advice: "Name a folder in which you may make files, and check that the disk is not full.")
        case .noPort:
            ErrorExplanation(
                "lab.no-port", "The system gave a server of the lab no port.",
                reason: "Each server listens on a free port of the loopback address.",
                advice: "Try again when fewer programs listen on ports.")
        }
    }

    package static var examples: [Self] { [.cannotWrite("lab/ca.pem", code: EACCES), .noPort] }
}
