// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Countersign
import Dispatch
import WebApp

/// `countersign web open`, which needs no name.
struct OpenCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Serve the pages and open the browser, until Ctrl-C.",
        discussion: """
            The browser is opened by a file that only you can read, with a token that is good once; a later start ends the \
            session of the earlier one. The port is kept in the configuration folder.

            Example: countersign web --no-browser
            """)

    @Option(
        help: ArgumentHelp("The port, instead of the one that is kept; 0 for any that is free.", valueName: "number"))
    var port: Int?

    @Flag(help: "Print the path of the file that opens the pages, and open no browser.")
    var noBrowser = false

    @Flag(help: "Print where it listens as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        guard (0...65_535).contains(port ?? 0) else { throw ValidationError("--port is 0 to 65535.") }
    }

    /// What `--json` prints.
    private struct Report: Encodable {
        let url: String
        /// The file that opens the pages.
        let file: String
    }

    func perform(on console: Console) async throws -> CommandStatus {
        let server = try await WebServer(port: port, environment: console.environment)
        try await server.run { file in
            let report = Report(url: server.origin.description, file: file.path)
            // The server goes on where standard output is closed.
            try? json ? console.print(json: report) : console.print(text(report))
            guard !noBrowser else { return }
            // A browser that is started by it keeps the program waiting.
            DispatchQueue.global().async {
                guard !Self.openBrowser(file.path) else { return }
                console.complain("countersign: no browser could be opened; open this file in one: \(file.path)")
            }
        }
        return .done
    }

    private func text(_ report: Report) -> String {
        "Serving \(report.url) to one browser." + (noBrowser ? " Open this file in it: \(report.file)" : "")
            + " Ctrl-C ends it."
    }

    /// The path of the file is in the process list; its token is not.
    private static func openBrowser(_ path: String) -> Bool {
        #if os(macOS)
            let programs = ["/usr/bin/open"]
        #else
            let programs = ["/usr/bin/xdg-open", "/usr/local/bin/xdg-open"]
        #endif
        return programs.contains { program in
            (try? ChildProgram.run([program, path], reads: false)) ?? nil != nil
        }
    }
}
