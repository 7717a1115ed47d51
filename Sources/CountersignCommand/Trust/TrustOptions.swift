// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CertificateTrust
import Identities
import X509

/// What a server's chain must satisfy, as flags.
struct TrustOptions: ParsableArguments {
    enum Mode: String, ExpressibleByArgument, CaseIterable {
        case `default`
        case imported
        case anchorsOnly = "anchors-only"
        case disabled
    }

    @Option(
        help: ArgumentHelp(
            "Which anchors count.",
            discussion: """
                default: the system's and those of --anchor. imported: also those of 'countersign trust import'. \
                anchors-only: those of --anchor alone. disabled: any certificate for any host is accepted.
                """))
    var trust: Mode = .default

    @Option(help: "A certificate to trust, PEM or DER; repeatable.")
    var anchor: [String] = []

    @Option(help: "A public key that the chain must contain, sha256/BASE64; repeatable.")
    var pin: [String] = []

    func policy(on console: Console) throws -> TrustPolicy {
        let given = try anchor.flatMap { path in
            try InputFile.naming(path) { try CertificateFile.certificates(in: InputFile.read(path)) }
        }
        var policy = TrustPolicy(anchors: try anchors(given, console), pins: PinSet(Set(try pin.map { try Pin($0) })))
        if trust == .disabled {
            policy.validation = .dangerouslyDisabled
            console.complain(
                "countersign: warning: validation is disabled; whoever is on the way can read and change everything.")
        }
        return policy
    }

    private func anchors(_ given: [Certificate], _ console: Console) throws -> TrustPolicy.Anchors {
        switch trust {
        case .default:
            return given.isEmpty ? .system : .systemAnd(given)
        case .imported:
            return .systemAnd(given + (try AnchorFolder(environment: console.environment).certificates()))
        case .anchorsOnly:
            guard !given.isEmpty else { throw UsageError.anchorsOnlyWithoutAnchor }
            return .only(given)
        case .disabled:
            return .only(given)
        }
    }
}

/// Flags that do not go together.
enum UsageError: Error, Hashable {
    case anchorsOnlyWithoutAnchor
    case fileDescriptor(Int)
}
