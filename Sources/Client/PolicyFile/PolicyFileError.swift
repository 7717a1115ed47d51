// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust

/// Why a policy file cannot be used: its first defect, and the place of it.
public struct PolicyFileError: Error, Sendable {
    /// The form that a value must have.
    public enum Shape: String, Hashable, Sendable {
        /// A mapping of keys to values.
        case mapping
        /// A list of values.
        case list
        /// A single value, with or without quotation marks.
        case text
        /// `true` or `false`; YAML 1.1's `yes` and `on` are text (YAML 1.2.2 section 10.3.2).
        case boolean
    }

    /// A feature of YAML that policy files do not allow.
    @nonexhaustive
    public enum Feature: String, Hashable, Sendable {
        /// Anchors and aliases, `&name` and `*name`, whose repetitions can grow without limit (YAML 1.2.2 section 3.2.2.2).
        case anchor
        /// Tags, `!name`, which change the type of a value (YAML 1.2.2 section 3.2.1.2).
        case tag
    }

    /// The kind of the defect.
    @nonexhaustive
    public enum Reason: Sendable {
        /// The file has more bytes than the limit, which is 1 MiB.
        case tooLarge(limit: Int)
        /// The file is not UTF-8.
        case notUTF8
        /// The file is not YAML. Holds the message of the parser.
        case syntax(String)
        /// More lists and mappings are nested than the limit.
        case nestedTooDeeply(limit: Int)
        /// The file uses a feature of YAML that policy files do not allow.
        case unsupportedYAML(Feature)
        /// The key does not exist here; `nearest` is a key of similar spelling, `nil` for none.
        case unknownKey(String, nearest: String?)
        /// The key occurs more than once in its mapping.
        case duplicateKey(String)
        /// The mapping lacks a key that is required.
        case missingKey(String)
        /// The value has another form than its key requires.
        case wrongShape(expected: Shape)
        /// The value is not one of those that its key allows.
        case unknownValue(String, allowed: [String])
        /// The list, mapping or text is empty where a value is required.
        case empty
        /// The mapping has both or neither of two keys, and needs exactly one. Holds the keys.
        case notOne(of: [String])
        /// The key of a domain is not a host name.
        case domain(HostNameError)
        /// Two keys for one domain, in different spellings.
        case duplicateDomain(HostName)
        /// The entry of an address asks for subdomains, which addresses do not have.
        case subdomainsOfAddress(HostName)
        /// The text is not a pin.
        case pin(PinError)
        /// The text is neither the name of a certificate policy nor an object identifier. Holds the text.
        case certificatePolicy(String)
        /// The text is not a date of the form `2027-01-31`. Holds the text.
        case day(String)
        /// The caller's reader of anchors failed. Holds the path, and the error that the reader threw.
        case anchors(String, any Error)
        /// The caller's reader of log lists failed. Holds the path, and the error; `nil` where the caller gave no reader.
        case logList(String, (any Error)?)
    }

    /// The place in the file.
    public let place: PolicyFilePlace
    /// The kind of the defect.
    public let reason: Reason
}
