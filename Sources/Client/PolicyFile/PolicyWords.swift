// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import Challenges

/// The keys of `default`, and of a domain beside `subdomains`.
enum ServerKey: String, CaseIterable {
    case anchors
    case profile
    case pins
    case certificatePolicies = "certificate-policies"
    case revocation
    case transparency
    case missingIssuers = "missing-issuers"
    case localEvidence = "local-evidence"
    case validation
    case minimumTLS = "minimum-tls"
    case plainHTTP = "plain-http"
    case methods
}

/// The words that a value is chosen from, and what each stands for; the reader and the schema both take them from here.
enum PolicyWords {
    static let version: KeyValuePairs<String, Void> = ["1": ()]
    static let anchors: KeyValuePairs<String, TrustPolicy.Anchors> = ["system": .system]
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
    /// Whether something counts that RFC 5280 section 6.1.1 lets a caller inhibit.
    static let inhibition: KeyValuePairs<String, Bool> = ["allowed": true, "inhibited": false]
    static let revocation: KeyValuePairs<String, TrustPolicy.Revocation> = [
        "where-demanded": .whereDemanded, "soft-fail": .softFail, "hard-fail": .hardFail,
    ]
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
    static let plainHTTP: KeyValuePairs<String, Bool> = ["allowed": true, "forbidden": false]
    static let allMethods: KeyValuePairs<String, AllowedMethods> = ["all": .all]
    static let methods = AuthenticationMethod.selectable.map { (key: $0.description, value: $0) }
}
