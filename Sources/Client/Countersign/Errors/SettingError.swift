// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

public import ErrorExplanations

/// An error of reading the settings of a session; see `HTTPSession.Configuration.init(reading:)`, with the trait
/// `ConfigurationSupport`.
///
/// The keys are relative to the reader. No case holds a value, because it may be secret.
@nonexhaustive
public enum SettingError: Error, Sendable {
    /// The form that a value must have.
    @nonexhaustive
    public enum Form: Hashable, Sendable {
        /// A text.
        case text
        /// `true` or `false`.
        case boolean
        /// A whole number of at least the minimum.
        case count(minimum: Int)
        /// A number of seconds above 0, which may have a fraction.
        case seconds
        /// A host name or an IP address.
        case host
        /// A port, from 1 to 65,535.
        case port
        /// One of these texts.
        case oneOf([String])
    }

    /// The value of a key does not have the form that the key requires.
    case malformed(key: String, Form)
    /// A key has no value, although the other key, which has one, requires it.
    case missing(key: String, requiredBy: String)
    /// The value of a key has the required form but cannot be used. Holds the key and the reason.
    case unusable(key: String, any ExplainedError)
}

extension SettingError: CataloguedError {
    /// The explanation: what happened, why, and what to try.
    public var explanation: ErrorExplanation {
        switch self {
        case .malformed(let key, let form):
            ErrorExplanation(
                .usage, "setting.malformed", "The setting \"\(key)\" is not \(form.noun).",
                reason: "A provider of the configuration has a value of another form for this key.",
                advice: "Correct the value, or remove it to use the default.")
        case .missing(let key, let other):
            ErrorExplanation(
                .usage, "setting.missing", "The setting \"\(key)\" is missing.",
                reason: "The setting \"\(other)\" has an effect only together with it.",
                advice: "Set both, or neither.")
        case .unusable(let key, let cause):
            ErrorExplanation(
                .usage, "setting.unusable", "The value of the setting \"\(key)\" cannot be used.",
                reason: "\(cause.explanation.message) \(cause.explanation.reason)", advice: cause.explanation.advice)
        }
    }

    package static var examples: [Self] {
        [
            .malformed(key: "timeout.total", .seconds), .missing(key: "login.host", requiredBy: "login.user"),
            .unusable(key: "proxy.url", SessionError.request(.unsupportedScheme("ftp"))),
        ]
    }
}

extension SettingError.Form {
    fileprivate var noun: String {
        switch self {
        case .text: "a text"
        case .boolean: "true or false"
        case .count(let minimum): "a whole number of at least \(minimum)"
        case .seconds: "a number of seconds above 0"
        case .host: "a host name or an IP address, without a scheme and a port"
        case .port: "a port from 1 to 65535"
        case .oneOf(let texts): "one of \(texts.map { "\"\($0)\"" }.joined(separator: ", "))"
        }
    }
}
