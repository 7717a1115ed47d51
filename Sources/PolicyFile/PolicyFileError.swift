// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// Why a policy file cannot be used: its first defect, and the place of it.
public struct PolicyFileError: Error, Sendable {
    /// The form that a value must have.
    public enum Shape: String, Hashable, Sendable {
        /// Keys with values.
        case mapping
        case list
        case text
        /// `true` or `false`; YAML 1.1's `yes` and `on` are text (YAML 1.2.2 section 10.3.2).
        case boolean
    }

    /// A feature of YAML that policy files do not allow.
    @nonexhaustive
    public enum Feature: String, Hashable, Sendable {
        /// `&name` and `*name`: what is repeated by reference can grow beyond all bounds.
        case anchor
        /// `!name`, which changes what a value is.
        case tag
    }

    /// The kind of the defect.
    @nonexhaustive
    public enum Reason: Sendable {
        /// The file has more bytes than the limit.
        case tooLarge(limit: Int)
        case notUTF8
        /// The file is not YAML. Holds the message of the parser.
        case syntax(String)
        /// Lists and mappings are within more than so many others.
        case nestedTooDeeply(limit: Int)
        case unsupportedYAML(Feature)
        case unknownKey(String, nearest: String?)
        case duplicateKey(String)
        case missingKey(String)
        case wrongShape(expected: Shape)
        case unknownValue(String, allowed: [String])
        /// Says nothing where it has to say something.
        case empty
        /// Both or neither of two keys of which there has to be one.
        case notOne(of: [String])
        case domain(HostNameError)
        /// Two keys for one domain, in different spellings.
        case duplicateDomain(HostName)
        /// An address has no subdomains.
        case subdomainsOfAddress(HostName)
        case pin(PinError)
        /// The value is neither the name of a certificate policy nor an object identifier.
        case certificatePolicy(String)
        /// No day such as 2027-01-31.
        case day(String)
        /// The caller's reader of anchors failed. Holds the path, and the error that the reader threw.
        case anchors(String, any Error)
        /// The caller's reader of log lists failed. Holds the path, and the error; `nil` where the caller gave no reader.
        case logList(String, (any Error)?)
    }

    /// The place in the file.
    public let place: PolicyFilePlace
    /// The kind of the error.
    public let reason: Reason
}
