// SPDX-License-Identifier: Apache-2.0
// SPDX-FileCopyrightText: The Countersign authors

#if Negotiate
    import Foundation
    import Testing

    /// Tests of the command with and without Kerberos tickets.
    @Suite(.kerberos) struct NegotiateCommandTests {
        private struct Outcome {
            let status: Int32
            let output: String
            let complaint: String
        }

        private func get(_ arguments: [String] = [], tickets: String? = nil) throws -> Outcome {
            let process = Process()
            process.executableURL = URL(filePath: ".build/debug/countersign")
            process.arguments = ["get", try Apache().url(.kerberos, "/kerberos/page.txt")] + arguments
            if let tickets {
                process.environment = ProcessInfo.processInfo.environment.merging(["KRB5CCNAME": tickets]) { $1 }
            }
            let (output, complaint) = (Pipe(), Pipe())
            process.standardOutput = output
            process.standardError = complaint
            process.standardInput = FileHandle.nullDevice
            try process.run()
            // Both outputs fit into a pipe's buffer.
            let text = String(decoding: output.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            let words = String(decoding: complaint.fileHandleForReading.readDataToEndOfFile(), as: UTF8.self)
            process.waitUntilExit()
            return Outcome(status: process.terminationStatus, output: text, complaint: words)
        }

        @Test("The command sends a ticket only with --negotiate") func ticket() throws {
            let outcome = try get(["--negotiate"])
            #expect(outcome.status == 0, "\(outcome.complaint)")
            #expect(outcome.output == "served for a ticket\n")
            #expect(try get().status == 4)
        }

        @Test("The error says that there are no Kerberos credentials") func noTicket() throws {
            let outcome = try get(["--negotiate"], tickets: "FILE:/nonexistent/tickets")
            #expect(outcome.status != 0)
            #expect(outcome.complaint.contains("No Kerberos credentials available"), "\(outcome.complaint)")
        }

        @Test("A principal may have a password") func password() throws {
            let file = FileManager.default.temporaryDirectory.appending(path: "countersign-\(UUID().uuidString)")
            defer { try? FileManager.default.removeItem(at: file) }
            try Data(try Apache().value("kerberosPassword").utf8).write(to: file)
            let arguments = ["--negotiate", "--password-file", file.path, "--user"]
            #expect(try get(arguments + ["alice"], tickets: "FILE:/nonexistent/tickets").status == 0)
            #expect(try get(arguments + ["bob"], tickets: "FILE:/nonexistent/tickets").status == 4)
        }
    }
#endif
