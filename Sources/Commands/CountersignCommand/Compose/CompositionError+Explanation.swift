// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations
public import PasswordComposer

// Here, since the module itself has no dependencies.
extension CompositionError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .noMaster:
            ErrorExplanation(
                "usage.no-master-password", "The master password is missing.",
                reason: "It was not given, or is empty, and there was no terminal to ask on, or no answer.",
                advice: "Type it on a terminal, or give --master-file FILE.")
        case .noDomain:
            ErrorExplanation(
                "usage.no-site", "The name of the site is empty.",
                reason: "The password of each site is made from its name.",
                advice: "Write the site's domain, such as example.com.")
        case .noLogin:
            ErrorExplanation(
                "usage.no-full-name", "Spectre needs your full name.",
                reason: "Its passwords are derived from it too.", advice: "Give it with --login, as it is in Spectre.")
        case .length(let length, let allowed):
            ErrorExplanation(
                "usage.password-length", "A password of this mode cannot have \(length) characters.",
                reason: "Its length is from \(allowed.lowerBound) to \(allowed.upperBound).",
                advice: "Give another --length, or another --mode.")
        case .noCharacterClass:
            ErrorExplanation(
                "usage.no-characters", "Every kind of characters is excluded.",
                reason: "A password needs characters of one kind at least.",
                advice: "Leave out one of --no-lowercase, --no-uppercase, --no-digits and --no-symbols.")
        case .counterZero:
            ErrorExplanation(
                "usage.counter-zero", "The counter is 0.", reason: "Counters start at 1.",
                advice: "Give --counter 1, or a larger number.")
        }
    }

    package static var examples: [CompositionError] {
        [.noMaster, .noDomain, .noLogin, .length(3, allowed: 4...64), .noCharacterClass, .counterZero]
    }
}
