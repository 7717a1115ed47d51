// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import ErrorExplanations
import FuzzDriver
import NIOCore
import SOAPClients

/// Fuzzes the readers of responses; the input has a byte for the
/// reader, one for the part size or the charset, and a response.
@main
enum EnvelopeFuzz {
    private enum Outcome: Equatable {
        case parts([MultipartReader.Event], [UInt8])
        case error(MultipartError)
    }

    private static let charsets = ["utf-8", "utf-16", "utf-16le", "iso-8859-1", "windows-1252", "x", nil]

    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in EnvelopeSeeds.all }) { bytes, count in
            EnvelopeFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    private static func test(_ input: [UInt8]) {
        guard input.count > 2 else { return }
        let body = Array(input[2...])
        if input[0] & 1 == 0 {
            let complete = multipart(body, in: body.count)
            precondition(complete == multipart(body, in: Int(input[1]) + 1), "the result depends on the part size")
        } else {
            envelope(body, input[0] & 2 == 0 ? .soap11 : .soap12, charset: charsets[Int(input[1]) % charsets.count])
        }
    }

    private static func multipart(_ body: [UInt8], in size: Int) -> Outcome {
        do throws(MultipartError) {
            var reader = try MultipartReader(boundary: "b")
            var (events, content): ([MultipartReader.Event], [UInt8]) = ([], [])
            var decoder: TransferDecoder?
            var rest = body[...]
            while !rest.isEmpty {
                reader.append(ByteBuffer(bytes: rest.prefix(size)))
                rest = rest.dropFirst(size)
                while let event = try reader.next() {
                    switch event {
                    case .head(let head):
                        decoder = try TransferDecoder(head.transferEncoding, part: reader.part)
                        events.append(event)
                    case .content(let piece):
                        precondition(piece.readableBytes > 0, "an empty part")
                        content += Array(try decoder?.decode(piece).readableBytesView ?? ByteBufferView())
                    case .partEnd:
                        content += Array(try decoder?.finish().readableBytesView ?? ByteBufferView())
                        content.append(0)
                        events.append(event)
                    case .end: events.append(event)
                    }
                }
            }
            try reader.finish()
            return .parts(events, content)
        } catch {
            return .error(error)
        }
    }

    private static func envelope(_ body: [UInt8], _ version: SOAPVersion, charset: String?) {
        do throws(SOAPClientError) {
            let bytes = try EnvelopeText.bytes(body, charset: charset)
            let envelope = try ReceivedEnvelope(bytes, expecting: version, limits: XMLLimits())
            _ = envelope.headersNotUnderstood(excluding: [])
            _ = try? envelope.headerValues()
            _ = try envelope.fault?.fault().explanation
        } catch {
            precondition(!error.explanation.message.isEmpty)
        }
    }
}
