// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Encodings

/// The catalogue as a web page with a row for each server.
///
/// It loads no external resources.
struct LabPage {
    let servers: [LabServer]

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width, initial-scale=1">
        <meta name="color-scheme" content="light dark">
        <title>Countersign lab</title>
        <style>
        \(Self.style)
        </style>
        </head>
        <body>
        <main>
        <h1>Countersign lab</h1>
        <p>\(servers.count) servers, each with one challenge or one fault. The good ones are signed by the authority
        <a href="/ca.pem" download>ca.pem</a>. User and password are <code>\(LabCredentials.lab.user)</code> and
        <code>\(LabCredentials.lab.password)</code>, the token is <code>\(LabCredentials.token)</code>.
        The same as <a href="/catalogue.json">JSON</a>.</p>
        \(LabServer.Group.allCases.map(section).joined(separator: "\n"))
        </main>
        </body>
        </html>

        """
    }

    private func section(_ group: LabServer.Group) -> String {
        let rows = servers.filter { $0.group == group }
        guard !rows.isEmpty else { return "" }
        let title = group.rawValue.prefix(1).uppercased() + group.rawValue.dropFirst()
        return """
            <section>
            <h2>\(title.escapedForHTML)</h2>
            <table>
            <thead><tr><th scope="col">Server</th><th scope="col">Presents</th><th scope="col">A correct client</th></tr></thead>
            <tbody>
            \(rows.map(row).joined(separator: "\n"))
            </tbody>
            </table>
            </section>
            """
    }

    private func row(_ server: LabServer) -> String {
        let url = server.url.escapedForHTML
        // Browsers cannot follow links to proxies.
        let name = server.kind.isProxy ? server.name : "<a href=\"\(url)\">\(server.name)</a>"
        return """
            <tr><th scope="row">\(name)<br><code>\(url)</code></th><td>\(server.presents.escapedForHTML)</td>\
            <td>\(server.expectation.rawValue)\(server.failureCode.map { "<br><code>\($0)</code>" } ?? "")</td></tr>
            """
    }

    private static let style = """
        :root { color-scheme: light dark; --line: #d0d7de; --ink: #1f2328; --page: #ffffff; --link: #0a58ca; }
        @media (prefers-color-scheme: dark) {
          :root { --line: #30363d; --ink: #e6edf3; --page: #0d1117; --link: #79b8ff; }
        }
        body { margin: 0; background: var(--page); color: var(--ink); font: 16px/1.5 system-ui, sans-serif; }
        main { max-width: 70rem; margin: 0 auto; padding: 1rem; }
        a { color: var(--link); }
        table { border-collapse: collapse; width: 100%; }
        th, td { border-bottom: 1px solid var(--line); padding: 0.4rem 0.6rem; text-align: left; vertical-align: top; }
        tbody th { font-weight: 600; width: 22rem; }
        code { font: 0.85em ui-monospace, monospace; font-weight: 400; overflow-wrap: anywhere; }
        """
}
