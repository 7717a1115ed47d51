// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// A command that sends a request to each of its URLs.
protocol TransferKind: Sendable {
    associatedtype Resumption: ResumptionOptions = NoResumption

    static var method: HTTPRequest.Method { get }
    static var urlHelp: String { get }
    static var configuration: CommandConfiguration { get }
}

/// The options for partial files.
protocol ResumptionOptions: ParsableArguments, Sendable {
    var partialFiles: PartialFileUse { get }
}

/// The use of a partial file by a transfer to a file.
enum PartialFileUse: Sendable {
    /// The body is written to a file without a name, which disappears with the program.
    case none
    /// The body is written to a partial file, which a later run resumes.
    case left
    /// The body is written to a partial file, and a file that another program left incomplete under the final name is
    /// continued there.
    case continued
}

/// The options for partial files of commands that download nothing to a file.
struct NoResumption: ResumptionOptions {
    var partialFiles: PartialFileUse { .none }
}

/// `countersign get`, the main command.
enum Get: TransferKind {
    typealias Resumption = ContinueOption

    static let method = HTTPRequest.Method.get
    static let urlHelp =
        "The resources: absolute http or https URLs, or services of the local network such as 'My web._https._tcp.local'."
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Get a resource, and answer challenges on the way.",
        discussion: """
            \(TransferHelp.answer)

            \(TransferHelp.service)

            Example: countersign get https://intranet.example/report.pdf --trust imported --user mary -o report.pdf
            Example: countersign get https://intranet.example/ -H "Accept-Language: de" --resolve intranet.example:443:192.0.2.7
            Example: countersign get https://intranet.example/disk.img -C -o disk.img
            Example: countersign get -Z -O https://intranet.example/a.iso https://intranet.example/b.iso
            Example: countersign get -G --data-urlencode "q=annual report" https://intranet.example/search -w "%{http_code}"
            Example: countersign get https://intranet.example/ --trace exchange.har
            Example: countersign get https://intranet.example/ --proxy socks5://proxy.example --proxy-user mary --retry 5
            Example: countersign get https://intranet.example/login --cookies --max-time 30 --no-proxy intranet.example
            Example: countersign get http://localhost/status --unix-socket /run/service.sock
            Example: countersign get 'My web._https._tcp.local' --anchor ca.pem
            """)
}

/// The options that resume an interrupted download.
struct ContinueOption: ResumptionOptions {
    @Flag(
        name: [.customShort("C"), .customLong("continue")],
        help: ArgumentHelp(
            "Resume an interrupted run with --continue or --partial; until it is complete, the file of -o is FILE.part.",
            discussion: """
                Without FILE.part, an incomplete FILE of curl, wget or another program is continued under its name if its \
                last 64 KiB are those of the resource and the server states no later modification; otherwise it is an \
                error, and FILE stays.
                """))
    var continues = false

    @Flag(
        help: "Leave an interrupted download of -o or -O as FILE.part, which --continue and --partial resume.")
    var partial = false

    var partialFiles: PartialFileUse { continues ? .continued : partial ? .left : .none }
}

/// `countersign head`: the response to a GET request, without the body.
enum Head: TransferKind {
    static let method = HTTPRequest.Method.head
    static let urlHelp = "The resources: absolute http or https URLs."
    static let configuration = CommandConfiguration(
        commandName: "head",
        abstract: "Print the status and the fields of a resource, without its body.",
        discussion: """
            The output goes to the same destination as the body of 'get'.

            Example: countersign head https://intranet.example/report.pdf
            """)
}

/// `countersign post`: data for a resource to process.
enum Post: TransferKind {
    static let method = HTTPRequest.Method.post
    static let urlHelp = "The resources: absolute http or https URLs."
    static let configuration = CommandConfiguration(
        commandName: "post",
        abstract: "Post a body to a resource.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign post https://intranet.example/search --data "q=report&year=2026"
            Example: countersign post https://intranet.example/orders --json-body @order.json --user mary
            Example: tar c photos | countersign post https://intranet.example/backup --data-file -
            """)
}

/// `countersign put`: a new resource, or a new version of it.
enum Put: TransferKind {
    static let method = HTTPRequest.Method.put
    static let urlHelp = "The resources: absolute http or https URLs."
    static let configuration = CommandConfiguration(
        commandName: "put",
        abstract: "Create or replace a resource with a body.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign put https://intranet.example/report.pdf --data-file report.pdf --user mary
            Example: countersign put https://intranet.example/reports/ -T report.pdf
            """)
}

/// `countersign patch`: changes to a resource.
enum Patch: TransferKind {
    static let method = HTTPRequest.Method.patch
    static let urlHelp = "The resources: absolute http or https URLs."
    static let configuration = CommandConfiguration(
        commandName: "patch",
        abstract: "Patch a resource with a body.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign patch https://intranet.example/orders/7 --json-body '{"state": "sent"}'
            """)
}

/// `countersign delete`: the removal of a resource.
enum Delete: TransferKind {
    static let method = HTTPRequest.Method.delete
    static let urlHelp = "The resources: absolute http or https URLs."
    static let configuration = CommandConfiguration(
        commandName: "delete",
        abstract: "Delete a resource.",
        discussion: """
            \(TransferHelp.body) \(TransferHelp.answer)

            Example: countersign delete https://intranet.example/orders/7 --user mary
            """)
}

/// Sentences that the help texts of several commands share.
enum TransferHelp {
    static let answer = """
        The body of the response goes to standard output, or with -o or -O to a file that appears only when it is complete. On a \
        terminal the command asks for missing credentials; without a terminal, the error names them. A \
        status of 400 or more exits with 1, a final 401 or 407 with 4; its page is printed, and never replaces a \
        file unless --fail-with-body is given. Several URLs share one session; the exit status is that of the first one that \
        failed, in the order of the command line.
        """
    static let service = """
        Instead of a URL, a service of the local network can be named, as 'countersign discover _https._tcp' lists it: 'My \
        web._https._tcp.local'. Discovery is not authenticated: any computer can take any name. Therefore one of --anchor, --pin, --policy and \
        --service-host must identify the certificate; with --anchor, only its anchors are trusted. A service of \
        _http._tcp has no authentication, and gets no credential.
        """
    static let body = """
        With --data, --data-file, --upload-file, --json-body or --form the request has a body. --json is no such option: with \
        every command it prints a report for programs.
        """
}
