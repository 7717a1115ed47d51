// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges

/// The keys of `default` and of a domain; a domain also has `subdomains`.
enum ServerKey: String, CaseIterable {
    case anchors
    case purpose
    case profile
    case pins
    case certificatePolicies = "certificate-policies"
    case acceptWeak = "accept-weak"
    case tolerate
    case revocation
    case revocationScope = "revocation-scope"
    case transparency
    case missingIssuers = "missing-issuers"
    case localEvidence = "local-evidence"
    case validation
    case minimumTLS = "minimum-tls"
    case tlsLibrary = "tls-library"
    case legacyTLS = "legacy-tls"
    case openSSLConfiguration = "openssl-configuration"
    case plainHTTP = "plain-http"
    case methods
}

/// The allowed values of keys and their meanings, shared by the reader and the schema.
enum PolicyValues {
    static let version: KeyValuePairs<String, Void> = ["1": ()]
    static let anchors: KeyValuePairs<String, TrustPolicy.Anchors> = ["system": .system]
    static let purpose: KeyValuePairs<String, TrustPolicy.Purpose> = [
        "server": .server, "client": .client, "email": .email, "code-signing": .codeSigning,
        "time-stamping": .timeStamping, "any": .any,
    ]
    static let profile: KeyValuePairs<String, TrustPolicy.Profile?> = [
        "web-pki": .webPKI, "private-pki": .privatePKI, "automatic": nil,
    ]
    static let pins: KeyValuePairs<String, PinSet> = ["none": []]
    static let enforcement: KeyValuePairs<String, PinSet.Enforcement> = [
        "enforced": .enforced, "report-only": .reportOnly,
    ]
    static let certificatePolicies: KeyValuePairs<String, CertificatePolicyInputs> = ["any": CertificatePolicyInputs()]
    static let certificatePolicy: KeyValuePairs<String, CertificatePolicyIdentifier> = [
        "domain-validated": .domainValidated, "organization-validated": .organizationValidated,
        "individual-validated": .individualValidated, "extended-validation": .extendedValidation,
    ]
    /// The values of the settings that inhibit policies (RFC 5280 section 6.1.1).
    static let inhibition: KeyValuePairs<String, Bool> = ["allowed": true, "inhibited": false]
    static let revocation: KeyValuePairs<String, TrustPolicy.Revocation> = [
        "where-demanded": .whereDemanded, "soft-fail": .softFail, "hard-fail": .hardFail,
    ]
    static let revocationScope = TrustPolicy.RevocationScope.allCases.map { (key: $0.rawValue, value: $0) }
    static let weaknesses = TrustPolicy.Weakness.allCases.map { (key: $0.rawValue, value: $0) }
    static let rules = TrustFailure.Rule.allCases.map { (key: $0.rawValue, value: $0) }
    static let transparency: KeyValuePairs<String, CertificateTransparency?> = ["none": nil]
    static let transparencyRule: KeyValuePairs<String, CertificateTransparencyRule> = [
        "chrome": .chrome, "apple": .apple,
    ]
    static let missingIssuers: KeyValuePairs<String, TrustPolicy.MissingIssuers> = [
        "not-fetched": .notFetched, "fetched": .fetched,
    ]
    static let localEvidence: KeyValuePairs<String, TrustPolicy.LocalEvidence> = [
        "beside-server": .besideServer, "allowed": .allowed,
    ]
    static let validation: KeyValuePairs<String, TrustPolicy.Validation> = [
        "full": .full, "first-use": .firstUse, "dangerously-disabled": .dangerouslyDisabled,
    ]
    static let minimumTLS: KeyValuePairs<String, ServerPolicy.TLSVersion> = ["1.2": .tls12, "1.3": .tls13]
    static let tlsLibrary: KeyValuePairs<String, ServerPolicy.TLSLibrary> = [
        "boringssl": .boringSSL, "openssl": .openSSL, "automatic": .automatic,
    ]
    static let legacyTLS: KeyValuePairs<String, Bool> = ["forbidden": false, "allowed": true]
    static let openSSLConfiguration: KeyValuePairs<String, Bool> = ["ignored": false, "used": true]
    static let plainHTTP: KeyValuePairs<String, Bool> = ["allowed": true, "forbidden": false]
    static let allMethods: KeyValuePairs<String, AllowedMethods> = ["all": .all]
    static let methods = AuthenticationMethod.selectable.map { (key: $0.description, value: $0) }
}

/// Finds the known word with the spelling closest to a mistyped one.
package enum Spelling {
    /// The maximum number of wrong, missing or superfluous letters.
    private static let tolerance = 2
    /// The maximum length of a word to compare, in characters; no known word is longer.
    private static let maximumLength = 64

    /// Returns the closest word; `nil` if every word differs in more than two letters, or in more than half of them.
    package static func nearest(to word: String, among words: [String]) -> String? {
        guard word.count <= maximumLength else { return nil }
        let best = words.map { (word: $0, distance: distance(word.lowercased(), $0)) }.min { $0.distance < $1.distance }
        guard let best, best.distance <= min(tolerance, max(1, word.count / 2)) else { return nil }
        return best.word
    }

    /// Returns the number of letters to insert, delete or replace (Levenshtein 1966).
    static func distance(_ one: String, _ other: String) -> Int {
        let other = Array(other)
        var row = Array(0...other.count)
        for (line, letter) in one.enumerated() {
            var diagonal = row[0]
            row[0] = line + 1
            for column in other.indices {
                let changed = diagonal + (letter == other[column] ? 0 : 1)
                diagonal = row[column + 1]
                row[column + 1] = min(changed, row[column] + 1, diagonal + 1)
            }
        }
        return row[other.count]
    }
}
