// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSupport
import Countersign
import WebApp

/// The program `countersign-web`, which `countersign web` runs.
@main
struct WebProgram: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "countersign web",
        abstract: "Fetch in the browser, and see how trust and challenges were settled.",
        discussion: """
            The pages are served to one browser: on loopback to the one that the program opens, with --listen to one that signs in. Ctrl-C \
            ends it.

            Example: countersign web
            """,
        version: CommandVersion.current,
        subcommands: [OpenCommand.self, ExplainCommand<WebProgram>.self],
        defaultSubcommand: OpenCommand.self)

    static let errors = ErrorCatalog([WebError.self, CredentialsError.self, PresentError.self])

    static func main() async { await start() }
}
