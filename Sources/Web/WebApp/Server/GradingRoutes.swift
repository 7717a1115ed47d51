// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import EssentialFoundation
import Hummingbird
import LabTour

/// The routes that run a client against the lab servers, and show the graded table.
struct GradingRoutes: Sendable {
    let fetcher: Fetcher
    let lab: WebLab
    let pages: Pages
    /// Whether other clients, which are programs of this computer, may be run.
    let runsPrograms: Bool

    /// The proposed command line, for a client that most computers have.
    static let exampleClient =
        "curl -sSfL --compressed --cookie '' --cacert {ca} [--cert {client-certificate} --key {client-key}] "
        + "[--anyauth --user {user}:{password}] [--oauth2-bearer {token}] [--proxy {proxy} --proxy-cacert {ca}] "
        + "[--proxy-anyauth --proxy-user {proxy-user}:{proxy-password}] [--pinnedpubkey sha256//{pin}] [--crlfile {crl}] "
        + "[--range {range}] [--connect-to {host}:{port}:{address}:{port}] {url}"

    private static let place = "/lab/grade"

    /// The filter for the rows.
    private enum Choice: String, CaseIterable {
        case all
        case unexpected
        case expected
        case notRun = "not-run"

        var word: String {
            switch self {
            case .all: "All"
            case .unexpected: "Not as expected"
            case .expected: "As expected"
            case .notRun: "Not run"
            }
        }

        func contains(_ row: TourRow) -> Bool {
            switch self {
            case .all: true
            case .unexpected: row.isAsExpected == false
            case .expected: row.isAsExpected == true
            case .notRun: row.isAsExpected == nil
            }
        }
    }

    private struct Row {
        let name: String
        let presents: String
        let expected: String
        let challenges: String
        let verdict: String
        let milliseconds: Int
        let grade: String
        /// The tone of the grade: `good`, `bad` or `quiet`.
        let tone: String
    }

    private struct Filter {
        let word: String
        let count: Int
        let link: String
        let isChosen: Bool
    }

    private struct GradingPage {
        let frame: Pages.Frame
        let version: Int
        let isRunning: Bool
        let progress: ProgressView
        /// The command line; `nil` for this program's own client.
        let command: String?
        let summary: String
        let failure: JobView.FailureView?
        let filters: [Filter]
        let rows: [Row]
        let showsChallenges: Bool
    }

    func add(to router: Router<WebContext>) {
        let group = router.group(RouterPath(Self.place))
        group.post { _, context in
            let template = try template(context.form)
            try await lab.grade(template)
            return Response.redirect(to: Self.place)
        }
        group.get { request, context in
            guard let grading = await lab.grading else { return Response.redirect(to: "/lab") }
            let query = request.query
            return await page(of: grading, query["rows"].flatMap(Choice.init) ?? .all, context)
        }
        group.get("events") { _, context in
            let grading = try await grading
            return ProgressEvents.response(for: grading.observers.changes(), context) { Self.progress(of: grading) }
        }
        group.post("stop") { _, _ in
            await lab.stopGrading()
            return Response.redirect(to: Self.place)
        }
        group.get("table.svg") { _, _ in
            let grading = try await grading
            let table = TourTable(
                rows: grading.snapshot.rows, showsChallenges: grading.template == nil, width: 240)
            return Response.download(Array(table.svg.utf8), name: "table.svg")
        }
        group.get("table.json") { _, _ in
            let encoder = JSONEncoder()
            encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
            return Response.download(Array(try encoder.encode(try await grading.snapshot.rows)), name: "table.json")
        }
    }

    private var grading: Grading {
        get async throws {
            guard let grading = await lab.grading else { throw WebError.notFound }
            return grading
        }
    }

    private func template(_ form: WebForm) throws(WebError) -> ClientTemplate? {
        guard form["client"] == "program" else { return nil }
        guard runsPrograms else { throw .noPrograms }
        do throws(ClientTemplate.Malformed) {
            return try ClientTemplate(form["command"] ?? "")
        } catch {
            throw .malformedClient(error.reason)
        }
    }

    private static func progress(of grading: Grading) -> ProgressView {
        let (snapshot, total) = (grading.snapshot, grading.rowCount)
        let count = snapshot.rows.count
        // A new version for each row would reload the table too often.
        let version = snapshot.isRunning ? count / 10 : total
        return ProgressView(
            version: version, completed: count, total: total, text: "\(count) of \(total)",
            isRunning: snapshot.isRunning)
    }

    private func page(of grading: Grading, _ choice: Choice, _ context: WebContext) async -> Response {
        let (snapshot, progress) = (grading.snapshot, Self.progress(of: grading))
        let table = TourTable(rows: snapshot.rows, showsChallenges: false, width: 240)
        return pages.page(
            "grading",
            GradingPage(
                frame: Pages.Frame("Graded client", in: .lab, for: context.session, await fetcher.settings),
                version: progress.version, isRunning: snapshot.isRunning, progress: progress,
                command: grading.template?.text,
                summary: (snapshot.isStopped ? "Stopped after \(progress.text): " : "") + table.summary,
                failure: snapshot.failure.map(JobView.FailureView.init),
                filters: Choice.allCases.map { one in
                    Filter(
                        word: one.word, count: snapshot.rows.count(where: one.contains),
                        link: one == .all ? Self.place : "\(Self.place)?rows=\(one.rawValue)", isChosen: one == choice)
                }, rows: snapshot.rows.filter(choice.contains).map(Self.row),
                showsChallenges: grading.template == nil))
    }

    private static func row(_ row: TourRow) -> Row {
        let met = zip(row.challenges, row.answers).map { "\($0): \($1)" }.joined(separator: "; ")
        let (grade, tone) =
            switch row.isAsExpected {
            case true?: ("As expected", "good")
            case false?: ("Not as expected", "bad")
            case nil: ("Not run", "quiet")
            }
        return Row(
            name: row.name, presents: row.presents, expected: row.expected, challenges: met, verdict: row.verdict,
            milliseconds: row.milliseconds, grade: grade, tone: tone)
    }
}
