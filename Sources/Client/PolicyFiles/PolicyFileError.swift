// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import CertificateTrust
public import ErrorExplanations

/// An error of reading a policy file: its first defect with the location, and its other defects.
public struct PolicyFileError: Error, Sendable {
    /// The form that a value must have.
    @nonexhaustive
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

    /// A YAML feature that policy files do not allow.
    @nonexhaustive
    public enum Feature: String, Hashable, Sendable {
        /// Tags, `!name`, which change the type of a value (YAML 1.2.2 section 3.2.1.2).
        case tag
    }

    /// The kind of the defect.
    @nonexhaustive
    public enum Reason: Sendable {
        /// The file is larger than the limit of 1 MiB.
        case tooLarge(limit: Int)
        /// The file is not UTF-8.
        case notUTF8
        /// The file is not YAML. Holds the parser's message.
        case syntax(String)
        /// Lists and mappings are nested more deeply than the limit.
        case nestedTooDeeply(limit: Int)
        /// The file uses a YAML feature that policy files do not allow.
        case unsupportedYAML(Feature)
        /// The alias `*name` follows no complete value with the anchor `&name` (YAML 1.2.2 section 7.1). Holds the name.
        case unknownAlias(String)
        /// The aliases of the file repeat more values than the limit.
        case expandedTooFar(limit: Int)
        /// The key does not exist in this mapping; `nearest` is a key with similar spelling, or `nil`.
        case unknownKey(String, nearest: String?, allowed: [String])
        /// The key occurs more than once in its mapping.
        case duplicateKey(String)
        /// The mapping lacks a required key.
        case missingKey(String)
        /// The value has another form than its key requires.
        case wrongShape(expected: Shape)
        /// The value is not one of the allowed values of its key.
        case unknownValue(String, allowed: [String])
        /// A required list, mapping or text is empty.
        case empty
        /// The mapping has both or neither of two keys, but needs exactly one. Holds the keys.
        case notOne(of: [String])
        /// The key of a domain is not a valid host name.
        case domain(HostNameError)
        /// The file has two keys for one domain, in different spellings.
        case duplicateDomain(HostName)
        /// The entry of an address includes subdomains, which addresses do not have.
        case subdomainsOfAddress(HostName)
        /// The text is not a pin.
        case pin(PinError)
        /// The text is neither the name of a certificate policy nor an object identifier. Holds the text.
        case certificatePolicy(String)
        /// The text is not a date of the form `2027-01-31`. Holds the text.
        case day(String)
        /// The caller's reader of anchors failed. Holds the path, and the error that the reader threw.
        case anchors(String, any Error)
        /// The caller's reader of log lists failed. Holds the path, and the error; `nil` if the caller gave no reader.
        case logList(String, (any Error)?)
    }

    /// The location in the file.
    public let place: PolicyFileLocation
    /// The kind of the defect.
    public let reason: Reason
    /// The other defects, in the order of the file; at most 99.
    public let others: [PolicyFileError]

    init(place: PolicyFileLocation, reason: Reason, others: [PolicyFileError] = []) {
        (self.place, self.reason, self.others) = (place, reason, others)
    }
}

extension PolicyFileError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        let cause = reason.explanation
        let key = place.key.description
        let end = key.isEmpty ? " (\(place))." : " (\(place), \(key))."
        return ErrorExplanation(
            cause.code, cause.message.dropLast() + end, reason: cause.reason, advice: cause.advice)
    }

    /// The explanation for a program that displays the location separately.
    package var explanationWithoutLocation: ErrorExplanation { reason.explanation }

    package static var examples: [Self] {
        let key = PolicyFileKey(steps: [.key("default"), .key("pins")])
        let place = PolicyFileLocation(file: "policy.yaml", line: 3, column: 7, key: key)
        return Reason.examples.map { Self(place: place, reason: $0) }
    }
}

