// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import CertificateTrust
import ChallengeLab
import CommandSession
import CommandSupport
import Hummingbird
import LabTour

/// The lab page.
struct LabRoutes: Sendable {
    let fetcher: Fetcher
    let lab: WebLab
    let pages: Pages
    /// Whether other clients, which are programs of this computer, may be run.
    let runsPrograms: Bool

    private struct Row {
        let name: String
        let presents: String
        let url: String
        /// The link to the page for fetching, with the URL filled in; `nil` for a proxy.
        let link: String?
    }

    private struct LabPage {
        let frame: Pages.Frame
        let isRunning: Bool
        let rows: [Row]
        let user: String
        let password: String
        /// The description of the lab's authority.
        let authority: String
        let isTrusted: Bool
        let runsPrograms: Bool
        /// The proposed command line.
        let command: String
        let hasTable: Bool
    }

    func add(to router: Router<WebContext>) {
        let group = router.group("/lab")
        group.get { _, context in await page(context) }
        group.post("start") { _, _ in
            try await lab.start()
            return Response.redirect(to: "/lab")
        }
        group.post("stop") { _, _ in
            await fetcher.setSessionAnchors([])
            await lab.stop()
            return Response.redirect(to: "/lab")
        }
        group.post("trust") { _, context in
            let anchors = context.form["trust"] == "yes" ? await lab.lab.map { [$0.authority] } : nil
            await fetcher.setSessionAnchors(anchors ?? [])
            return Response.redirect(to: "/lab")
        }
    }

    private func page(_ context: WebContext) async -> Response {
        let frame = Pages.Frame("Lab", in: .lab, for: context.session, await fetcher.settings)
        let lab = await lab.lab
        let authority = lab.map { CertificateText.lines(CertificateSummary($0.authority)).joined(separator: "\n") }
        let isTrusted = await fetcher.sessionAnchors.contains { $0 == lab?.authority }
        return pages.page(
            "lab",
            LabPage(
                frame: frame, isRunning: lab != nil, rows: (lab?.servers ?? []).map(Self.row),
                user: Lab.credentials.user, password: Lab.credentials.password, authority: authority ?? "",
                isTrusted: isTrusted, runsPrograms: runsPrograms,
                command: await self.lab.grading?.template?.text ?? GradingRoutes.exampleClient,
                hasTable: await self.lab.grading != nil))
    }

    private static func row(_ server: LabServer) -> Row {
        Row(
            name: server.name, presents: server.presents, url: server.url,
            link: server.kind.isProxy ? nil : "/fetch?url=" + WebForm.encode(server.url))
    }
}
