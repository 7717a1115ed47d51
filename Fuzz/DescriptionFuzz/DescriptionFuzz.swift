// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

import Dispatch
import ErrorExplanations
import FuzzDriver
import WSDLCompiler

/// Fuzzes the reader of service descriptions, and generates Swift and samples from those that it accepts.
@main
enum DescriptionFuzz {
    static func main() throws {
        let status = try FuzzDriver.run(seeds: { _ in DescriptionSeeds.all }) { bytes, count in
            DescriptionFuzz.test(FuzzDriver.input(bytes, count))
            return 0
        }
        guard status == 0 else { fatalError("libFuzzer ended with \(status)") }
    }

    /// Runs the asynchronous check, and waits for its end.
    private static func test(_ input: [UInt8]) {
        let end = DispatchSemaphore(value: 0)
        Task.detached {
            await check(input)
            end.signal()
        }
        end.wait()
    }

    private static func check(_ input: [UInt8]) async {
        var options = DescriptionOptions()
        (options.maximumDocumentCount, options.maximumPartCount) = (4, 1_000)
        let source = ClosureSource { _ in input }
        do throws(WSDLCompilerError) {
            let description = try await ServiceDescription.read("fuzz.wsdl", from: source, options: options)
            let files = SwiftGenerator(GenerationOptions()).files(for: description)
            precondition(files == SwiftGenerator(GenerationOptions()).files(for: description), "another result")
            for operation in description.services.flatMap(\.ports).flatMap(\.operations).prefix(3) {
                _ = try? SampleRequest(of: operation, in: description.schema).json()
            }
        } catch {
            precondition(!error.explanation.message.isEmpty)
        }
    }
}