extension PolicyFileError.Reason {
    fileprivate var explanation: ErrorExplanation {
        switch self {
        case .tooLarge(let limit):
            ErrorExplanation(
                "policy.too-large", "The file is larger than \(limit) bytes.",
                reason: "A policy file is short. Larger files are not read.",
                advice: "Check that it is a policy file.")
        case .notUTF8:
            ErrorExplanation(
                "policy.not-utf8", "The text is not UTF-8.",
                reason: "A policy file is YAML in UTF-8.", advice: "Save the file in UTF-8.")
        case .syntax(let problem):
            ErrorExplanation(
                "policy.syntax", "This is not YAML: \(problem).",
                reason: "The YAML parser stops here.",
                advice: "Check the indentation, and put values with special characters into quotes.")
        case .nestedTooDeeply(let limit):
            ErrorExplanation(
                "policy.nested-too-deeply", "More than \(limit) lists or mappings are nested here.",
                reason: "A policy file needs only a few levels. Deeper nesting is not read.",
                advice: "Close every bracket, also those in quotes and comments, and indent less.")
        case .unsupportedYAML(.tag):
            ErrorExplanation(
                "policy.yaml-tag", "Tags (!name) of YAML are not supported.",
                reason: "A tag changes the type of a value, and the keys fix the types here.",
                advice: "Remove the tag.")
        case .unknownAlias(let name):
            ErrorExplanation(
                "policy.unknown-alias", "The alias *\(name) has no anchor &\(name) before it.",
                reason: "An alias repeats a value that is complete at this place.",
                advice: "Write &\(name) before the value that is meant, or write the value out.")
        case .expandedTooFar(let limit):
            ErrorExplanation(
                "policy.expanded-too-far", "The aliases of the file repeat more than \(limit) values.",
                reason: "Aliases of aliases can make a short file grow without limit.",
                advice: "Put common values into 'default', or write the values out.")
        case .unknownKey(let key, let nearest, let allowed):
            ErrorExplanation(
                "policy.unknown-key", "There is no key \"\(key)\" here.",
                reason: "Unknown keys are refused, so that a misspelled key cannot weaken a policy.",
                advice: nearest.map { "Write \"\($0)\" if that is meant, or remove the key." }
                    ?? "Remove the key, or write one of these: \(allowed.joined(separator: ", ")).")
        case .duplicateKey(let key):
            ErrorExplanation(
                "policy.duplicate-key", "The key \"\(key)\" is there more than once.",
                reason: "It is unclear which of the values is meant.", advice: "Remove all but one.")
        case .missingKey("version"):
            ErrorExplanation(
                "policy.missing-version", "The key \"version\" is missing.",
                reason: "The version determines the format of the file.",
                advice: "Begin the file with 'version: 1'.")
        case .missingKey(let key):
            ErrorExplanation(
                "policy.missing-key", "The key \"\(key)\" is missing.",
                reason: "Without the key the entry is incomplete.", advice: "Add the key.")
        case .wrongShape(let shape):
            ErrorExplanation(
                "policy.wrong-shape", "The value must be \(shape.words).",
                reason: "Each key has one type of value, and no other type is converted to it.", advice: shape.advice)
        case .unknownValue(let value, let allowed):
            ErrorExplanation(
                "policy.unknown-value", "\"\(value)\" is not a value of this key.",
                reason: "The key has a fixed set of values.",
                advice: "Write one of these values: \(allowed.joined(separator: ", ")).")
        case .empty:
            ErrorExplanation(
                "policy.empty", "The value is empty.",
                reason: "An empty value is ambiguous.", advice: "Fill it in, or remove its key.")
        case .notOne(let keys):
            ErrorExplanation(
                "policy.not-one-of", "Exactly one of the keys \(keys.joined(separator: " and ")) must be here.",
                reason: "Each of them excludes the others.", advice: "Write one of them, and not the other.")
        case .domain(.malformed(let text)) where text.contains("*"):
            ErrorExplanation(
                "policy.wildcard-domain", "The domain \"\(text)\" has a wildcard, which domains cannot have.",
                reason: "An entry is for one host, and with 'subdomains: true' also for the hosts below it.",
                advice: "Write the domain without *, and 'subdomains: true' in its entry.")
        case .domain(let cause):
            ErrorExplanation(
                "policy.domain", cause.explanation.message, reason: cause.explanation.reason,
                advice: cause.explanation.advice)
        case .duplicateDomain(let domain):
            ErrorExplanation(
                "policy.duplicate-domain", "The domain \(domain) is there more than once.",
                reason: "Two spellings of one name are the same domain.",
                advice: "Put the keys of both entries into one.")
        case .subdomainsOfAddress(let address):
            ErrorExplanation(
                "policy.subdomains-of-address", "The address \(address) has no subdomains.",
                reason: "Only names have subdomains.", advice: "Remove 'subdomains'.")
        case .pin(let cause):
            ErrorExplanation(
                "policy.pin", cause.explanation.message, reason: cause.explanation.reason,
                advice: cause.explanation.advice)
        case .certificatePolicy(let text):
            ErrorExplanation(
                "policy.certificate-policy", "\"\(text)\" is not a certificate policy.",
                reason:
                    "A certificate policy is an object identifier, or one of the names for those of the CA/Browser Forum.",
                advice: "Write an object identifier such as 2.23.140.1.2.2, or one of these names: "
                    + PolicyValues.certificatePolicy.map(\.key).joined(separator: ", ") + ".")
        case .day(let text):
            ErrorExplanation(
                "policy.day", "\"\(text)\" is not a date.",
                reason: "A date has the form YYYY-MM-DD, and its month has that day.",
                advice: "Write it as 2027-01-31.")
        case .anchors(let path, let cause): Self.explanation(ofAnchors: path, cause)
        case .logList(let path, let cause): Self.explanation(ofLogList: path, cause)
        }
    }

