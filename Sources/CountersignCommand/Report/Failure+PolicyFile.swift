// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import PolicyFile

extension Failure {
    init(policyFile error: PolicyFileError) {
        let key = error.place.key.description
        let (code, what, advice) = error.reason.words
        self.init(.failed, code, key.isEmpty ? what : "\(key): \(what)", advice)
        place = error.place
    }
}

extension PolicyFileError.Reason {
    fileprivate var words: (code: String, what: String, advice: String) {
        switch self {
        case .tooLarge(let limit):
            ("policy-too-large", "The file is larger than \(limit) bytes.", "Check that it is a policy file.")
        case .notUTF8: ("policy-not-utf8", "This is not UTF-8.", "Save the file in UTF-8.")
        case .syntax(let problem):
            ("policy-syntax", "This is not YAML: \(problem).", "Check the indentation, and what has to be in quotes.")
        case .nestedTooDeeply(let limit):
            (
                "policy-nested-too-deeply", "More than \(limit) brackets or columns are within each other here.",
                "Close every bracket, also those in quotes and comments, and begin lines further to the left."
            )
        case .unsupportedYAML(let feature): ("policy-unsupported-yaml", feature.text, feature.advice)
        case .unknownKey(let key, let nearest):
            (
                "policy-unknown-key", "There is no key \"\(key)\" here.",
                nearest.map { "Did you mean \($0)?" } ?? "Leave it out."
            )
        case .duplicateKey(let key):
            ("policy-duplicate-key", "\"\(key)\" is there more than once.", "Leave one of them.")
        case .missingKey(let key):
            (
                "policy-missing-key", "\"\(key)\" is missing.",
                key == "version" ? "Begin the file with 'version: 1'." : "Add it."
            )
        case .wrongShape(let shape): ("policy-wrong-shape", "There has to be \(shape.text).", shape.advice)
        case .unknownValue(let value, let allowed):
            ("policy-unknown-value", "\"\(value)\" is not possible.", "Possible: \(allowed.joined(separator: ", ")).")
        case .empty: ("policy-empty", "It says nothing.", "Fill it, or leave its key out.")
        case .notOne(let keys):
            ("policy-not-one", "There has to be one of \(keys.joined(separator: " and ")).", "Leave the others out.")
        case .domain(let cause): ("policy-domain", "It is no domain: \(cause.text).", cause.advice)
        case .duplicateDomain(let domain):
            ("policy-duplicate-domain", "\(domain) is there more than once.", "Put its keys together.")
        case .subdomainsOfAddress(let address):
            ("policy-subdomains-of-address", "\(address) is an address, and has no subdomains.", "Leave it out.")
        case .pin(let cause):
            ("policy-pin", Failure(pin: cause).message, Failure(pin: cause).advice)
        case .day(let text): ("policy-day", "\"\(text)\" is not a day that exists.", "Write it as 2027-01-31.")
        case .anchors(let path, let cause):
            ("policy-anchors", Self.naming(path, Failure(cause).message), Failure(cause).advice)
        }
    }

    /// What was said of a file, with its name unless that is said.
    private static func naming(_ path: String, _ message: String) -> String {
        message.contains(path) ? message : "\(path): \(message)"
    }
}

extension PolicyFileError.Feature {
    fileprivate var text: String {
        switch self {
        case .anchor: "Anchors (&name) are not read, nor the aliases of them."
        case .tag: "Tags (!name) are not read."
        }
    }

    fileprivate var advice: String {
        switch self {
        case .anchor: "Write the value out, or put what is common into 'default'."
        case .tag: "Leave it out."
        }
    }
}

extension PolicyFileError.Shape {
    fileprivate var text: String {
        switch self {
        case .mapping: "keys with values"
        case .list: "a list"
        case .text: "a text"
        case .boolean: "true or false"
        }
    }

    fileprivate var advice: String {
        switch self {
        case .mapping: "Write 'key: value' on lines of their own, further in than this."
        case .list: "Write [one, two]."
        case .text: "Write it in quotes where YAML would read something else."
        case .boolean: "Write it without quotes."
        }
    }
}

extension HostNameError {
    var text: String {
        switch self {
        case .malformed: "it cannot be a host name"
        case .notASCII: "it is not in ASCII"
        case .ambiguousAddress: "it looks like an address, but not like one way to write it"
        }
    }

    var advice: String {
        switch self {
        case .malformed: "Write it as intranet.example; 'subdomains: true' takes the place of *."
        case .notASCII: "Write it in its xn-- form."
        case .ambiguousAddress: "Write it as four decimal numbers."
        }
    }
}
