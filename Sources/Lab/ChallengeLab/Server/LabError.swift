// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
import POSIX
import PrivateFiles

/// An error in starting a server of the lab or writing a file.
@nonexhaustive
public enum LabError: Error, Hashable, Sendable {
    /// The file or folder at this path cannot be written; the code is an `errno`.
    case cannotWrite(String, code: Int32)
    /// The URL does not name a folder on this machine; holds the URL without user, password and query.
    case notAFile(url: String)
    /// No server can listen on this address; the code is an `errno`.
    case cannotListen(String, code: Int32)
    /// The system assigned no port to a listener.
    case noPort
}

extension LabError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .cannotWrite(let path, let code):
            ErrorExplanation(
                "lab.cannot-write", "Cannot write \(path): \(systemErrorText(code)).", systemCode: code,
                reason: "The lab writes its authority and its client identity to files, for other clients to use.",
                advice: "Name a folder in which you may make files, and check that the disk is not full.")
        case .notAFile(let url): .notAFile("lab.not-a-file", url)
        case .cannotListen(let address, let code):
            ErrorExplanation(
                "lab.cannot-listen", "The lab cannot listen on \(address): \(systemErrorText(code)).", systemCode: code,
                reason: "A server can listen only on an address that this computer has.",
                advice: "Name an address of this computer, or 0.0.0.0 for all.")
        case .noPort:
            ErrorExplanation(
                "lab.no-port", "The system gave a server of the lab no port.",
                reason: "Each server listens on a free port.",
                advice: "Try again when fewer programs listen on ports.")
        }
    }

    package static var examples: [Self] {
        [
            .cannotWrite("lab/ca.pem", code: EACCES), .notAFile(url: "https://a.example/lab"),
            .cannotListen("192.0.2.7", code: EADDRNOTAVAIL), .noPort,
        ]
    }
}

extension LabError: PrivateFileFailure {
    static func refused(_ path: String, code: Int32) -> Self { .cannotWrite(path, code: code) }
    static func notAFile(_ url: String) -> Self { .notAFile(url: url) }
}