    private static func explanation(ofAnchors path: String, _ cause: any Error) -> ErrorExplanation {
        let cause = (cause as? any ExplainedError)?.explanation
        let message = cause?.message ?? "The file cannot be read."
        return ErrorExplanation(
            "policy.anchors", message.contains(path) ? message : "\"\(path)\" gives no anchors: \(message)",
            reason: cause?.reason.nonEmpty ?? "The policy needs the certificates of this file.",
            advice: cause?.advice.nonEmpty ?? "Check the path, and that the file holds certificates.")
    }

    private static func explanation(ofLogList path: String, _ cause: (any Error)?) -> ErrorExplanation {
        let explained = (cause as? any ExplainedError)?.explanation
        let message =
            cause == nil ? "This program reads no such lists." : explained?.message ?? "The file cannot be read."
        return ErrorExplanation(
            "policy.log-list", message.contains(path) ? message : "\"\(path)\" gives no list of logs: \(message)",
            reason: explained?.reason.nonEmpty ?? "Without the list no timestamp could be verified.",
            advice: explained?.advice.nonEmpty ?? "Check the path, and that the file is a log list in JSON.")
    }

    fileprivate static var examples: [Self] {
        [
            .tooLarge(limit: PolicyDocument.limit), .notUTF8, .syntax("did not find expected key"),
            .nestedTooDeeply(limit: YAMLParser.nestingLimit), .unsupportedYAML(.tag), .unknownAlias("base"),
            .expandedTooFar(limit: YAMLParser.expansionLimit),
            .unknownKey("domain", nearest: "domains", allowed: ["version", "default", "domains"]),
            .duplicateKey("pins"), .missingKey("version"),
            .missingKey("any"), .wrongShape(expected: .list), .unknownValue("1.1", allowed: ["1.2", "1.3"]), .empty,
            .notOne(of: ["add", "only"]), .domain(.malformed("*.a.test")), .domain(.malformed("a b")),
            .pin(.malformed("sha256/AA")), .certificatePolicy("1.2.x"),
            .day("2027-02-30"), .anchors("corp.pem", CancellationError()),
            .logList("log_list.json", CancellationError()),
        ] + ((try? HostName("127.0.0.1")).map { [.duplicateDomain($0), .subdomainsOfAddress($0)] } ?? [])
    }
}

extension PolicyFileError.Shape {
    fileprivate var words: String {
        switch self {
        case .mapping: "a mapping of keys to values"
        case .list: "a list"
        case .text: "a text"
        case .boolean: "true or false"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .mapping: "Write 'key: value' on lines of their own, indented further than this line."
        case .list: "Write [one, two]."
        case .text: "Put the value into quotes."
        case .boolean: "Write true or false without quotes."
        }
    }
}

extension String {
    fileprivate var nonEmpty: String? { isEmpty ? nil : self }
}
