// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Files with every key and every value, and some invalid files.
enum PolicySeeds {
    private static let pin = "sha256/AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA="

    static var all: [[UInt8]] { (texts + nests).map { Array($0.utf8) } }

    /// Nested texts with more than a thousand levels, which is the parser's limit.
    private static let nests = ["[ \"] \", ", "[ #]\n", "- ", "{a: ", "[ 'a\n ] b', \n", "[ a '] ', [ '] ', "].map {
        nest in
        "version: 1\ndefault: " + String(repeating: nest, count: 1200)
    }

    private static let texts = [
        "version: 1\n",
        """
        version: 1
        default:
          anchors: system
          profile: automatic
          pins: none
          revocation: soft-fail
          missing-issuers: fetched
          validation: full
          minimum-tls: 1.2
          plain-http: forbidden
        domains:
          intranet.example:
            anchors: {only: [a.pem, bb.pem]}
            profile: private-pki
            subdomains: true
            revocation: hard-fail
            pins:
              any: ["\(pin)"]
              backups:
                - certificate-\(pin)
                - authority-\(pin)
              until: 2026-06-20
              enforcement: report-only
          "*.example": {}
          192.0.2.1:
            subdomains: false
            validation: first-use
          "2001:db8::1":
            anchors:
              add:
                - ccc.pem
            minimum-tls: "1.3"
        """,
        "version: '1'\ndomains:\n  a.test: {validation: dangerously-disabled, plain-http: allowed}\n  A.test.: {}\n",
        "version: 1\ndefault: &a {profile: web-pki}\ndomains: {a.test: *a}\n",
        """
        version: 1
        default: &a {purpose: any, accept-weak: [sha-1], tolerate: [version], revocation-scope: leaf}
        domains:
          b.test: {<<: *a, purpose: code-signing}
          c.test: {<<: [*a, {profile: web-pki}], methods: &m [ntlm]}
          bücher.example: {methods: *m}
        """,
        "version: 1\r\ndefaults:\r\n  revocation: where-demanded\r\n",
        "%YAML 1.2\n---\nversion: !!int 1\n...\n",
        "version: 1\ndefault:\n  pins: {any: [], until: 2027-02-30}\n",
        "? version\n: |\n  1\n? [a, b]\n: >-\n  text\n",
        "version: 1\ndomains:\n  a.test:\n    missing-issuers: not-fetched\n    <<: {a: b}\n# end",
        "{version: 1, version: 1}", "[[[[[[{{{{", "\u{FEFF}version: \"\\x31\"",
    ]
}
