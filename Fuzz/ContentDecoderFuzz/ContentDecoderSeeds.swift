// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

/// Bodies that zlib has compressed, in hexadecimal, after the two bytes for the codings and the part size.
enum ContentDecoderSeeds {
    static let all: [[UInt8]] = texts.map { text in
        stride(from: 0, to: text.utf8.count, by: 2).compactMap { UInt8(text.dropFirst($0).prefix(2), radix: 16) }
    }

    private static let texts = [
        // gzip
        "00091f8b08000000000002032bcf482c51c82c56284ecc4c512829cf4c4e85f3f2f392537514ca311400009f1744eb33"
            + "000000",
        // two gzip members
        "00ff1f8b08000000000002032bcf482c51c82c56284ecc4c512829cf4c4e85f3f2f392537514ca311400009f1744eb33"
            + "0000001f8b080000000000020303000000000000000000",
        // zlib format (RFC 1950)
        "010078da2bcf482c51c82c56284ecc4c512829cf4c4e85f3f2f392537514ca31140000d8b71229",
        // raw DEFLATE (RFC 1951)
        "01032bcf482c51c82c56284ecc4c512829cf4c4e85f3f2f392537514ca31140000",
        // DEFLATE with fixed Huffman codes
        "01032bcf482c51c82c56284ecc4c512829cf4c4e85f3f2f392537514ca31140000",
        // gzip with a stored block
        "001e1f8b0800000000000403013300ccff7768617420697320736169642074776963652069732073616964206f6e6365"
            + "2c207768617420697320736169642074776963659f1744eb33000000",
        // gzip inside the zlib format
        "1109789c93efe66000012666edf31e3a812774c234fccef8046a689ef7f16bfdfce9f3a4e052915386220c0cf3c55d5e"
            + "1b031502005f270f4c",
        // zeros, compressed twice
        "10091f8b080000000000020393efe660000126e6b7071919818c8609ffd6bfe3e062a00c64bdee9b7e9d8181910100f7"
            + "a21cd960000000",
        // gzip with padding
        "00091f8b08000000000002032bcf482c51c82c56284ecc4c512829cf4c4e85f3f2f392537514ca311400009f1744eb33"
            + "0000000000000000000000",
        // truncated gzip
        "00091f8b08000000000002032bcf482c51c82c56284ecc4c512829cf4c4e85f3f2f392537514ca311400009f1744eb33",
    ]
}
