// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import CommandSession
import CommandSupport
import Countersign
import Dispatch
import KeychainService
import Secrets
import WebApp

/// The program `countersign-web`, which `countersign web` runs.
@main
struct WebProgram: CommandProgram {
    static let configuration = CommandConfiguration(
        commandName: "countersign web",
        abstract: "Fetch in the browser, and see the results of trust evaluation and challenges.",
        discussion: """
            The pages are served to one browser: on loopback to the one that the program opens, with --listen to one that signs in. Ctrl-C \
            ends it.

            Example: countersign web
            """,
        version: CommandVersion.withTraits,
        subcommands: [OpenCommand.self, ExplainCommand<WebProgram>.self],
        defaultSubcommand: OpenCommand.self)

    static let errors = ErrorCatalog(
        [WebError.self, CredentialsError.self, PresentError.self], options: .common + .keychain)

    static func main() async { await start() }
}

/// `countersign web open`, whose name may be omitted.
struct OpenCommand: ConsoleCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Serve the pages and open the browser, until Ctrl-C.",
        discussion: """
            The browser is opened with a file that only you can read, with a one-time token. Without --port, the \
            loopback port is saved in the configuration folder. If the program is running already, the browser is opened again, and the earlier session ends.

            --listen serves other computers too, over TLS with the certificate of --identity (such as one that 'countersign ca \
            issue' makes), to the one browser that signs in with a passphrase.

            Example: countersign web --no-browser
            Example: countersign web --listen 0.0.0.0 --identity home.example.pem
            """)

    @Option(
        help: ArgumentHelp(
            "The port, instead of the saved one (8443 with --listen); 0 for any free port.",
            valueName: "number"))
    var port: Int?

    @Option(
        help: ArgumentHelp("Serve other computers, at this IP address; 0.0.0.0 for all.", valueName: "address"))
    var listen: String?

    @Option(
        help: ArgumentHelp(
            "With --listen: the server's certificate and key in PEM or PKCS#12, for the name that browsers open; the key of NAME.pem may be in NAME-key.pem.",
            valueName: "file"))
    var identity: String?

    @Option(help: ArgumentHelp("The private key of --identity, if it is in another file.", valueName: "file"))
    var key: String?

    @OptionGroup var identityPassphrase: SecretOptions<IdentityPassphrase>

    @OptionGroup var passphrase: SecretOptions<SignInPassphrase>

    @Flag(help: "Print the path of the file that opens the pages, and open no browser.")
    var noBrowser = false

    @Flag(help: "Print the URLs as JSON.")
    var json = false

    var wantsJSON: Bool { json }

    func validate() throws {
        guard (0...65_535).contains(port ?? 0) else { throw ValidationError("--port is 0 to 65535.") }
        try identityPassphrase.checkContradictions()
        try passphrase.checkContradictions()
        if identity == nil, key != nil { throw UsageError.useless("--key", without: "--identity") }
        guard listen == nil else { return }
        if identity != nil { throw UsageError.useless("--identity", without: "--listen") }
        for name in [
            identityPassphrase.isGiven ? identityPassphrase.name : nil, passphrase.isGiven ? passphrase.name : nil,
        ] {
            if let name { throw UsageError.useless(name, without: "--listen") }
        }
    }

    /// The JSON output of `--json`.
    private struct Report: Encodable {
        let url: String
        /// The file that opens the pages; `nil` if the browser signs in with a passphrase.
        let file: String?
    }

    func perform(on console: Console) async throws -> CommandStatus {
        if listen == nil, let running = await WebServer.reopen(port: port, environment: console.environment) {
            show(Report(url: running.url, file: running.file), "It is running already at \(running.url).", console)
            return .done
        }
        let server = try await WebServer(
            port: port, network: try await network(console), environment: console.environment)
        try await server.run { file in
            let report = Report(url: server.origin.description, file: file?.path)
            show(report, "Serving \(report.url) to one browser.", console, termination: " Ctrl-C ends it.")
        }
        return .done
    }

    private func network(_ console: Console) async throws -> NetworkAccess? {
        guard let listen else { return nil }
        guard let identity else { throw UsageError.missing("--identity", for: "--listen") }
        let server = try await IdentityFile.read(
            identity, key: key, passphrase: try identityPassphrase.read(console.environment),
            prompter: console.prompter, warningOn: console)
        var secret = try passphrase.read(console.environment)
        if secret == nil {
            let question = "Passphrase for the browser to sign in with: "
            secret = await console.prompter?.ask(question, isSecret: true).map { Secret($0) }
        }
        guard let secret else { throw UsageError.missing(passphrase.name, for: "--listen") }
        return try NetworkAccess(address: listen, identity: server, passphrase: secret)
    }

    /// Prints the URL of the pages, and opens the browser.
    private func show(_ report: Report, _ text: String, _ console: Console, termination: String = "") {
        let hint =
            if let file = report.file { noBrowser ? " Open this file in it: \(file)" : "" } else {
                " Sign in there with the passphrase."
            }
        // The server continues if standard output is closed.
        try? json ? console.print(json: report) : console.print(text + hint + termination)
        guard !noBrowser, let file = report.file else { return }
        // The opener may not exit before the browser does, so it runs in the background.
        DispatchQueue.global().async {
            guard !Self.openBrowser(file) else { return }
            console.printError("countersign: no browser could be opened; open this file in one: \(file)")
        }
    }

    /// Opens the browser; the process list shows the path of the file, but not its token.
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

/// The passphrase with which a browser on another computer signs in.
enum SignInPassphrase: SecretPurpose {
    static let option = "passphrase"
    static let subject = "the passphrase that a browser signs in with"
}
