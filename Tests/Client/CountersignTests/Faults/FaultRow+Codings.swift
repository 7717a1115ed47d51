// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign

extension FaultRow {
    static let ofCodings: [FaultRow] = [bombs, endless, lies, codingsOfHTTP2.map(\.overTLS)].flatMap { $0 }

    /// Returns a row for a decompression bomb, which the client reads and decodes only up to the session's limit.
    private static func bomb(_ name: String, _ fault: Fault, usesTLS: Bool = false) -> FaultRow {
        FaultRow(name, fault, .fails("limit.expansion"), usesTLS: usesTLS, pushed: 4 << 20) {
            $0.expansionLimit = ExpansionLimit(ratio: 4, allowance: 256 << 10)
        }
    }

    private static func malformed(_ name: String, _ fault: Fault, _ reason: String = "data") -> FaultRow {
        FaultRow(name, fault, .fails("body.malformed-content-coding.\(reason)"))
    }

    private static let bombs = [
        bomb("a bomb of gzip", .gzipBomb),
        bomb("a bomb of gzip", .gzipBomb, usesTLS: true),
        bomb("a bomb of deflate", .deflateBomb),
        bomb("a bomb of deflate without its wrapper", .rawDeflateBomb),
        bomb("a bomb in chunks", .gzipBombInChunks),
        bomb("a bomb in chunks", .gzipBombInChunks, usesTLS: true),
        bomb("a bomb in a bomb", .nestedBomb).kept,
        bomb("a bomb of many members", .memberBomb),
        // If the session allows the expansion, the reader's own limit applies.
        FaultRow("a bomb that is allowed", .gzipBomb, .fails("limit.body-size"), pushed: 4 << 20) {
            $0.expansionLimit = ExpansionLimit(ratio: .max)
        },
    ]

    private static let endless = [
        FaultRow("members without end", .endlessMembers, .fails("limit.body-size")),
        malformed("empty members without end", .endlessEmptyMembers),
        malformed("empty blocks without end", .endlessEmptyBlocks),
        malformed("a member's name without end", .endlessMemberName),
        malformed("padding without end", .endlessPadding, "trailingData(limit: 65536)"),
    ]

    private static let lies = [
        FaultRow("two members", .twoMembers, .body("goodgood")).kept,
        malformed("truncated gzip", .truncatedGzip, "truncated").kept,
        malformed("gzip without its checksum", .gzipWithoutChecksum, "truncated").kept,
        malformed("gzip with a wrong checksum", .gzipWithWrongChecksum).kept,
        malformed("rubbish for gzip", .rubbishGzip).kept,
        malformed("rubbish for deflate", .rubbishDeflate).kept,
        malformed("too many codings", .manyCodings, "tooMany(limit: 4)").kept,
    ]

    private static let codingsOfHTTP2 = [
        bomb("a bomb in HTTP/2", .gzipBombOfHTTP2).kept,
        bomb("a bomb in a bomb in HTTP/2", .nestedBombOfHTTP2).kept,
        // The client's reading speed decides whether the decoder or the frame limit fails first.
        FaultRow(
            "empty members without end in HTTP/2", .endlessEmptyMembersOfHTTP2,
            .failsAs(["body.malformed-content-coding.data", "response.malformed.http2"])),
        malformed("truncated gzip in HTTP/2", .truncatedGzipOfHTTP2, "truncated").kept,
        malformed("rubbish for gzip in HTTP/2", .rubbishGzipOfHTTP2).kept,
    ]
}
