// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import CommandSession
import CommandSupport
import ErrorExplanations

extension EvidenceFiles {
    /// Returns the use of each list and each response for a verdict, whose evidence has these lists first and these
    /// responses last.
    func uses(for verdict: Verdict) -> [EvidenceFileUse] {
        zip(listPaths, verdict.evidence).map(EvidenceFileUse.init)
            + zip(responsePaths, verdict.evidence.suffix(responsePaths.count)).map(EvidenceFileUse.init)
    }
}

/// The use of a list or a response from a file.
struct EvidenceFileUse {
    let path: String
    let use: EvidenceUse

    /// A sentence about a file that was not used, or only in part; `nil` if it was used.
    var note: String? {
        switch use {
        case .read(nil): nil
        case .read(let problem?):
            "\(path.printable) can only show that a certificate is revoked. \(problem.explanation.message)"
        case .unusable(let problem): "\(path.printable) cannot be used. \(problem.explanation.message)"
        case .unrelated: "\(path.printable) cannot be used. \(InspectionError.unrelatedEvidence.explanation.message)"
        case .notReached: "\(path.printable) was not used, because no path passed the other checks."
        @unknown default: nil
        }
    }

    /// The reason for which the evidence could not be used; `nil` if it was used or not examined.
    fileprivate var problem: (any ExplainedError)? {
        switch use {
        case .unusable(let problem): problem
        case .unrelated: InspectionError.unrelatedEvidence
        default: nil
        }
    }
}

extension [EvidenceFileUse] {
    /// The uses to report; for a file with several lists, unrelated ones are omitted if another one was read.
    var noted: [EvidenceFileUse] {
        filter { one in
            one.use != .unrelated || !contains { $0.path == one.path && $0.use != .unrelated }
        }
    }

    /// The failures for the files without any usable evidence, one for each file.
    var failures: [Failure] {
        var seen: Set<String> = []
        return noted.compactMap { one in
            guard let problem = one.problem, !contains(where: { $0.path == one.path && $0.problem == nil }),
                seen.insert(one.path).inserted
            else { return nil }
            do {
                try InputFile.naming(one.path) { throw problem }
                return nil
            } catch {
                return Failure(error)
            }
        }
    }
}
