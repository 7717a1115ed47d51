// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ErrorChecks
import ErrorExplanations
import PolicyFiles
import Testing

@Suite struct ExplanationTests {
    @Test("Every error has an explanation with a unique code") func uniqueCodes() {
        #expect(problems(of: PolicyFileError.examples) == [])
    }

    @Test(
        "The message ends with the place and the key",
        arguments: [
            ("version: 1\ndomain: {}", "There is no key \"domain\" here (policy.yaml:2:1, domain)."),
            ("a: *a", "The alias *a has no anchor &a before it (policy.yaml:1:4)."),
            (
                "version: 1\ndefault: {anchors: {only: [gone.pem]}}",
                "\"gone.pem\" gives no anchors: The file cannot be read (policy.yaml:2:28, default.anchors.only[0])."
            ),
        ])
    func place(text: String, message: String) throws {
        let error = #expect(throws: PolicyFileError.self) { try Reading().file(text) }
        #expect(error?.explanation.message == message)
    }

    @Test("A warning is one line with its place, as editors read it") func warning() throws {
        let file = try Reading().file("version: 1\ndefault: {pins: {any: [\(Reading.pin)]}, plain-http: forbidden}")
        let expected = "policy.yaml:2:18: default.pins.any: warning: There is no backup pin: "
        #expect(file.warnings.map { String($0.description.prefix(expected.count)) } == [expected])
    }
}
