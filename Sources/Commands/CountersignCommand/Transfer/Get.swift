// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ArgumentParser
import HTTPTypes

/// `countersign get`: the main job.
enum Get: TransferKind {
    typealias Resumption = ContinueOption

    static let method = HTTPRequest.Method.get
    static let urlHelp =
        "What to get: absolute URLs of http or https, or services of the local network such as 'My web._https._tcp.local'."
    static let configuration = CommandConfiguration(
        commandName: "get",
        abstract: "Get a resource, answering what stands in the way.",
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

/// Whether an interrupted download is resumed.
struct ContinueOption: ResumptionOptions {
    @Flag(
        name: [.customShort("C"), .customLong("continue")],
        help:
            "Go on where an earlier run with --continue was interrupted: until it is whole, the file of -o is FILE.part."
    )
    var continues = false
}
