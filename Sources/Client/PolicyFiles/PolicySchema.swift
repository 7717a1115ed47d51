// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust

/// The JSON Schema (draft 2020-12) of a policy file, for editors.
///
/// It describes the values that YAML 1.2's core schema reads from the text. A schema cannot express that a key is
/// duplicated, that two spellings denote one domain, or that a file cannot be read.
package struct PolicySchema: Encodable {
    package init() {}

    /// Encodes the schema.
    package func encode(to encoder: any Encoder) throws { try Self.document.encode(to: encoder) }

    private static let document: SchemaValue = [
        "$schema": "https://json-schema.org/draft/2020-12/schema",
        "$id": "https://countersign.example/schemas/trust-policy.json",
        "title": "Countersign's trust policy",
        "description": "The requirements for each server.",
        "type": "object",
        "required": ["version"],
        "additionalProperties": false,
        "properties": [
            "version": choice(PolicyValues.version, "The version of the file format."),
            "default": server("The policy of every domain without an entry.", [:]),
            "domains": [
                "description": "A host name or an address, with its policy.",
                "type": "object",
                "additionalProperties": false,
                "patternProperties": [
                    namePattern: server(
                        "The policy of this host; absent keys have the values of default.",
                        ["subdomains": ["type": "boolean", "default": false, "description": .text(subdomains)]]),
                    addressPattern: server(
                        "The policy of this address; absent keys have the values of default.",
                        ["subdomains": ["const": false, "description": "An address has no subdomains."]]),
                ],
            ],
        ],
    ]

    private static let subdomains = "Whether the policy also applies to names below it, unless a longer entry does."

    private static func server(_ description: String, _ more: [String: SchemaValue]) -> SchemaValue {
        let keys = ServerKey.allCases.map { ($0.rawValue, schema(of: $0)) }
        return [
            "description": .text(description), "type": "object", "additionalProperties": false,
            "properties": .mapping(more.merging(keys) { $1 }),
        ]
    }

    private static func schema(of key: ServerKey) -> SchemaValue {
        switch key {
        case .anchors: anchors
        case .purpose: choice(PolicyValues.purpose, "The purpose that a chain must be valid for.", "server")
        case .profile:
            choice(
                PolicyValues.profile, "The certificate rules; automatic depends on the chain's anchor.", "automatic")
        case .pins: pins
        case .certificatePolicies: certificatePolicies
        case .revocation:
            choice(
                PolicyValues.revocation, "Whether a proof is required that no certificate is revoked.", "where-demanded"
            )
        case .revocationScope:
            choice(PolicyValues.revocationScope.map(\.key)).adding([
                "description":
                    "Whether revocation is checked for each certificate below the anchor, or only for the leaf.",
                "default": "path",
            ])
        case .acceptWeak:
            listOrNone(PolicyValues.weaknesses.map(\.key), "The weak algorithms that are accepted.")
        case .tolerate:
            listOrNone(
                PolicyValues.rules.map(\.key), "The rules for the form of certificates that need not be followed.")
        case .transparency: transparency
        case .missingIssuers:
            choice(
                PolicyValues.missingIssuers, "Whether certificates that the server does not send are fetched.",
                "not-fetched")
        case .localEvidence:
            choice(
                PolicyValues.localEvidence,
                "Whether lists, responses and issuers may come from the local network if the server is elsewhere.",
                "beside-server")
        case .validation:
            choice(
                PolicyValues.validation,
                "dangerously-disabled accepts any certificate: an attacker on the network can read and change everything.",
                "full")
        case .minimumTLS: choice(PolicyValues.minimumTLS, "The minimum TLS version, in quotation marks.", "1.2")
        case .tlsLibrary:
            choice(
                PolicyValues.tlsLibrary,
                "The TLS library; automatic uses OpenSSL if a handshake with BoringSSL fails and may need it.",
                "boringssl")
        case .legacyTLS:
            choice(
                PolicyValues.legacyTLS,
                "Whether TLS 1.0 and 1.1, and weak algorithms are accepted, with OpenSSL.",
                "forbidden")
        case .openSSLConfiguration:
            choice(
                PolicyValues.openSSLConfiguration,
                "Whether the configuration file of OpenSSL decides on suites and groups, and may exclude versions, with OpenSSL.",
                "ignored")
        case .plainHTTP: choice(PolicyValues.plainHTTP, "Whether requests without TLS are allowed.", "allowed")
        case .methods:
            either(
                choice(PolicyValues.allMethods), list(of: choice(PolicyValues.methods.map(\.key))),
                "The allowed authentication methods.", "all")
        }
    }

    private static let anchors: SchemaValue = {
        let files = list(of: ["type": "string", "minLength": 1])
        return either(
            choice(PolicyValues.anchors),
            [
                "type": "object", "minProperties": 1, "maxProperties": 1, "additionalProperties": false,
                "properties": [
                    "add": files.adding(["description": "Certificate files to trust in addition to the system's."]),
                    "only": files.adding(["description": "The only certificate files to trust."]),
                ],
            ], "The certificates at which a chain may end.", "system")
    }()

    private static let pins: SchemaValue = {
        let pins = list(of: ["type": "string", "pattern": .text(pinPattern)])
        return either(
            choice(PolicyValues.pins),
            [
                "type": "object", "required": ["any"], "additionalProperties": false,
                "properties": [
                    "any": pins.adding(["description": "Pins of which the chain must match at least one."]),
                    "backups": pins.adding(["description": "Pins of backup keys, which are stored separately."]),
                    "until": [
                        "type": "string", "format": "date", "pattern": .text(dayPattern),
                        "description": "The last day, in UTC, on which the pins are enforced.",
                    ],
                    "enforcement": choice(
                        PolicyValues.enforcement, "Whether a chain that matches no pin is rejected.", "enforced"),
                ],
            ], "The pins that the chain must satisfy.", "none")
    }()

    private static let certificatePolicies: SchemaValue = {
        let identifier: SchemaValue = [
            "type": ["string", "number"], "pattern": .text(identifierPattern), "minimum": 0, "exclusiveMaximum": 3,
        ]
        let policy: SchemaValue = ["anyOf": [choice(PolicyValues.certificatePolicy), identifier]]
        let inhibited = { choice(PolicyValues.inhibition, $0, "allowed") }
        return either(
            choice(PolicyValues.certificatePolicies),
            [
                "type": "object", "additionalProperties": false,
                "properties": [
                    "acceptable": list(of: policy).adding([
                        "description":
                            "The accepted certificate policies, one of which is required; all if absent."
                    ]),
                    "required": [
                        "type": "boolean", "default": true,
                        "description": "Whether a policy is required even if no certificate of the path requires one.",
                    ],
                    "mapping": inhibited("Whether an authority may map its policy to another domain's."),
                    "any-policy": inhibited("Whether the policy anyPolicy counts as every policy."),
                ],
            ], "The requirements for the certificate policies of a path.", "any")
    }()

    private static let transparency: SchemaValue = either(
        choice(PolicyValues.transparency),
        [
            "type": "object", "required": ["logs"], "additionalProperties": false,
            "properties": [
                "logs": [
                    "type": "string", "minLength": 1,
                    "description": "A file with the logs, such as Google's log_list.json.",
                ],
                "rule": choice(PolicyValues.transparencyRule, "The policy for the number of logs.", "chrome"),
            ],
        ], "The log list and the rule for the certificate's timestamps.", "none")

    // MARK: Parts

    private static func choice<Value>(
        _ words: KeyValuePairs<String, Value>, _ description: String? = nil, _ absent: String? = nil
    ) -> SchemaValue {
        var schema = choice(words.map(\.key))
        if let description { schema = schema.adding(["description": .text(description)]) }
        if let absent { schema = schema.adding(["default": .text(absent)]) }
        return schema
    }

    /// Returns the schema of a choice; YAML reads unquoted values such
    /// as 1.2 as numbers, and the policy reader accepts both types.
    private static func choice(_ words: [String]) -> SchemaValue {
        ["enum": .list(words.map(SchemaValue.text) + words.compactMap(Double.init).map(SchemaValue.number))]
    }

    private static func listOrNone(_ words: [String], _ description: String) -> SchemaValue {
        either(choice(["none"]), list(of: choice(words)), description, "none")
    }

    private static func list(of element: SchemaValue) -> SchemaValue {
        ["type": "array", "minItems": 1, "items": element]
    }

    private static func either(
        _ one: SchemaValue, _ other: SchemaValue, _ description: String, _ absent: String
    ) -> SchemaValue {
        ["oneOf": [one, other], "description": .text(description), "default": .text(absent)]
    }

    /// The pattern of an object identifier in dotted decimal, optionally followed by a name.
    private static let identifierPattern = "^([01]\\.[1-3]?[0-9]|2\\.[0-9]+)(\\.[0-9]+)*( .*)?$"

    /// The pattern of a `HostName`: labels, the last of which does not look like the end of a noncanonical IPv4 address.
    ///
    /// Characters of other scripts are converted, which a pattern cannot express.
    private static let namePattern: String = {
        let (edge, inner) = (#"[^\x00-/:-@\[-^`{-\x7F]"#, #"[^\x00-,./:-@\[-^`{-\x7F]"#)
        let label = "\(edge)(\(inner){0,61}\(edge))?"
        return "^(?=.{1,253}\\.?$)(\(label)\\.)*(?![0-9]+\\.?$)(?!0[xX])\(label)\\.?$"
    }()

    /// The pattern of an IPv4 address, or of text with two colons and the digits of IPv6.
    private static let addressPattern: String = {
        let byte = "(25[0-5]|2[0-4][0-9]|1[0-9]{2}|[1-9]?[0-9])"
        let version6 = "[0-9A-Fa-f]{0,4}:[0-9A-Fa-f]{0,4}:[0-9A-Fa-f:.]*"
        return "^((\(byte)\\.){3}\(byte)|\(version6)|\\[\(version6)\\])$"
    }()

    /// The pattern of a `Pin`, with its digest in base64 or in hexadecimal with or without colons.
    private static let pinPattern =
        "^(\(Pin.Kind.allCases.map(\.rawValue).joined(separator: "|")))/([A-Za-z0-9+/]{43}=|:*([0-9A-Fa-f]:*){64})$"

    private static let dayPattern = "^[0-9]{4}-(0[1-9]|1[0-2])-(0[1-9]|[12][0-9]|3[01])$"
}

/// A value of a JSON Schema, which literals can represent.
private enum SchemaValue: Encodable {
    case text(String)
    case number(Double)
    case boolean(Bool)
    case list([SchemaValue])
    case mapping([String: SchemaValue])

    func encode(to encoder: any Encoder) throws {
        var container = encoder.singleValueContainer()
        switch self {
        case .text(let text): try container.encode(text)
        case .number(let number): try container.encode(number)
        case .boolean(let boolean): try container.encode(boolean)
        case .list(let elements): try container.encode(elements)
        case .mapping(let members): try container.encode(members)
        }
    }

    /// Returns the mapping with more members; the value itself if it is not a mapping.
    func adding(_ more: [String: SchemaValue]) -> SchemaValue {
        guard case .mapping(let members) = self else { return self }
        return .mapping(members.merging(more) { $1 })
    }
}

extension SchemaValue: ExpressibleByStringLiteral, ExpressibleByStringInterpolation, ExpressibleByIntegerLiteral,
    ExpressibleByBooleanLiteral, ExpressibleByArrayLiteral, ExpressibleByDictionaryLiteral
{
    init(stringLiteral text: String) { self = .text(text) }
    init(integerLiteral number: Int) { self = .number(Double(number)) }
    init(booleanLiteral boolean: Bool) { self = .boolean(boolean) }
    init(arrayLiteral elements: SchemaValue...) { self = .list(elements) }
    init(dictionaryLiteral members: (String, SchemaValue)...) { self = .mapping(Dictionary(members) { $1 }) }
}
