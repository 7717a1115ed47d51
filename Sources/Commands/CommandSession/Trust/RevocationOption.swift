// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

package import ArgumentParser
package import CertificateTrust

/// Whether revocation is asked about, as a flag.
package struct RevocationOption: ParsableArguments {
    package enum Mode: String, ExpressibleByArgument, CaseIterable {
        case whereDemanded = "where-demanded"
        case softFail = "soft-fail"
        case hardFail = "hard-fail"

        package var policy: TrustPolicy.Revocation {
            switch self {
            case .whereDemanded: .whereDemanded
            case .softFail: .softFail
            case .hardFail: .hardFail
            }
        }
    }

    @Option(
        help: ArgumentHelp(
            "Whether certificates may have been taken back.",
            discussion: """
                where-demanded: asked where a certificate demands it. soft-fail: asked; no answer is remarked on. \
                hard-fail: no answer means not trusted. Without it, where-demanded.
                """))
    package var revocation: Mode?

    package init() {}
}
