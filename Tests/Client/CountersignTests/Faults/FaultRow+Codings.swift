// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ChallengeLab
import Countersign

extension FaultRow {
    static let ofCodings: [FaultRow] = [bombs, endless, invalidCodings, codingsOfHTTP2.map(\.overTLS)].flatMap { $0 }

    /// Returns a row for a decompression bomb, which the client reads and decodes only up to the session's limit.
    private static func bomb(_ name: String, _ fault: Fault, usesTLS: Bool = false) -> FaultRow {
        FaultRow(name, fault, .fails("limit.expansion"), usesTLS: usesTLS, maximumSentBytes: 4 << 20) {
            $0.expansionLimit = ExpansionLimit(ratio: 4, allowance: 256 << 10)
        }
    }

    private static func malformed(_ name: String, _ fault: Fault, _ reason: String = "data") -> FaultRow {
        FaultRow(name, fault, .fails("body.malformed-content-coding.\(reason)"))
    }

    private static let bombs = [
        bomb("a gzip bomb", .gzipBomb),
        bomb("a gzip bomb", .gzipBomb, usesTLS: true),
        bomb("a deflate bomb", .deflateBomb),
        bomb("a raw deflate bomb", .rawDeflateBomb),
        bomb("a gzip bomb in chunks", .gzipBombInChunks),
        bomb("a gzip bomb in chunks", .gzipBombInChunks, usesTLS: true),
        bomb("a nested bomb", .nestedBomb).keepingConnection,
        bomb("a gzip bomb with many members", .memberBomb),
        // If the session allows the expansion, the reader's own limit applies.
        FaultRow("a gzip bomb that is allowed", .gzipBomb, .fails("limit.body-size"), maximumSentBytes: 4 << 20) {
            $0.expansionLimit = ExpansionLimit(ratio: .max)
        },
    ]

    private static let endless = [
        FaultRow("endless members", .endlessMembers, .fails("limit.body-size")),
        malformed("endless empty members", .endlessEmptyMembers),
        malformed("endless empty blocks", .endlessEmptyBlocks),
        malformed("an endless member name", .endlessMemberName),
        malformed("endless padding", .endlessPadding, "trailingData(limit: 65536)"),
    ]

    private static let invalidCodings = [
        FaultRow("two members", .twoMembers, .body("goodgood")).keepingConnection,
        malformed("truncated gzip", .truncatedGzip, "truncated").keepingConnection,
        malformed("gzip without its checksum", .gzipWithoutChecksum, "truncated").keepingConnection,
        malformed("gzip with a wrong checksum", .gzipWithWrongChecksum).keepingConnection,
        malformed("invalid gzip", .rubbishGzip).keepingConnection,
        malformed("invalid deflate", .rubbishDeflate).keepingConnection,
        malformed("too many codings", .manyCodings, "tooMany(limit: 4)").keepingConnection,
    ]

    private static let codingsOfHTTP2 = [
        bomb("a gzip bomb in HTTP/2", .gzipBombOfHTTP2).keepingConnection,
        bomb("a nested bomb in HTTP/2", .nestedBombOfHTTP2).keepingConnection,
        // The client's reading speed decides whether the decoder or the frame limit fails first.
        FaultRow(
            "endless empty members in HTTP/2", .endlessEmptyMembersOfHTTP2,
            .failsAs(["body.malformed-content-coding.data", "response.malformed.http2"])),
        malformed("truncated gzip in HTTP/2", .truncatedGzipOfHTTP2, "truncated").keepingConnection,
        malformed("invalid gzip in HTTP/2", .rubbishGzipOfHTTP2).keepingConnection,
    ]
}
