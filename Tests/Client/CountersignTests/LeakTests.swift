// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Testing

/// The leak matrix: each secret reaches its intended places only and is not printed.
@Suite struct LeakTests {
    @Test("A secret reaches its intended places only and is not printed", arguments: LeakRow.all)
    func secrets(row: LeakRow) async throws {
        try await check(row)
    }

    @Test("The check fails for a deliberate leak", arguments: LeakRow.faults)
    func detection(row: LeakRow) async throws {
        await withKnownIssue { try await check(row) }
    }

    private func check(_ row: LeakRow) async throws {
        let scene = try LeakScene()
        do {
            try await row.situation(scene)
        } catch {
            Issue.record(error)
        }
        await scene.end()
        #expect(!row.arrivals.isEmpty || row.guarded.contains { !$0.places.isEmpty }, "the row checks nothing")
        for arrival in row.arrivals {
            #expect(
                scene.text(arrival.place).contains(arrival.text), "\(arrival.text) did not reach \(arrival.place)")
        }
        for guarded in row.guarded { check(guarded, in: scene) }
    }

    private func check(_ guarded: LeakRow.Guarded, in scene: LeakScene) {
        let forms = SecretForms(guarded.text)
        let seen = scene.received().filter { forms.areFound(in: $0.value) }.keys
        for place in seen where !guarded.places.contains(where: { $0.covers(place) }) {
            Issue.record("\(guarded.text) leaked to \(place)")
        }
        for place in guarded.places where !seen.contains(where: { place.covers($0) }) {
            Issue.record("\(guarded.text) did not reach \(place)")
        }
        guard !guarded.mayBePrinted else { return }
        for text in scene.printed where forms.areFound(in: Array(text.utf8)) {
            Issue.record("\(guarded.text) was printed: \(text.prefix(100))")
        }
    }

    @Test(
        "A secret is found in plain text, Base64, hexadecimal, percent-encoding and UTF-16",
        arguments: [
            (text: "s3cr=t+p/ss", isForm: true),
            (text: "bWFyeTpzM2NyPXQrcC9zcw==", isForm: true),
            (text: "bTpzM2NyPXQrcC9zcw==", isForm: true),
            (text: "bXk6czNjcj10K3Avc3M=", isForm: true),
            (text: "YWJjczNjcj10K3Avc3M", isForm: true),
            (text: "733363723d742b702f7373", isForm: true),
            (text: "733363723D742B702F7373", isForm: true),
            (text: "%73%33%63%72%3D%74%2B%70%2F%73%73", isForm: true),
            (text: "s3cr%3Dt%2Bp%2Fss", isForm: true),
            (text: "s\03\0c\0r\0=\0t\0+\0p\0/\0s\0s\0", isForm: true),
            (text: "5333435233", isForm: false),
            (text: "7333637223d", isForm: false),
            (text: "s3cr=t p/ss", isForm: false),
            (text: "bWFyeTpzM2NyPXQrcC9zdA==", isForm: false),
        ])
    func forms(text: String, isForm: Bool) {
        #expect(SecretForms("s3cr=t+p/ss").areFound(in: Array(text.utf8)) == isForm)
    }
}
