// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import CommandSupport
import Testing

@testable import CountersignCommand

@Suite struct TourTests {
    @Test("Each row of the tour is as expected") func tour() async throws {
        let home = try Folder()
        let picture = home.file("tour.svg")
        let run = try await CommandRun(["tour", "--svg", picture], home: home)
        // Each proxy is tried with two servers.
        let count = LabServer.Kind.allCases.count + LabServer.Kind.allCases.count(where: \.isProxy)
        let last = run.text.split(separator: "\n").last ?? ""
        #expect(last.contains("\(count) of \(count) rows as expected"))
        let failed = run.text.split(separator: "\n").filter { $0.contains("FAIL") }
        #expect(failed.isEmpty)
        #expect(run.status == .done, "\(run.errors)")
        let svg = String(decoding: home.contents(of: "tour.svg") ?? [], as: UTF8.self)
        #expect(svg.hasPrefix("<svg") && svg.contains("digest-sha-256"))
    }
}
